SET datafusion.execution.target_partitions = 1;
SET datafusion.execution.batch_size = 1024;
