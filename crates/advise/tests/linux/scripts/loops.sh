#!/bin/sh
# Each disk of a kind, with and without quotes.
for f in /sys/block/sd*/queue/scheduler; do echo bfq > "$f"; done
for d in /sys/block/nvme*; do
  echo none >"$d/queue/scheduler"
  echo 256 > $d/queue/nr_requests
done
for name in sda sdb
do
    if [ -w /sys/block/$name/queue/read_ahead_kb ]; then
        echo 4096 > /sys/block/${name}/queue/read_ahead_kb
    fi
done
DISKS="nvme0n1 nvme1n1"
for name in $DISKS; do [ -e /sys/block/$name ] && echo 512 > /sys/block/$name/queue/read_ahead_kb; done
