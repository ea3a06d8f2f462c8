#!/usr/bin/env python3
# hdf5_mean.py: measures the mean of ten HDF5 files: on their chunks by `ghz mean`, and by reading,
# adding and writing in h5py through the same filter. One thread each, files in the page cache.
# usage: hdf5_mean.py GHZ FIELD.f32 SHAPE CHUNK [REL]    the command; float32 values; as 1800x3600
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import h5py
import numpy as np
import numpy.typing as npt

import ghz

FILES, STEPS, ROUNDS = 10, 4, 9
Floats = npt.NDArray[np.float32]


def sizes(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split("x"))


def write(path: pathlib.Path, values: Floats, chunks: tuple[int, ...], bound: float) -> None:
    with h5py.File(path, "w", rdcc_nbytes=0) as f:
        f.create_dataset("v", data=values, chunks=chunks, **ghz.Hdf5(abs=bound))


def read_add_write(
    files: list[pathlib.Path], out: pathlib.Path, chunks: tuple[int, ...], bound: float
) -> None:
    total = buffer = None
    for path in files:
        with h5py.File(path, rdcc_nbytes=0) as f:  # whole chunks need no cache, which is faster
            if total is None:
                total = f["v"][:]
                buffer = np.empty_like(total)
                continue
            f["v"].read_direct(buffer)
        total += buffer
    total *= np.float32(1 / len(files))
    write(out, total, chunks, bound)


def clocks() -> tuple[float, float]:
    """Seconds that went by, and of the processor, with that of children."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    usage = [resource.getrusage(who) for who in whose]
    return time.perf_counter(), sum(u.ru_utime + u.ru_stime for u in usage)


def measure(actions: dict[str, Callable[[], None]]) -> dict[str, list[tuple[float, float]]]:
    """Both clocks for each round, in which all take turns; the first one warms up."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in actions}
    for number in range(ROUNDS + 1):
        for name, action in actions.items():
            start = clocks()
            action()
            end = clocks()
            if number:
                seconds[name].append((end[0] - start[0], end[1] - start[1]))
    return seconds


def report(seconds: dict[str, list[tuple[float, float]]]) -> None:
    """Medians, and least and greatest; on a busy machine those of the processor tell more."""
    for clock, title in enumerate(("by the clock", "of the processor")):
        columns = [[times[clock] for times in rounds] for rounds in seconds.values()]
        for label, times in zip(seconds, columns, strict=True):
            low, middle, high = (1e3 * f(times) for f in (min, statistics.median, max))
            print(f"{label:18} {middle:7.1f} ms ({low:.1f} to {high:.1f}) {title}")
        low, high = (statistics.median(times) for times in reversed(columns))
        print(f"{'ratio':18} {high / low:7.1f}    {title}")


def check(a: pathlib.Path, b: pathlib.Path, bound: float) -> None:
    with h5py.File(a) as f, h5py.File(b) as g:
        error = float(np.abs(f["v"][:].astype("f8") - g["v"][:]).max())
    # Each is within the bound of its own, and float32 sums round.
    if not error <= 2.1 * bound:
        sys.exit(f"the means differ by {error}")


def main() -> None:
    command, field = sys.argv[1:3]
    shape, chunks = sizes(sys.argv[3]), (1, *sizes(sys.argv[4]))
    rel = float(sys.argv[5]) if len(sys.argv) > 5 else 1e-4
    values = np.fromfile(field, "<f4").reshape(shape)
    bound = rel * float(values.max() - values.min())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = [folder / f"{number}.h5" for number in range(FILES)]
        for number, path in enumerate(files):  # the field moves from step to step and file to file
            steps = [np.roll(values, 7 * number + 50 * step, -1) for step in range(STEPS)]
            write(path, np.stack(steps), chunks, bound)
        ours, theirs = folder / "ours.h5", folder / "theirs.h5"
        words = [command, "mean", *map(str, files), "--var", "v", "-T", "1", "-q", "-f", "-o", ours]
        seconds = measure(
            {
                "read, add, write": lambda: read_add_write(files, theirs, chunks, bound),
                "ghz mean": lambda: subprocess.run(words, check=True).check_returncode(),
            }
        )
        check(ours, theirs, bound)
        stored = sum(os.path.getsize(path) for path in files)
    size = STEPS * values.nbytes
    print(f"{FILES} files of {size / 2**20:.0f} MiB, {FILES * size / stored:.1f} to 1")
    report(seconds)


if __name__ == "__main__":
    main()
