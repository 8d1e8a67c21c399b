datacenter = "dc1"
bootstrap_expect = 3
performance {
  raft_multiplier = 1
}
