# zarr_mean.py: owns the measurement of ghz.zarr.mean against reading, adding and writing arrays.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: zarr_mean.py CLIMATE.f32 [FOLDER]

CLIMATE.f32: the field that `ghz-fields --only climate` makes. FOLDER: where the stores are kept
meanwhile; by default in the system's folder for such things.

Ten stores, each of three steps of the field (78 MB), each step turned round by another longitude,
in chunks of 6.5 MB. For two bounds and for one and two threads, three ways to their mean follow
each other in each of seven rounds, with the same codec and the same number of threads:

  zarr  each thread takes a chunk: Zarr reads it from each store, NumPy adds in place, Zarr writes
  bare  the same without Zarr: files are read and written, chunks are decompressed to memory that is
        reused. It is the least that reading, adding and writing can take.
  mean  ghz.zarr.mean

Prints medians of the rounds, and the quotients of the ways within a round: median, least, greatest.
The processor's time is what all threads take together; other programs disturb it less.
"""

from __future__ import annotations

import itertools
import pathlib
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import zarr

import ghz
import ghz.zarr

STORES, ROUNDS = 10, 7
SHAPE, CHUNKS = (3, 1800, 3600), (1, 900, 1800)
PLACES = list(itertools.product(*(range(n // c) for n, c in zip(SHAPE, CHUNKS))))
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}

Place = tuple[int, ...]
Paths = list[pathlib.Path]
memory = threading.local()


def write_stores(folder: pathlib.Path, field: np.ndarray, bound: float) -> Paths:
    paths = [folder / f"{store}.zarr" for store in range(STORES)]
    for store, path in enumerate(paths):
        steps = [np.roll(field, 360 * store + 37 * step, axis=1) for step in range(SHAPE[0])]
        create(path, ghz.zarr.GhzCodec(abs=bound))[...] = np.stack(steps)
    return paths


def create(path: pathlib.Path, codec: Any) -> Any:
    shapes: Any = {"shape": SHAPE, "chunks": CHUNKS, "dtype": "f4"}
    return zarr.create_array(path, serializer=codec, compressors=None, **shapes)


def buffers() -> tuple[np.ndarray, np.ndarray]:
    """Returns two arrays of a chunk, which a thread makes once."""
    if not hasattr(memory, "buffers"):
        memory.buffers = np.zeros(CHUNKS, "f4"), np.zeros(CHUNKS, "f4")
    return memory.buffers  # type: ignore[no-any-return]


def by_zarr(paths: Paths, out: pathlib.Path, pool: Any) -> None:
    arrays = [zarr.open_array(path, mode="r") for path in paths]
    result = create(out, arrays[0].serializer)

    def one(place: Place) -> None:
        box = tuple(slice(i * c, (i + 1) * c) for i, c in zip(place, CHUNKS))
        total: Any = arrays[0][box]
        for array in arrays[1:]:
            np.add(total, array[box], out=total)
        result[box] = np.divide(total, STORES, out=total)

    list(pool.map(one, PLACES))


def by_hand(paths: Paths, out: pathlib.Path, pool: Any) -> None:
    codec: Any = zarr.open_array(paths[0], mode="r").serializer

    def one(place: Place) -> None:
        key = "/".join(("c", *map(str, place)))
        total, values = buffers()
        for number, path in enumerate(paths):
            stream = ghz.Stream.from_bytes((path / key).read_bytes(), CHUNKS)
            stream.decompress(values if number else total)
            if number:
                np.add(total, values, out=total)
        np.divide(total, STORES, out=total)
        (out / key).parent.mkdir(parents=True, exist_ok=True)
        (out / key).write_bytes(bytes(codec.compress(total)))

    list(pool.map(one, PLACES))


def by_mean(paths: Paths, out: pathlib.Path, pool: Any) -> None:
    ghz.zarr.mean(paths, out, map=pool.map)


WAYS: dict[str, Callable[[Paths, pathlib.Path, Any], None]] = {
    "zarr": by_zarr,
    "bare": by_hand,
    "mean": by_mean,
}


def measure(folder: pathlib.Path, paths: Paths, threads: int) -> dict[str, dict[str, list[float]]]:
    """Returns milliseconds of each round: by clock, then by way."""
    taken: dict[str, dict[str, list[float]]] = {c: {way: [] for way in WAYS} for c in CLOCKS}
    zarr.config.set({"threading.max_workers": threads, "async.concurrency": threads})
    with ThreadPoolExecutor(threads) as pool:
        for turn in range(ROUNDS + 1):
            for way, function in WAYS.items():
                shutil.rmtree(folder / f"{way}.out", ignore_errors=True)
                begin = {clock: read() for clock, read in CLOCKS.items()}
                function(paths, folder / f"{way}.out", pool)
                if turn:  # the first round warms up
                    for clock, read in CLOCKS.items():
                        taken[clock][way].append(1000 * (read() - begin[clock]))
    return taken


def check(folder: pathlib.Path, bound: float) -> None:
    """Sees to it that the ways give the same mean: recompression costs another bound."""
    one, two = (zarr.open_array(folder / f"{way}.out")[...] for way in ("zarr", "mean"))
    if np.abs(np.subtract(one, two, dtype="f8")).max() > 2.01 * bound:
        raise SystemExit("the ways differ")


def report(
    bound: float, threads: int, ratio: float, clock: str, ms: dict[str, list[float]]
) -> None:
    line = f"{bound:5} {ratio:6.1f} {threads:7} {clock:>10}"
    line += "".join(f"{statistics.median(ms[way]):8.1f}" for way in WAYS)
    for way in ("zarr", "bare"):
        each = [a / b for a, b in zip(ms[way], ms["mean"])]
        line += f"   {statistics.median(each):5.1f} ({min(each):.1f} to {max(each):.1f})"
    print(line, flush=True)


def main(source: str, where: str | None = None) -> None:
    field = np.fromfile(source, "<f4").reshape(SHAPE[1:])
    print("bound  ratio threads      clock    zarr    bare    mean   zarr / mean, bare / mean (ms)")
    for bound in (0.1, 0.01):
        with tempfile.TemporaryDirectory(dir=where) as name:
            folder = pathlib.Path(name)
            paths = write_stores(folder, field, bound)
            size = sum(file.stat().st_size for file in folder.glob("*/c/*/*/*"))
            for threads in (1, 2):
                taken = measure(folder, paths, threads)
                check(folder, bound)
                for clock, ms in taken.items():
                    report(bound, threads, STORES * SHAPE[0] * field.nbytes / size, clock, ms)


if __name__ == "__main__":
    main(*sys.argv[1:])
