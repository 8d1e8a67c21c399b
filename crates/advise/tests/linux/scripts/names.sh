#!/bin/bash
for path in /sys/block/sd? /sys/block/nvme?n?; do
  name=$(basename "$path")
  echo 384 > /sys/block/$name/queue/read_ahead_kb
  short=${path##*/}
  printf 96 > "/sys/block/$short/queue/nr_requests"
done
for d in /sys/block/{sda,nvme0n1}; do echo kyber > $d/queue/scheduler; done
set_scheduler() {
  echo "$2" > /sys/block/$1/queue/max_sectors_kb
}
