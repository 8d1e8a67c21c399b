#!/bin/bash
RA=2048; SCHED=mq-deadline
echo $SCHED > /sys/block/sda/queue/scheduler
echo "$RA" > /sys/block/sda/queue/read_ahead_kb
echo none > /sys/block/nvme0n1/queue/scheduler; echo 128 > /sys/block/nvme0n1/queue/read_ahead_kb
echo 1 > /sys/block/sda/queue/nr_requests
echo 64 > /sys/block/sda/queue/nr_requests  # again
