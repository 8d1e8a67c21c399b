#!/usr/bin/env python3
"""Records what libCacheSim misses on the traces of ../libcachesim.rs, for that test to compare with.

    python3 -m venv venv && venv/bin/pip install libcachesim==0.3.5
    venv/bin/python crates/pool/tests/libcachesim/record.py

writes misses.csv beside this file. The test itself needs neither Python nor libCacheSim.
"""

import os
from importlib.metadata import version

import libcachesim

REQUESTS = 60_000
FRAMES = [20, 64, 333, 1000]
POLICIES = {
    "lru": libcachesim.LRU,
    "fifo": libcachesim.FIFO,
    "clock": libcachesim.Clock,
    "sieve": libcachesim.Sieve,
    "s3-fifo": libcachesim.S3FIFO,
    "2q": libcachesim.TwoQ,
    "arc": libcachesim.ARC,
}


def glibc_rand(seed):
    """rand() of the GNU C library: r[i] = r[i - 3] + r[i - 31], without the lowest bit."""
    r = [seed]
    for i in range(1, 31):
        r.append(16807 * r[i - 1] % 2147483647)
    for i in range(31, 34):
        r.append(r[i - 31])
    while True:
        r.append((r[-31] + r[-3]) % 2**32)
        if len(r) > 344:
            yield r[-1] >> 1
        if len(r) > 1000:
            r = r[-344:]


def zipf(rand):
    """Each of 2^12 pages, the first 2^11, ..., the first 2 are as likely to be drawn from: about 1 / page."""
    pages = 2 << next(rand) % 12
    return next(rand) % pages


def traces():
    rand = glibc_rand(1)
    yield "zipf", [zipf(rand) for _ in range(REQUESTS)]

    # Nine of ten requests go to a tenth of 5,000 pages.
    rand = glibc_rand(2)
    skewed = []
    for _ in range(REQUESTS):
        hot = next(rand) % 10 < 9
        skewed.append(next(rand) % 500 if hot else 500 + next(rand) % 4500)
    yield "skewed", skewed

    # 2,000 requests as above, 500 pages in a row that come back after 20 such scans, and so on.
    rand = glibc_rand(3)
    scans = []
    for i in range(REQUESTS):
        scan, step = divmod(i, 2500)
        scans.append(zipf(rand) if step < 2000 else 10_000 + scan % 20 * 500 + step - 2000)
    yield "scans", scans

    # Round and round over 1,100 pages, every fourth request a page near by.
    rand = glibc_rand(4)
    yield "loop", [i % 1100 if i % 4 else (i + next(rand) % 200) % 1100 for i in range(REQUESTS)]


def misses(policy, frames, pages):
    cache = policy(cache_size=frames, hashpower=16)
    request = libcachesim.Request()
    request.obj_size = 1
    missed = 0
    for page in pages:
        request.obj_id = page + 1
        missed += not cache.get(request)
    return missed


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "misses.csv")
    with open(path, "w") as out:
        release = f"libcachesim {version('libcachesim')} from PyPI"
        print(f"# {release}, defaults; recorded with: python record.py", file=out)
        print("trace,policy,frames,misses", file=out)
        for trace, pages in traces():
            for name, policy in POLICIES.items():
                for frames in FRAMES:
                    print(f"{trace},{name},{frames},{misses(policy, frames, pages)}", file=out)


if __name__ == "__main__":
    main()
