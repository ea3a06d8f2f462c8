# mutants.py: drops each barrier, fence and wait of the kernels' PTX in turn, one place in the
# sources at a time, and tells which of the checks notices, and how.
# usage: mutants.py CHECK [--json FILE] [place...]
#   CHECK: ghz_device_check_ptx. Ends with status 1 if a mutant lives that is not in `idle`.
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
TRIES = 5  # checks that reach a place: the quickest first
MODES = [{}, {"PTX_WEAK": "1", "PTX_APART": "1", "SIMT_RESIDENT": "16"}]

# Places whose instruction may go without anything changing, and why.
idle = {}

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
    """What instructions at which places of the sources a check runs; and its seconds."""
    with tempfile.NamedTemporaryFile() as counts:
        status, said, seconds = run(check, name, {"PTX_COUNTS": counts.name})
        if status:
            sys.exit(f"{name} fails as it is:\n{said}")
        rows = [line.rstrip("\n").split("\t") for line in open(counts.name)]
    found = {(row[2], row[1].split(" ")[0]) for row in rows if DROPPED.match(row[2])}
    return {f"{opcode} {place}" for opcode, place in found if OURS.match(place)}, seconds


def how_noticed(said):
    for word, name in HOW:
        if word in said:
            return name
    return "no end" if said == "no end" else "other bytes"


def verdict(check, mutant, names):
    for mode in MODES:
        for name in names[:TRIES]:
            status, said, _ = run(check, name, {**mode, "PTX_DROP": mutant})
            if status:
                return how_noticed(said), name + (" (apart, weak)" if mode else "")
    return "lives", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check")
    parser.add_argument("--json")
    parser.add_argument("places", nargs="*")
    options = parser.parse_args()
    names = subprocess.run([options.check, "--list"], capture_output=True, text=True, check=True).stdout.split()
    reached = collections.defaultdict(list)
    for name in names:
        mutants, seconds = places_of(options.check, name)
        for mutant in mutants:
            reached[mutant].append((seconds, name))
    table, lives = {}, []
    for mutant in sorted(reached):
        if options.places and not any(place in mutant for place in options.places):
            continue
        how, by = verdict(options.check, mutant, [name for _, name in sorted(reached[mutant])])
        table[mutant] = (how, by)
        if how == "lives" and mutant not in idle:
            lives.append(mutant)
        print(f"{mutant:55} {how:30} {by}", flush=True)
    if options.json:
        json.dump(table, open(options.json, "w"), indent=1)
    counted = collections.Counter((mutant.split(" ")[0], how) for mutant, (how, _) in table.items())
    for (opcode, how), number in sorted(counted.items()):
        print(f"{opcode:20} {how:30} {number}")
    print(f"{len(table)} mutants, {len(lives)} live unexplained")
    return bool(lives) or not table


if __name__ == "__main__":
    sys.exit(main())
