# mutants.py: drops each barrier, fence and wait of the kernels' PTX in turn, one place in the
# sources at a time, and tells which of the checks notices, and how.
# usage: mutants.py CHECK [--reached FILE] [--checks NAME,NAME...] [place...]
#   CHECK: ghz_device_check_ptx. FILE keeps what checks reach which places, for the next time.
#   Ends with status 1 if more live than IDLE says.
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

DROPPED = re.compile(r"^(bar\.sync|bar\.warp\.sync|membar\.|fence\.|cp\.async\.wait)")
OURS = re.compile(r"^(?!agent_|block_|device_|warp_|util_|thread_|single_pass|kernel_|grid_|dispatch)[a-z_]+\.(cu|cuh):\d+$")
QUICKEST, BUSIEST = 2, 3  # checks that are tried first of those that reach a place
APART = {"PTX_WEAK": "1", "PTX_APART": "1", "SIMT_RESIDENT": "16"}

# How many mutants may live in a file, and why. Lines would change with every edit.
IDLE = {
    ("bar.sync", "target.cuh"): 1,  # take(): the barrier behind the next lines orders as much
    ("bar.sync", "operand_headers.cuh"): 1,  # the last one: take() has a barrier before anything is read
    ("membar.gl", "target.cuh"): 2,  # look_back() in place: its callers have fences on both sides
    ("membar.sys", "target.cuh"): 1,  # the end of a launch shows the host what it wrote, too
    ("bar.warp.sync", "add_pair.cuh"): 1,  # the last one: a barrier of the block follows
    ("bar.warp.sync", "brick_encode.cuh"): 1,  # the last one: a barrier of the block follows
    ("bar.warp.sync", "constant.cuh"): 1,  # form_constant(), the last one: likewise
    ("bar.warp.sync", "decompress.cu"): 1,  # behind staged integers of 64 bits: decode_tile() has one before it writes
}

HOW = [
    ("race: global", "race in global memory"),
    ("race:", "race in shared memory"),
    ("uninitialised", "uninitialised shared memory"),
    ("nobody waited", "copy not waited for"),
    ("deadlock", "deadlock"),
    ("livelock", "livelock"),
    ("out of bounds", "out of bounds"),
    ("misaligned", "misaligned"),
]


def run(check, name, more, limit=300):
    """Status, what was said, seconds."""
    began = time.monotonic()
    try:
        ran = subprocess.run([check, "--quick", name], env={**os.environ, **more}, capture_output=True, timeout=limit)
        status, said = ran.returncode, (ran.stdout + ran.stderr).decode(errors="replace")
    except subprocess.TimeoutExpired:
        status, said = 1, "no end"
    return status, said, time.monotonic() - began


def places_of(check, name):
    """How often a check runs which mutants' instructions; and its seconds."""
    with tempfile.NamedTemporaryFile() as counts:
        status, said, seconds = run(check, name, {"PTX_COUNTS": counts.name})
        if status:
            sys.exit(f"{name} fails as it is:\n{said}")
        rows = [line.rstrip("\n").split("\t") for line in open(counts.name)]
    runs = collections.Counter()
    for _, place, opcode, number in rows:
        place = place.split(" ")[0]
        if int(number) and DROPPED.match(opcode) and OURS.match(place):
            runs[f"{opcode} {place}"] += int(number)
    return runs, seconds


def all_reached(check, names, keep):
    """Of each mutant: seconds, runs and name of the checks that reach it."""
    if keep and os.path.exists(keep):
        return json.load(open(keep))
    reached = collections.defaultdict(list)
    for name in names:
        runs, seconds = places_of(check, name)
        for mutant, number in runs.items():
            reached[mutant].append((seconds, number, name))
    if keep:
        json.dump(reached, open(keep, "w"))
    return reached


def how_noticed(said):
    for word, name in HOW:
        if word in said:
            return name
    return "no end" if said == "no end" else "other bytes"


def tries(checks):
    """The runs that are tried, in order: some checks, the same with lanes apart, all others."""
    quickest = [name for _, _, name in sorted(checks)]
    busiest = [name for _, _, name in sorted(checks, key=lambda check: -check[1])]
    first = quickest[:QUICKEST] + [name for name in busiest if name not in quickest[:QUICKEST]][:BUSIEST]
    yield from ((name, {}) for name in first)
    yield from ((name, APART) for name in first)
    yield from ((name, {}) for name in quickest if name not in first)


def verdict(check, mutant, checks):
    for name, mode in tries(checks):
        status, said, _ = run(check, name, {**mode, "PTX_DROP": mutant})
        if status:
            return how_noticed(said), name + (" (apart, weak)" if mode else "")
    return "lives", ""


def too_many(lives):
    """Whether more live in a file than may."""
    alive = collections.Counter((mutant.split(" ")[0], mutant.split(" ")[1].split(":")[0]) for mutant in lives)
    return any(number > IDLE.get(place, 0) for place, number in alive.items())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check")
    parser.add_argument("--reached")
    parser.add_argument("--checks")
    parser.add_argument("places", nargs="*")
    options = parser.parse_intermixed_args()
    listed = subprocess.run([options.check, "--list"], capture_output=True, text=True, check=True).stdout.split()
    names = options.checks.split(",") if options.checks else listed
    reached = all_reached(options.check, names, options.reached)
    table, lives = {}, []
    for mutant in sorted(reached):
        if options.places and not any(place in mutant for place in options.places):
            continue
        how, by = table[mutant] = verdict(options.check, mutant, reached[mutant])
        if how == "lives":
            lives.append(mutant)
        print(f"{mutant:55} {how:30} {by}", flush=True)
    counted = collections.Counter((mutant.split(" ")[0], how) for mutant, (how, _) in table.items())
    for (opcode, how), number in sorted(counted.items()):
        print(f"{opcode:20} {how:30} {number}")
    print(f"{len(table)} mutants, {len(lives)} live")
    return too_many(lives) or not table


if __name__ == "__main__":
    sys.exit(main())
