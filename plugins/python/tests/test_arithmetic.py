# test_arithmetic.py: owns tests of sums, means and other arithmetic on streams.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pytest

import ghz
from conftest import error, field


def three(shape: tuple[int, ...] = (20, 40, 50), dtype: str = "f4", **how: Any) -> Any:
    arrays = [field(shape, dtype, seed) for seed in range(3)]
    lattice = ghz.lattice(*arrays, rel=1e-3)
    return arrays, [ghz.compress(x, like=lattice, **how) for x in arrays]


@pytest.mark.parametrize("shape", [(50000,), (40, 50), (20, 40, 50), (3, 5, 2, 700)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_sums(shape: tuple[int, ...], dtype: str) -> None:
    (x, y, z), (a, b, c) = three(shape, dtype)
    x8, y8, z8 = (v.astype(np.longdouble) for v in (x, y, z))
    for stream, wanted in [
        (a + b, x8 + y8),
        (a - b, x8 - y8),
        (-a, -x8),
        (a * 2.5, x8 * 2.5),
        (3 * a, 3 * x8),
        (a / 4, x8 / 4),
        (a / 0.5, x8 / 0.5),
        (+a, x8),
        (ghz.sum([a, b, c]), x8 + y8 + z8),
        (ghz.mean([a, b, c]), (x8 + y8 + z8) / 3),
    ]:
        assert stream.shape == shape and stream.dtype == dtype
        assert error(stream.decompress(dtype="f8"), wanted) <= stream.bound
    assert (a + b).bound == pytest.approx(2 * a.bound) and ghz.mean([a, b]).bound == pytest.approx(
        a.bound
    )


def test_same_bytes_in_any_order() -> None:
    _, streams = three()
    sums = [ghz.sum(order) for order in itertools.permutations(streams)]
    a, b, c = streams
    sums += [a + b + c, c + (b + a), sum(streams), ghz.sum(iter(streams))]
    assert all(s == sums[0] for s in sums)
    assert sums[0] / 3 == ghz.mean(streams) and sums[0] / np.int64(3) == ghz.mean(streams)


def test_many() -> None:
    a = ghz.compress(field((3000,)), rel=1e-3)
    read = 0

    def streams() -> Any:
        nonlocal read
        for _ in range(1000):
            read += 1
            yield a

    total = ghz.sum(streams())
    assert read == 1000 == total.info.terms
    assert total.bound == pytest.approx(1000 * a.bound)
    assert total / 1000 == ghz.mean([a] * 1000)
    assert error((total / 1000).decompress(), a.decompress()) <= a.bound


def test_fortran() -> None:
    x, y = (field((30, 40), seed=seed, order="F") for seed in (1, 2))
    a = ghz.compress(x, rel=1e-3)
    b = ghz.compress(y, like=a)
    total = (a + b).decompress()
    assert total.flags.f_contiguous and error(total, x.astype("f8") + y) <= (a + b).bound
    with pytest.raises(ghz.MismatchError, match="in C order, the first operand has .* F order"):
        a + ghz.compress(np.ascontiguousarray(y), like=a)


def test_arrays_of_different_shapes_on_one_lattice() -> None:
    x, y = field((40, 50)), 5 * field((700,))
    both = ghz.lattice(x, y, rel=1e-3)
    assert both == ghz.lattice(np.concatenate([x.ravel(), y]), rel=1e-3)
    filled = y.copy()
    filled[3] = -999
    assert ghz.lattice(x, filled, rel=1e-3, fill_value=-999).step == both.step
    assert ghz.lattice(np.zeros(3), np.full(4, np.nan), rel=1e-3).step > 0
    assert ghz.lattice(x, abs=1e-3).bound == 1e-3


def test_extremes() -> None:
    (x, y, _), (a, b, c) = three(transform=False)
    for f, g in ((ghz.minimum, np.minimum), (ghz.maximum, np.maximum)):
        assert error(f(a, b).decompress(), g(x, y)) <= a.bound
    smooth = ghz.compress(x, like=a)
    if smooth.info.transform:
        with pytest.raises(ghz.ArgumentError):
            ghz.minimum(smooth, b)


def test_difference() -> None:
    x = field((30, 40), "f8", order="F")
    y = x.copy(order="F")
    y[17, 23] += 0.5
    a = ghz.compress(x, rel=1e-4)
    found = ghz.difference(a, ghz.compress(y, like=a))
    assert found.place == (17, 23) and found.largest.low <= 0.5 <= found.largest.high
    assert found.product == pytest.approx((x * y).sum(), rel=1e-3) and found.mismatches == 0
    nothing = ghz.compress(np.full((3, 3), np.nan), like=a)
    assert ghz.difference(nothing, nothing).place is None


def test_refused() -> None:
    x = field((20, 40, 50))
    a = ghz.compress(x, abs=1e-3)
    with pytest.raises(ghz.MismatchError, match="step"):
        a + ghz.compress(x, abs=1.7e-3)
    with pytest.raises(ghz.MismatchError, match="step"):
        ghz.sum([a, ghz.compress(x, abs=2e-3)])
    with pytest.raises(ghz.MismatchError, match="shape"):
        a + ghz.compress(x[:10], abs=1e-3)
    with pytest.raises(ghz.MismatchError, match="shape"):
        ghz.sum([a, ghz.compress(x.reshape(40, 20, 50), abs=1e-3)])
    with pytest.raises(ghz.MismatchError, match="float64"):
        ghz.compress(x.astype("f8"), like=a)
    with pytest.raises(ghz.MismatchError, match="fill_value"):
        ghz.compress(x, like=a, fill_value=3)
    with pytest.raises(ghz.MismatchError):
        a + ghz.compress(x, abs=1e-3, fill_value=3)
    for operation in (
        lambda: a + 1,
        lambda: 1 - a,
        lambda: a * a,
        lambda: a / a,
        lambda: a + "x",
        lambda: a + x,
        lambda: x + a,
        lambda: a * x,
        lambda: x * a,
        lambda: 1 / a,
        lambda: np.add(a, a),
    ):
        with pytest.raises(TypeError):
            operation()
    for product in (lambda: a * x, lambda: x * a, lambda: a * [1, 2]):
        with pytest.raises(TypeError, match="by a number: take stream.decompress.. . array; for w"):
            product()
    with pytest.raises(
        TypeError, match=r"divided by a number: take stream.decompress\(\) / array$"
    ):
        a / x
    with pytest.raises(TypeError, match="b.decompress.*product is the sum of the products"):
        a * a
    for like in (x, "a.ghz", 3):
        with pytest.raises(TypeError, match="like= takes"):
            ghz.compress(x, like=like)
    for one in (a, "a.ghz"):
        for function in (ghz.sum, ghz.mean):
            with pytest.raises(TypeError, match="give a list"):
                function(one)
            with pytest.raises(TypeError, match="give a list"):
                function(one, out="sum.ghz")
    for factor in (0, float("nan"), float("inf"), 1e300):
        with pytest.raises(ghz.ArgumentError):
            a * factor
    with pytest.raises((ghz.ArgumentError, ZeroDivisionError)):
        a / 0
    for empty in (ghz.sum, ghz.mean):
        with pytest.raises(ghz.ArgumentError):
            empty([])


def test_linear() -> None:
    (x, y, z), (a, b, c) = three()
    weighted = ghz.linear([a, b, c], [31, 31, 28], 90)
    wanted = (31 * x.astype("f8") + 31 * y.astype("f8") + 28 * z.astype("f8")) / 90
    assert error(weighted.decompress(dtype="f8"), wanted) <= weighted.bound
    assert weighted.bound == pytest.approx(a.bound) and weighted.shape == x.shape
    assert ghz.linear([a, b, c], [1, 1, 1], 3) == ghz.mean([a, b, c])
    assert ghz.linear(iter([a, b]), (np.int64(1), True)) == a + b
    assert ghz.linear([a, b], [2, -3], 7) == ghz.linear([a, b], [2, -3]) / 7


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_anomalies(dtype: str) -> None:
    arrays, streams = three(dtype=dtype)
    mean, exact = ghz.mean(streams), sum(x.astype(np.longdouble) for x in arrays) / 3
    for x, a in zip(arrays, streams, strict=True):
        anomaly = a - mean
        assert error(anomaly.decompress(dtype="f8"), x - exact) <= anomaly.bound
        assert anomaly.bound == pytest.approx(2 * a.bound, rel=1e-2)
        assert anomaly == ghz.linear([a, mean], [1, -1]) == -(mean - a)
        assert mean + a == a + mean == ghz.linear([mean, a], [1, 1])
    left = ghz.sum([a - mean for a in streams])
    assert not left.decompress().any()


@pytest.mark.parametrize("k", [1, 2, 3, 6, 7, 13])
def test_like_a_mean(k: int) -> None:
    """It is compressed on the members' lattice, and adds to the mean."""
    for dtype, bound in (("f4", {"abs": 0.01}), ("f8", {"abs": 0.01}), ("i2", {})):
        x = (1000 * field((40, 50), "f8")).astype(dtype)
        mean = ghz.mean([ghz.compress(x + np.dtype(dtype).type(i), **bound) for i in range(k)])
        like = ghz.compress(x, like=mean)
        assert like.bound <= mean.bound and error(like.decompress(), x) <= like.bound
        want = x.astype("f8") - (x.astype("f8") + (k - 1) / 2)
        assert error((like - mean).decompress(dtype="f8"), want) <= 0.0201
        if bound:
            assert (ghz.update(like, x, like=mean) - mean).bound <= 0.0201
    seventh = ghz.compress(field((40, 50)), abs=0.01) / 7
    with pytest.raises(
        ghz.ArgumentError, match="was divided, .*bound of 0.00142857[0-9]*: take like="
    ):
        ghz.compress(field((40, 50)), like=seventh)


def test_anomalies_refused() -> None:
    (x, y, z), (a, b, c) = three(dtype="f8")
    third, half = ghz.mean([a, b, c]), ghz.mean([a, b])
    with pytest.raises(ghz.MismatchError, match="neither is the other divided by a whole number"):
        third - half
    # What the message says can be had:
    difference = ghz.linear([a, b, c], [2 - 3, 2 - 3, 2], 6)
    exact = (2 * z - x - y).astype("f8") / 6
    assert error(difference.decompress(dtype="f8"), exact) <= difference.bound
    with pytest.raises(ghz.MismatchError, match="shape"):
        a - ghz.mean([ghz.compress(field((7, 3), "f8"), like=a)] * 2)
    for weights, divisor in [([1, 0.5], 1), ([1, "2"], 1), ([1, np.float64(2)], 1), ([1, 2], 0.5)]:
        with pytest.raises(TypeError, match="is no integer: multiply all weights"):
            ghz.linear([a, b], weights, divisor)  # type: ignore[arg-type, list-item]
    for weights, divisor in [([1], 1), ([1, 2, 3], 1), ([1, 2], 0), ([1, 2], -1), ([1, 2], 2**64)]:
        with pytest.raises(ghz.ArgumentError):
            ghz.linear([a, b], weights, divisor)
    with pytest.raises(ghz.ArgumentError, match="no stream"):
        ghz.linear([], [])
    with pytest.raises(TypeError, match="give a list"):
        ghz.linear(a, [1])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="streams are added, not ndarray"):
        ghz.linear([a, b.decompress()], [1, 1])
    with pytest.raises(ghz.RangeError, match="16384 terms, more than 16383"):
        ghz.linear([a, half], [2**13 - 1, -1])
    with pytest.raises(ghz.RangeError, match="64 bits"):
        ghz.linear([a, b], [1, 2**63])


def test_too_many_terms() -> None:
    s = ghz.compress(field((100,)), abs=1e-3)
    with pytest.raises(ghz.RangeError, match="terms"):
        for _ in range(40):
            s = s + s


def test_numbers_of_numpy() -> None:
    x = field((20, 40, 50))
    a = ghz.compress(x, abs=1e-3)
    for two in (np.float32(2), np.float64(2), np.int16(2), np.array(2), np.array(2.0, "f4")):
        assert a * two == two * a == a * 2
        assert a / two == a / (2 if two.dtype.kind == "i" else 2.0)
    assert np.float32(0) + a == a - np.int64(0) == a
    for kind in (np.float64, np.float32, np.array):
        half = kind(0.5)
        assert ghz.compress(x, abs=half, fill_value=half) == ghz.compress(
            x, abs=0.5, fill_value=0.5
        )
        assert ghz.lattice(x, rel=half) == ghz.lattice(x, rel=0.5)
    assert ghz.compress(x, psnr=np.int8(60)).bound == ghz.compress(x, psnr=60).bound
    with ghz.threads(np.int64(2)):
        assert ghz.compress(x, abs=1e-3) == a
    for other in ("2", None, 2j, [2], {}):
        for wrong in (lambda: a * other, lambda: a / other):  # type: ignore[operator]
            with pytest.raises(TypeError):
                wrong()


def test_calls_on_few_values_take_few_steps() -> None:
    """The time of such a call is that of its steps in Python."""
    x = field((100,))
    a = ghz.compress(x, abs=1e-3)

    def steps(work: Any) -> int:
        count = 0

        def see(frame: Any, event: str, argument: Any) -> None:
            nonlocal count
            count += event == "call"

        work()  # what is made once is there
        sys.setprofile(see)
        try:
            work()
        finally:
            sys.setprofile(None)
        return count

    assert steps(lambda: ghz.compress(x, abs=1e-3)) <= 17
    assert steps(lambda: a + a) <= 16
    assert steps(lambda: a.decompress()) <= 12
    same = bytes(a)
    kept = [ghz.compress(field((100,), seed=seed), abs=1e-3) for seed in range(9)]
    assert bytes(a) == same and len({bytes(k) for k in kept}) == 9  # no result is written over
