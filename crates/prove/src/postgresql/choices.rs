//! Which plans the planner chooses under which costs, and which are truly cheaper.

use std::collections::BTreeMap;
use std::fs;

use serde::{Deserialize, Serialize};

use super::cluster::Cluster;
use super::explain::{Access, Explained};
use super::table::{Column, Table};
use crate::order::random;
use crate::{Progress, ProveError, Role, Spread, Variant};

/// Keys that change which plan is chosen.
pub(super) const KEYS: [&str; 6] = [
    "random_page_cost",
    "seq_page_cost",
    "cpu_tuple_cost",
    "cpu_index_tuple_cost",
    "cpu_operator_cost",
    "effective_cache_size",
];

/// The shares of rows that queries ask for, the smallest and the largest.
const SHARES: [f64; 2] = [0.0001, 0.6];

/// Plans that take less than this many times as long as the best are as good.
const AS_GOOD: f64 = 1.1;

/// A plan that takes this many times as long as reading everything is ended: it is not the best.
const PATIENCE: f64 = 4.0;

/// How many sequential scans tell how long reading everything takes.
const FIRST_SCANS: usize = 3;

/// A sequential scan reads the same whatever a query asks for. Its time for a query is the median over all of
/// those of queries for about as many rows: of that many shares to either side, on both columns.
const NEIGHBOURS: usize = 2;

/// No plan is ended earlier than this, seconds.
const LEAST_LIMIT: f64 = 0.2;

/// What became of the planner's choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanChoices {
    /// The queries, with the time that each of their plans took.
    pub queries: Vec<JudgedQuery>,
    /// What is chosen under each variant: the default, the advice, the sweep of random_page_cost.
    pub choices: Vec<Choice>,
    /// The most right choices of any value of the sweep.
    pub most_right: Option<u32>,
    /// The least regret of any value of the sweep.
    pub least_regret: Option<f64>,
}

/// A query for a range of values of one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedQuery {
    /// The column.
    pub column: Column,
    /// The share of all rows that it asks for.
    pub share: f64,
    /// The statement.
    pub sql: String,
    /// Each way to read the table, forced and with nothing in memory.
    pub plans: Vec<PlanTime>,
}

/// How long one plan of a query takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlanTime {
    /// The plan.
    pub access: Access,
    /// Seconds: the median of its runs.
    pub seconds: f64,
    /// It was ended in at least half of them: it takes longer than that.
    pub was_ended: bool,
}

/// What is chosen under a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The settings.
    pub variant: Variant,
    /// What it is there for.
    pub role: Role,
    /// The plan of each query, in their order.
    pub chosen: Vec<Access>,
    /// How many of them take less than 1.1 times as long as the query's best plan.
    pub right: u32,
    /// Time of the chosen plans over the time of the best, all queries together; right ones count as the
    /// best.
    pub regret: f64,
}

/// Every run of each plan of each query.
type Seconds = BTreeMap<(usize, Access), Vec<f64>>;

/// How often, and from which seed.
pub(super) struct Judge<'a> {
    pub(super) table: &'a Table,
    pub(super) variants: Vec<(Role, Variant)>,
    /// What all plans run under: the advice without its costs, since others decide how fast plans are.
    pub(super) runs_under: Variant,
    /// On each column.
    pub(super) queries: u32,
    pub(super) rounds: u32,
    pub(super) seed: u64,
}

impl Judge<'_> {
    /// Runs every plan of every query, and asks for the planner's choices.
    pub(super) fn run(
        self,
        cluster: &Cluster,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<PlanChoices, ProveError> {
        let mut queries = self.queries();
        self.time(&mut queries, cluster, progress)?;
        let chosen = self.choose(&queries, cluster)?;
        let choices: Vec<Choice> = self
            .variants
            .into_iter()
            .zip(chosen)
            .map(|((role, variant), chosen)| judged(variant, role, chosen, &queries))
            .collect();
        // The default's value is in the sweep, or stands for itself.
        let sweep = || choices.iter().filter(|choice| matches!(choice.role, Role::Grid | Role::Default));
        let most_right = sweep().map(|choice| choice.right).max();
        let least_regret = sweep().map(|choice| choice.regret).min_by(f64::total_cmp);
        Ok(PlanChoices { queries, choices, most_right, least_regret })
    }

    /// Shares that grow by the same factor, on each column, from rows anywhere in it.
    fn queries(&self) -> Vec<JudgedQuery> {
        let mut random = random(self.seed ^ 2, 0);
        let rows = self.table.rows;
        let mut query = |column, which: u32| {
            let [least, most] = SHARES;
            let step = f64::from(which) / f64::from((self.queries - 1).max(1));
            let share: f64 = least * (most / least).powf(step);
            let count = ((share * rows as f64) as u64).clamp(1, rows);
            let sql = Table::range(column, random.u64(..=rows - count), count);
            JudgedQuery { column, share, sql, plans: Vec::new() }
        };
        let columns = [Column::Scattered, Column::Ordered];
        columns
            .into_iter()
            .flat_map(|column| (0..self.queries).map(move |which| (column, which)))
            .map(|(column, which)| query(column, which))
            .collect()
    }

    fn time(
        &self,
        queries: &mut [JudgedQuery],
        cluster: &Cluster,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ProveError> {
        let timed = |sql: &str, access, limit, during: &str| {
            let server = self.table.cold_server(cluster, &self.runs_under)?;
            let found = server.timed(sql, access, limit, during)?;
            server.stop()?;
            Ok::<_, ProveError>(found.and_then(|found| found.seconds))
        };
        let (sql, access) = Table::everything();
        let first: Result<Vec<_>, _> =
            (0..FIRST_SCANS).map(|_| timed(&sql, access, None, "reading everything")).collect();
        let everything = Spread::of(&first?.into_iter().flatten().collect::<Vec<f64>>());
        let limit = everything.map_or(0.0, |first| PATIENCE * first.median).max(LEAST_LIMIT);
        let mut seconds = Seconds::new();
        let all = queries.len() * Access::ALL.len() * self.rounds as usize;
        for round in 0..self.rounds {
            let mut order: Vec<(usize, Access)> =
                (0..queries.len()).flat_map(|query| Access::ALL.map(|access| (query, access))).collect();
            random(self.seed ^ 3, round).shuffle(&mut order);
            for (done, (query, access)) in order.into_iter().enumerate() {
                let done = done + round as usize * queries.len() * Access::ALL.len();
                let detail = format!("plan {} of {all}", done + 1);
                progress(Progress { phase: "plans", done: done as f64 / all as f64, detail: detail.clone() });
                let took = timed(&queries[query].sql, access, Some(limit), &detail)?;
                seconds.entry((query, access)).or_default().push(took.unwrap_or(limit));
            }
        }
        for (which, query) in queries.iter_mut().enumerate() {
            let of = |access| plan_time(access, which, self.queries as usize, &seconds, limit);
            query.plans = Access::ALL.into_iter().filter_map(of).collect();
        }
        Ok(())
    }

    /// For each variant, the plan of each query.
    fn choose(&self, queries: &[JudgedQuery], cluster: &Cluster) -> Result<Vec<Vec<Access>>, ProveError> {
        let mut script = String::new();
        for (_, variant) in &self.variants {
            script.push_str("RESET ALL;\n");
            for (key, value) in variant.settings.iter().filter(|(key, _)| KEYS.contains(&key.as_str())) {
                script.push_str(&format!("SET {key} = '{}';\n", value.replace('\'', "''")));
            }
            for query in queries {
                script.push_str(&format!("EXPLAIN (FORMAT JSON) {};\n", query.sql));
            }
        }
        let file = cluster.aside().join("explain.sql");
        fs::write(&file, script).map_err(|source| ProveError::io(&file, "writing it", source))?;
        let default = Variant { name: "default".into(), settings: Vec::new() };
        let server = cluster.start(&default, &[])?;
        let during = "asking for plans";
        let printed = server.sql_file("postgres", &file, during)?;
        server.stop()?;
        let chosen = Explained::all(&printed).filter(|all| all.len() == queries.len() * self.variants.len());
        let wrong = || ProveError::unexpected("psql", during, "not all plans can be read", &printed);
        let chosen: Vec<Access> = chosen.ok_or_else(wrong)?.into_iter().map(|plan| plan.access).collect();
        Ok(chosen.chunks(queries.len()).map(<[Access]>::to_vec).collect())
    }
}

/// The time of one plan of the query `which`, of `shares` queries on each column.
fn plan_time(access: Access, which: usize, shares: usize, seconds: &Seconds, limit: f64) -> Option<PlanTime> {
    let counts = |other: usize| match access {
        Access::Sequential => (other % shares).abs_diff(which % shares) <= NEIGHBOURS,
        Access::Index | Access::Bitmap => other == which,
    };
    let all = seconds.iter().filter(|((other, its), _)| *its == access && counts(*other));
    let all: Vec<f64> = all.flat_map(|(_, seconds)| seconds).copied().collect();
    let ended = all.iter().filter(|seconds| **seconds >= limit).count();
    Some(PlanTime { access, seconds: Spread::of(&all)?.median, was_ended: ended * 2 >= all.len() })
}

/// How good these choices are.
fn judged(variant: Variant, role: Role, chosen: Vec<Access>, queries: &[JudgedQuery]) -> Choice {
    let (mut right, mut chosen_seconds, mut best_seconds) = (0, 0.0, 0.0);
    for (query, access) in queries.iter().zip(&chosen) {
        let best = query.plans.iter().map(|plan| plan.seconds).fold(f64::INFINITY, f64::min);
        let seconds =
            query.plans.iter().find(|plan| plan.access == *access).map_or(best, |plan| plan.seconds);
        let is_right = seconds < AS_GOOD * best;
        right += u32::from(is_right);
        chosen_seconds += if is_right { best } else { seconds };
        best_seconds += best;
    }
    Choice { variant, role, chosen, right, regret: chosen_seconds / best_seconds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_scans_of_neighbouring_queries_count_and_plans_that_were_ended_are_told() {
        let mut seconds = Seconds::new();
        for query in 0..8 {
            seconds.insert((query, Access::Sequential), vec![if query == 1 { 9.0 } else { 2.0 }]);
            seconds.insert((query, Access::Index), vec![query as f64, 8.0]);
        }
        let found = |access| plan_time(access, 1, 4, &seconds, 8.0);
        let time = |access, seconds, was_ended| Some(PlanTime { access, seconds, was_ended });
        assert_eq!(found(Access::Sequential), time(Access::Sequential, 2.0, false));
        assert_eq!(found(Access::Index), time(Access::Index, 4.5, true));
        assert_eq!(found(Access::Bitmap), None);
    }

    #[test]
    fn plans_within_a_tenth_of_the_best_are_right_and_others_count_with_their_time() {
        let query = |seconds: [f64; 3]| JudgedQuery {
            column: Column::Ordered,
            share: 0.1,
            sql: String::new(),
            plans: Access::ALL
                .into_iter()
                .zip(seconds)
                .map(|(access, seconds)| PlanTime { access, seconds, was_ended: false })
                .collect(),
        };
        let queries = [query([1.0, 1.05, 3.0]), query([2.0, 1.0, 1.0]), query([1.0, 8.0, 1.0])];
        let choose =
            |chosen: [Access; 3]| judged(Variant::single("x", "1"), Role::Grid, chosen.to_vec(), &queries);
        let all = choose([Access::Index, Access::Bitmap, Access::Sequential]);
        assert_eq!((all.right, all.regret), (3, 1.0));
        let none = choose([Access::Bitmap, Access::Sequential, Access::Index]);
        assert_eq!(none.right, 0);
        assert!((none.regret - 13.0 / 3.0).abs() < 1e-12);
    }
}
