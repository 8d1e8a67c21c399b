SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = '1MiB';
