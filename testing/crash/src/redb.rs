//! redb: each commit is a transaction that moves amounts between accounts and writes a row with its number.

use std::path::Path;

use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};

use crate::{Failure, Ledger};

/// Number of a commit, and some bytes that follow from it.
const COMMITS: TableDefinition<u64, &[u8]> = TableDefinition::new("commits");

/// Balances, which sum to zero.
const ACCOUNTS: TableDefinition<u64, i64> = TableDefinition::new("accounts");

const ACCOUNT_COUNT: u64 = 2000;

pub(crate) struct RedbLedger {
    database: Database,
}

/// What a commit writes beside its number: 600 bytes.
fn payload(number: u64) -> Vec<u8> {
    number.to_le_bytes().repeat(75)
}

impl Ledger for RedbLedger {
    fn open(folder: &Path) -> Result<Self, Failure> {
        Ok(RedbLedger { database: Database::create(folder.join("ledger.redb"))? })
    }

    fn commit(&mut self, number: u64) -> Result<(), Failure> {
        let transaction = self.database.begin_write()?;
        {
            let mut accounts = transaction.open_table(ACCOUNTS)?;
            let mut random = fastrand::Rng::with_seed(number);
            for _ in 0..5 {
                for amount in [-7, 7] {
                    let account = random.u64(..ACCOUNT_COUNT);
                    let balance = accounts.get(account)?.map_or(0, |balance| balance.value());
                    accounts.insert(account, balance + amount)?;
                }
            }
            transaction.open_table(COMMITS)?.insert(number, payload(number).as_slice())?;
        }
        transaction.commit()?;
        Ok(())
    }

    fn check(mut self) -> Result<u64, Failure> {
        // Opening it has repaired what a crash leaves.
        if !self.database.check_integrity()? {
            return Err("check_integrity had to repair the database after it was opened".into());
        }
        let transaction = self.database.begin_read()?;
        let commits = match transaction.open_table(COMMITS) {
            Ok(table) => table,
            Err(redb::TableError::TableDoesNotExist(_)) => return Ok(0),
            Err(error) => return Err(error.into()),
        };
        for (row, expected) in commits.iter()?.zip(1..) {
            let (number, bytes) = row?;
            if number.value() != expected || bytes.value() != payload(expected) {
                return Err(format!("row {} stands where commit {expected} should", number.value()).into());
            }
        }
        let mut sum = 0;
        for row in transaction.open_table(ACCOUNTS)?.iter()? {
            sum += row?.1.value();
        }
        if sum != 0 {
            return Err(format!("the balances sum to {sum}, not to 0").into());
        }
        Ok(commits.len()?)
    }
}
