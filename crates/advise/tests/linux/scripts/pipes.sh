#!/bin/bash
echo mq-deadline | tee /sys/block/sda/queue/scheduler > /dev/null
echo 512 | tee /sys/block/sda/queue/nr_requests /sys/block/nvme0n1/queue/nr_requests >/dev/null
printf '%s\n' none | tee /sys/class/block/nvme0n1/queue/scheduler >/dev/null
tee /sys/block/nvme0n1/queue/read_ahead_kb <<< 1024 >/dev/null
sh -c 'echo 2048 > /sys/block/sda/queue/read_ahead_kb'
bash -c "echo 640 > /sys/block/nvme0n1/queue/max_sectors_kb"
