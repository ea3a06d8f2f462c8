# zarr_ensemble.py: owns the measurement of ghz.zarr against xarray and Dask on the same stores.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: zarr_ensemble.py CLIMATE.f32 [FOLDER]

CLIMATE.f32: the field that `ghz-fields --only climate` makes. FOLDER: where the stores are kept
meanwhile; by default in the system's folder for such things.

Thirteen members of two steps of the field, each turned round by another longitude, and one store of
240 steps of a part of it; a chunk is a step, all with the codec ghz and a bound of 0.01 K. In each
round xarray with Dask and ghz.zarr follow each other, with the same number of threads and the same
codec of the result:

  mean       of the members
  anomalies  of all members from it
  time       the mean of the 240 steps
  seasons    the means of four groups of the 240 steps, weighted by whole numbers

Prints medians of the rounds in milliseconds, and the quotient within a round: median, least,
greatest.
"""

from __future__ import annotations

import pathlib
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dask
import numpy as np
import xarray
import zarr

import ghz.zarr

MEMBERS, STEPS, ROUNDS, THREADS = 13, 240, 5, (1, 2)
SHAPE, PART = (1800, 3600), (450, 900)
BOUND = 0.01
CODEC: dict[str, Any] = {"serializer": ghz.zarr.GhzCodec(abs=BOUND), "compressors": None}


def write(
    path: pathlib.Path, steps: list[np.ndarray], chunks: tuple[int, ...], number: int
) -> None:
    tas = xarray.DataArray(np.stack(steps), dims=("time", "lat", "lon"), attrs={"units": "K"})
    tas = tas.assign_coords(time=np.arange(len(steps)), realization=number)
    tas.to_dataset(name="tas").to_zarr(path, encoding=encoding(chunks), zarr_format=3)


def encoding(chunks: tuple[int, ...]) -> dict[str, Any]:
    return {"tas": {"chunks": chunks, **CODEC}}


def make(folder: pathlib.Path, field: np.ndarray) -> None:
    """Writes the members and the store of many steps."""
    chunks = (1, SHAPE[0] // 2, SHAPE[1] // 2)
    for member in range(MEMBERS):
        steps = [np.roll(field, 277 * member + 37 * step, axis=1) for step in range(2)]
        write(folder / f"member{member}.zarr", steps, chunks, member)
    part = field[: PART[0]]
    steps = [np.roll(part, 15 * step, axis=1)[:, : PART[1]] for step in range(STEPS)]
    write(folder / "steps.zarr", steps, (1, *PART), 0)


def opened(path: pathlib.Path) -> Any:
    return xarray.open_zarr(path)


def members_of(folder: pathlib.Path) -> list[pathlib.Path]:
    return [folder / f"member{member}.zarr" for member in range(MEMBERS)]


def together(folder: pathlib.Path) -> Any:
    every = [opened(path) for path in members_of(folder)]
    return xarray.concat(every, "realization", coords="minimal", compat="override")


def store(data: Any, out: pathlib.Path) -> None:
    for name in ("tas", *data.coords):
        data[name].encoding.clear()
    chunks = tuple(sizes[0] for sizes in data.tas.chunks)
    data.to_zarr(out, encoding=encoding(chunks), zarr_format=3)


def weights() -> np.ndarray:
    return 28 + np.arange(STEPS) % 4


def labels() -> np.ndarray:
    return np.arange(STEPS) // 3 % 4


# ---- xarray and Dask ----


def dask_mean(folder: pathlib.Path, out: pathlib.Path, pool: Any) -> None:
    store(together(folder).mean("realization"), out)


def dask_anomalies(folder: pathlib.Path, out: pathlib.Path, pool: Any) -> None:
    mean = together(folder).mean("realization").load()
    for path in members_of(folder):
        store(opened(path) - mean, out / path.name)


def dask_time(folder: pathlib.Path, out: pathlib.Path, pool: Any) -> None:
    store(opened(folder / "steps.zarr").mean("time"), out)


def dask_seasons(folder: pathlib.Path, out: pathlib.Path, pool: Any) -> None:
    """As xarray's own documentation averages over seasons."""
    data = opened(folder / "steps.zarr").assign_coords(group=("time", labels()))
    days = xarray.DataArray(weights(), dims="time", coords={"group": data.group})
    parts = days.groupby("group") / days.groupby("group").sum()
    store((data * parts).groupby("group").sum("time").astype("f4"), out)


# ---- ghz ----


def ghz_mean(folder: pathlib.Path, out: pathlib.Path, pool: Any) -> None:
    ghz.zarr.mean(members_of(folder), out, map=pool.map)


def ghz_anomalies(folder: pathlib.Path, out: pathlib.Path, pool: Any) -> None:
    ghz.zarr.anomalies(members_of(folder), out, map=pool.map)


def ghz_time(folder: pathlib.Path, out: pathlib.Path, pool: Any) -> None:
    ghz.zarr.mean(folder / "steps.zarr", out, axis="time", map=pool.map)


def ghz_seasons(folder: pathlib.Path, out: pathlib.Path, pool: Any) -> None:
    ghz.zarr.mean(
        folder / "steps.zarr", out, axis="time", by=labels(), weights={"time": weights()},
        map=pool.map,
    )  # fmt: skip


Way = Callable[[pathlib.Path, pathlib.Path, Any], None]
TASKS: dict[str, tuple[Way, Way]] = {
    "mean": (dask_mean, ghz_mean),
    "anomalies": (dask_anomalies, ghz_anomalies),
    "time": (dask_time, ghz_time),
    "seasons": (dask_seasons, ghz_seasons),
}


def measure(folder: pathlib.Path, ways: tuple[Way, Way], threads: int) -> list[list[float]]:
    """Returns milliseconds of each round, by way."""
    taken: list[list[float]] = [[], []]
    zarr.config.set({"threading.max_workers": threads, "async.concurrency": threads})
    with ThreadPoolExecutor(threads) as pool, dask.config.set(pool=pool):
        for turn in range(ROUNDS + 1):
            for number, way in enumerate(ways):
                out = folder / f"out{number}"
                shutil.rmtree(out, ignore_errors=True)
                begin = time.perf_counter()
                way(folder, out, pool)
                if turn:  # the first round warms up
                    taken[number].append(1000 * (time.perf_counter() - begin))
    return taken


def check(folder: pathlib.Path) -> None:
    """Sees to it that both ways give the same: xarray's result is compressed once more."""
    names = [""] if (folder / "out0" / "tas").exists() else [p.name for p in members_of(folder)]
    for name in names:
        one, two = (opened(folder / way / name).tas.astype("f8") for way in ("out0", "out1"))
        if float(abs(one.values - two.values).max()) > 4 * BOUND:
            raise SystemExit(f"the ways differ: {name}")


def main(source: str, where: str | None = None) -> None:
    warnings.simplefilter("ignore")
    field = np.fromfile(source, "<f4").reshape(SHAPE)
    print("task       threads    dask     ghz   dask / ghz (ms)")
    with tempfile.TemporaryDirectory(dir=where) as name:
        folder = pathlib.Path(name)
        make(folder, field)
        for task, ways in TASKS.items():
            for threads in THREADS:
                taken = measure(folder, ways, threads)
                check(folder)
                each = [a / b for a, b in zip(*taken)]
                medians = [statistics.median(ms) for ms in taken]
                line = f"{task:10} {threads:7}{medians[0]:8.0f}{medians[1]:8.0f}   "
                line += f"{statistics.median(each):5.1f} ({min(each):.1f} to {max(each):.1f})"
                print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
