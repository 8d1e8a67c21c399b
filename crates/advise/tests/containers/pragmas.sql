PRAGMA journal_mode = wal;
PRAGMA cache_size = -1000000;
