// Opens databases with OPTIONS files, or with RocksDB's defaults, so that RocksDB writes what it made of them.
//
// Arguments: pairs of an OPTIONS file, or "defaults", and the folder of a new database.

import java.util.ArrayList;
import java.util.List;

import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.OptionsUtil;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

public class Load {
    static final int KEYS = 3000;

    public static void main(String[] pairs) throws Exception {
        RocksDB.loadLibrary();
        for (int at = 0; at < pairs.length; at += 2) {
            try {
                if (pairs[at].equals("defaults")) {
                    defaults(pairs[at + 1]);
                } else {
                    load(pairs[at], pairs[at + 1]);
                }
            } catch (RocksDBException e) {
                System.err.println(pairs[at] + ": " + e.getMessage());
                System.exit(1);
            }
        }
    }

    /** Opens a new database, and then again, so that create_if_missing has its default, too. */
    static void defaults(String folder) throws RocksDBException {
        try (Options options = new Options().setCreateIfMissing(true); RocksDB db = RocksDB.open(options, folder)) {
        }
        try (Options options = new Options(); RocksDB db = RocksDB.open(options, folder)) {
        }
    }

    /** Fills a database that is opened with an OPTIONS file, compacts it, and reads it. */
    static void load(String file, String folder) throws Exception {
        List<ColumnFamilyDescriptor> families = new ArrayList<>();
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (ConfigOptions config = new ConfigOptions().setIgnoreUnknownOptions(false);
             DBOptions options = new DBOptions()) {
            OptionsUtil.loadOptionsFromFile(config, file, options, families);
            options.setCreateIfMissing(true);
            try (RocksDB db = RocksDB.open(options, folder, families, handles)) {
                for (int key = 0; key < KEYS; key++) {
                    db.put(("key" + key).getBytes(), new byte[100]);
                }
                try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
                    db.flush(flush);
                }
                db.compactRange();
                for (int key = 0; key < KEYS; key++) {
                    if (db.get(("key" + key).getBytes()) == null) {
                        throw new Exception(file + ": key" + key + " is lost");
                    }
                }
                for (ColumnFamilyHandle handle : handles) {
                    handle.close();
                }
            }
        }
    }
}
