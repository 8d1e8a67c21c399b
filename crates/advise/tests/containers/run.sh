#!/bin/sh
# two servers
docker run -d --name db -e POSTGRES_PASSWORD=x postgres:16 \
  -c effective_io_concurrency=1 \
  -c random_page_cost=4
redis-server /etc/redis/redis.conf --appendfsync always --appendonly yes
