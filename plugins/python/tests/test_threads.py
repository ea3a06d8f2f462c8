# test_threads.py: owns tests of threads, of the GIL, and of fork().
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ghz
from conftest import field
from ghz._settings import Settings


def work(s: ghz.Stream) -> bytes:
    total = ghz.sum([s, s * 1.0, s])
    return (
        bytes(total)
        + s[3:5, :, 10].tobytes()
        + s.decompress().tobytes()
        + repr(s.summary()).encode()
    )


@pytest.mark.parametrize("count", [1, 2, 3])
def test_one_stream_many_threads(count: int) -> None:
    s = ghz.compress(field((20, 40, 50)), abs=1e-3)
    wanted = work(s)
    with ThreadPoolExecutor(12) as pool:

        def run(number: int) -> bool:
            with ghz.threads(1 + number % count):
                if number % 5 == 0:  # an error of one thread is not another's
                    with pytest.raises(ghz.MismatchError, match="step"):
                        s + ghz.compress(np.asarray(s), abs=1)
                return work(s) == wanted

        assert all(pool.map(run, range(120)))


def test_one_file_many_threads(tmp_path: Path) -> None:
    """Reads of a file share its memory, so they take turns."""
    x = np.random.default_rng(0).normal(size=(64, 128, 128)).astype("f4")
    ghz.save(tmp_path / "x.ghz", x, abs=1e-3, pack=2)
    y = ghz.open(tmp_path / "x.ghz").decompress()
    together = threading.Barrier(8)

    def run(f: ghz.File, number: int) -> bool:
        together.wait()
        return all(np.array_equal(f[a : a + 9], y[a : a + 9]) for a in range(7 * number, 60, 8))

    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            f = ghz.open(tmp_path / "x.ghz")
            assert all(pool.map(run, [f] * 8, range(8)))


def test_setting_threads() -> None:
    assert ghz.get_threads() == 1
    with ghz.threads(3):
        assert ghz.get_threads() == 3
        seen: list[int] = []
        other = threading.Thread(target=lambda: seen.append(ghz.get_threads()))
        other.start()
        other.join()
        assert seen == [1]  # a setting of this thread alone
    try:
        ghz.set_threads(2)
        assert ghz.get_threads() == 2
    finally:
        ghz.set_threads(1)
    for bad in (-1, 5000):
        with pytest.raises(ghz.ArgumentError):
            ghz.set_threads(bad)


def test_gil_is_released() -> None:
    """A thread that counts goes on while another compresses."""
    x = np.random.default_rng(0).normal(size=1 << 22)
    switches, ended = 0, False

    def count() -> None:
        nonlocal switches
        while not ended:
            switches += 1
            time.sleep(0)

    other = threading.Thread(target=count)
    before = 0
    other.start()
    try:
        for _ in range(20):
            start = switches
            ghz.compress(x, abs=1e-6)
            before = max(before, switches - start)
    finally:
        ended = True
        other.join()
    assert before > 50  # a call that held the GIL would let it run once or twice


@pytest.mark.parametrize("what", ["codec", "file"])
def test_fork_while_threads_work(what: str, tmp_path: Path) -> None:
    """No lock is met in a child as other threads left it."""
    x = field((16, 32))
    ghz.save(tmp_path / "x.ghz", np.tile(x, (40, 1)), abs=1e-3)
    file, codec = ghz.open(tmp_path / "x.ghz"), Settings(abs=1e-3)
    stream = ghz.compress(x, abs=1e-3)
    ended = False

    def once() -> bool:
        if what == "file":
            return np.array_equal(file[320:336], file[320:336])
        return codec.compress(codec.decompress(stream)).nbytes > 0

    def busy() -> None:
        while not ended:
            once()

    threads = [threading.Thread(target=busy) for _ in range(6)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(150):
            number = os.fork()
            if number == 0:
                signal.alarm(10)
                os._exit(0 if once() else 1)
            assert os.waitpid(number, 0)[1] == 0
    finally:
        ended = True
        for thread in threads:
            thread.join()


def child(data: Any, queue: Any) -> None:
    queue.put(work(data))


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("count", [1, 2])
def test_processes(method: str, count: int) -> None:
    """Streams go to children, and children work: also where the parent used several threads."""
    s = ghz.compress(field((20, 40, 50)), abs=1e-3)
    with ghz.threads(count):
        wanted = work(s)
        context: Any = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=child, args=(s, queue))
        process.start()
        try:
            assert queue.get(timeout=60) == wanted
        finally:
            process.join(10)
            process.kill()
