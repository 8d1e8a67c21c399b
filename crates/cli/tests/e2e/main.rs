//! `leadline` from the outside, as a user or a script has it: arguments in; stdout, stderr, exit code and
//! files out.

mod advised;
#[allow(dead_code)]
mod ran;

mod advice;
mod advise;
mod at_terminal;
mod btree;
mod calibrate;
mod devices;
mod emulate;
mod experiment;
mod experiment_all;
mod experiment_settings;
mod experiment_storage;
mod experiment_writes;
mod failing;
mod file_names;
mod graph_export;
mod graph_graphalytics;
mod graph_import;
mod graph_query;
mod graph_run;
mod graph_update;
mod interruption;
mod killed;
mod kills;
mod limits;
mod lint;
mod lsm;
mod lsm_validate;
mod manual;
mod messages;
mod models;
mod one_advice;
mod overwriting;
mod place;
mod pool;
mod pool_replay;
mod predict;
mod profile;
mod profile_import;
mod prove;
mod real;
mod refusals;
mod report;
mod simulated;
mod tiers;
mod trace;
mod trace_capture;
mod trace_convert;
mod trace_predict;
mod usage;
