# test_dask.py: owns the tests of Dask arrays whose chunks are streams: no chunk is decompressed
# before the end.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

import ghz
import ghz.dask
from conftest import error, field


@pytest.fixture
def decompressed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The shapes of what was decompressed."""
    seen: list[Any] = []
    for name in ("_read_all", "_read_box"):

        def read(self: Any, *what: Any, real: Any = getattr(ghz.Stream, name)) -> None:
            seen.append(self.shape)
            real(self, *what)

        monkeypatch.setattr(ghz.Stream, name, read)
    return seen


def members(count: int = 7) -> np.ndarray:
    return np.stack([field((30, 40), seed=seed) for seed in range(count)])


def test_chunks_stay_compressed(decompressed: list[Any]) -> None:
    values = members()
    wide = values.astype("f8")
    every = ghz.dask.compress(da.from_array(values, chunks=(1, 30, 25)), abs=1e-3)
    mean, total = ghz.dask.mean(every, 0), ghz.dask.sum(every, axis=-3)
    anomalies = ghz.dask.subtract(every, mean)
    twice = 2 * every + every - every / 4
    assert every.chunks == anomalies.chunks == ((1,) * 7, (30,), (25, 15))
    assert mean.shape == total.shape == (30, 40) and mean.dtype == np.float32
    every, mean, total, anomalies, twice = dask.persist(every, mean, total, anomalies, twice)
    chunks = [chunk for chunk in twice.to_delayed().ravel()] + list(mean.to_delayed().ravel())
    kinds = dask.compute(*[dask.delayed(lambda chunk: type(chunk))(chunk) for chunk in chunks])
    assert set(kinds) == {ghz.Stream}
    assert not decompressed
    for found, want, bound in (
        (every, wide, 1e-3),
        (mean, wide.mean(0), 1.01e-3),
        (total, wide.sum(0), 7e-3),
        (anomalies, wide - wide.mean(0), 2.01e-3),
        (twice, 2.75 * wide, 3.25e-3),
    ):
        decompressed.clear()
        got = ghz.dask.decompress(found).compute()
        assert type(got) is np.ndarray and error(got, want) <= bound + 1e-6
        assert len(decompressed) == found.npartitions
        assert np.array_equal(found.compute(), got)  # which Dask decompresses


def test_the_bytes_are_those_of_the_library() -> None:
    values = members(3)
    every = ghz.dask.compress(da.from_array(values, chunks=(1, 30, 40)), abs=1e-3)
    streams = [ghz.compress(v[None], abs=1e-3) for v in values]
    want = ghz.Stream.from_bytes(bytes(ghz.mean(streams)), (30, 40))
    (chunk,) = ghz.dask.mean(every, 0).to_delayed().ravel()
    assert chunk.compute() == want
    assert dask.sizeof.sizeof(want) == want.nbytes


def test_files(tmp_path: Path, decompressed: list[Any]) -> None:
    values = members(4)
    for i, v in enumerate(values):
        ghz.save(tmp_path / f"{i}.ghz", v, abs=1e-3)
    paths = [tmp_path / f"{i}.ghz" for i in range(4)]
    every = ghz.dask.open(paths)
    assert every.shape == (4, 30, 40) and every.chunks[0] == (1,) * 4
    anomalies = ghz.dask.subtract(every, ghz.dask.mean(every, 0)).persist()
    assert not decompressed
    assert error(anomalies.compute(), values - values.mean(0)) <= 2.01e-3
    assert error(every[2, 3:5].compute(), values[2, 3:5]) <= 1e-3
    assert ghz.dask.open([ghz.open(paths[0])]).shape == (1, 30, 40)
    again = pickle.loads(pickle.dumps(every))
    assert np.array_equal(again.compute(), every.compute())
    ghz.save(tmp_path / "other.ghz", values[0, :10], abs=1e-3)
    ghz.append(tmp_path / "0.ghz", values[0])
    for files, what in (
        ([], "no file"),
        ([paths[1], tmp_path / "other.ghz"], "other.ghz: float32, shape .10, 40.; .*1.ghz is"),
        ([tmp_path / "0.ghz"], "0.ghz: has 2 streams"),
    ):
        with pytest.raises(ghz.ArgumentError, match=what):
            ghz.dask.open(files)
    with pytest.raises(FileNotFoundError):
        ghz.dask.open([tmp_path / "none.ghz"])


def test_what_does_not_go_together() -> None:
    values = da.from_array(members(4), chunks=(2, 30, 40))
    every = ghz.dask.compress(values, abs=1e-3)
    with pytest.raises(ghz.ArgumentError, match=r"chunks of extents \(2, 2\) along axis 0"):
        ghz.dask.mean(every, 0)
    with pytest.raises(IndexError):
        ghz.dask.sum(every, 3)
    one = ghz.dask.compress(values.rechunk((1, 30, 40)), abs=1e-3)
    mean = ghz.dask.mean(one, 0)
    with pytest.raises(ghz.ArgumentError, match=r"axis 0: chunks \(2, 2\) must be 1"):
        ghz.dask.subtract(every, mean)
    with pytest.raises(ghz.ArgumentError, match="axis 2: chunks"):
        ghz.dask.subtract(
            one, ghz.dask.mean(ghz.dask.compress(values.rechunk((1, 30, 9)), abs=1), 0)
        )
    with pytest.raises(TypeError, match="a chunk is ndarray, no stream: take ghz.dask.compress"):
        ghz.dask.mean(values.rechunk((1, 30, 40)), 0).compute()
    with pytest.raises(TypeError, match="float16"):
        ghz.dask.compress(values.astype("f2"), abs=1)
    for bound in ({}, {"abs": 1, "like": ghz.lattice(members(1), abs=1)}):
        with pytest.raises(ghz.ArgumentError, match="give abs= or like="):
            ghz.dask.compress(values, **bound)
    other = ghz.dask.compress(values, like=ghz.lattice(members(1), abs=1.7e-3))
    with pytest.raises(ghz.MismatchError):
        ghz.dask.subtract(every, other).compute()
