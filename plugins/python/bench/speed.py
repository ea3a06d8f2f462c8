# speed.py: owns the measurement of Python against C: one array, in turns, in one run.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: python speed.py SPEED [MIB [ROUNDS]]

SPEED: the program made of speed.c: cc -O2 -I ghz speed.c libghz.a -fopenmp -lm -lzstd. One thread,
whose processor time counts, the system's for it too: other work on the machine matters little.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import ghz

BOUND = 1e-4


def field(mebibytes: int) -> Any:
    """A wave with a little noise, of 64 planes."""
    random = np.random.default_rng(0)
    y, x = np.ogrid[0 : 8 * mebibytes, 0:512]
    plane = np.sin(x / 40) * np.cos(y / 50)
    planes = [plane * np.cos(z / 9) + random.normal(0, 2e-4, plane.shape) for z in range(64)]
    return np.array(planes, "f4")


def timed(work: Callable[[], object]) -> tuple[float, int]:
    """Returns the processor's seconds and the page faults of a call; what it makes is freed after that."""
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    begin = time.thread_time()
    made = work()
    taken = time.thread_time() - begin
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    del made
    return taken, faults


def main(program: str, mebibytes: int = 64, rounds: int = 31) -> None:
    x = field(mebibytes)
    s = ghz.compress(x, rel=BOUND)
    out = np.empty_like(x)
    rows: dict[str, tuple[str, Callable[[], object]]] = {
        "compress": ("c", lambda: ghz.compress(x, rel=BOUND)),
        "decompress, new array": ("d", s.decompress),
        "decompress, out=": ("o", lambda: s.decompress(out)),
    }
    with tempfile.NamedTemporaryFile() as file:
        x.tofile(file.name)
        command = [program, file.name, *map(str, x.shape), str(BOUND)]
        c = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert c.stdin and c.stdout
        print(
            f"{x.nbytes / 2**20:g} MiB, ratio {s.ratio:.4g}, {ghz.features['isa']}, {rounds} rounds"
        )
        print(f"{'':24}{'C ms':>8}{'Python ms':>11}{'Python/C':>10}{'faults':>8}")
        for name, (letter, work) in rows.items():
            ours, theirs, faults = [], [], 0
            for number in range(rounds + 2):  # two to warm up
                c.stdin.write(letter + "\n")
                c.stdin.flush()
                other = float(c.stdout.readline())
                own, faults = timed(work)
                if number > 1:
                    theirs.append(other)
                    ours.append(own)
            ratio = median(a / b for a, b in zip(ours, theirs))
            times = f"{median(theirs) * 1e3:8.2f}{median(ours) * 1e3:11.2f}"
            print(f"{name:24}{times}{ratio:10.3f}{faults:8}")
        c.stdin.close()
        c.wait()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
