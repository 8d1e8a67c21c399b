SET threads = 1;
SET memory_limit = '4GB';
