# torch.py: owns means over the ranks of torch.distributed, which are sent compressed.
# SPDX-License-Identifier: BSD-3-Clause
"""Averages gradients and weights of PyTorch, compressed under a bound.

import ghz.torch
model.register_comm_hook(ghz.torch.State(rel=0.25), ghz.torch.hook)  # DistributedDataParallel
ghz.torch.State(rel=1, trial=0).mean_(tensors).wait()                # anything else: DiLoCo, FSDP
"""

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from ._arrays import values_of
from ._errors import ArgumentError, MismatchError, UnsupportedError
from ._functions import mean as mean_of, on_lattice
from ._lattice import Bound, lattice_of
from ._stream import Stream
from ._tensors import FLOATS, STRANGE, exponent, load, mean, save, scale, tile_ranges

if not (dist.is_available() and dist.is_gloo_available()):
    raise UnsupportedError("this PyTorch is built without torch.distributed, or without gloo")
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

__all__ = ["State", "hook", "load", "mean", "save"]

FIRST = 62  # exponents in the first message; those of more tensors take another
WARM = 2  # steps before a trial: after the first one DDP makes other buckets


class State:
    """How the tensors of a model are averaged: the bound, the group, and what was sent.

    Args:
        rel: The largest error of a value that a rank sends, as a fraction of the root mean square of
            its tensor in this step, on the rank where that is largest, rounded down to a power of
            two. The mean is within that of the exact one, whatever the number of ranks; in bfloat16
            and float16 it is then rounded to the type. 0.1 to 0.25 with Adam, to 0.5 with SGD.
        feedback: Adds to each tensor what rounding took from the one before (4 bytes a value). For
            SGD with rel from 1 on; with Adam it gains little.
        pack: Packs what is sent: a seventh fewer bytes, for links below 100 Mbit/s.
        trial: After two steps so many of DDP's own means are timed, then as many compressed ones; all
            ranks take the faster from then on. 0: all are compressed, and runs repeat bit for bit.
        group: A group of gloo, of the ranks of the model's process_group. Nothing else uses it or
            keeps a reference: after an error it has to close. Without one a group of all ranks is
            made, so all of them must make the State.

    Attributes:
        sent: Compressed bytes that this rank has sent.
        plain: Whether DDP's own means are taken, because the trial found them to be faster.

    Raises:
        ArgumentError: rel is not above 0 and below 2**20; trial is negative; group is not of gloo.
        MismatchError: The ranks differ in rel or trial.
    """

    def __init__(
        self, rel: float, *, feedback: bool = False, pack: bool = False, trial: int = 5,
        group: Any = None,
    ) -> None:  # fmt: skip
        if not 0 < rel < 2**20 or trial < 0:
            raise ArgumentError(f"rel={rel}, trial={trial}: 0 < rel < 2**20, and trial from 0 on")
        if group is not None and (group is dist.group.WORLD or dist.get_backend(group) != "gloo"):
            raise ArgumentError("group=: one of gloo, by dist.new_group, that nothing else uses")
        # Its own, as all ranks must call the collectives of a group in one order.
        self._given, self._group = group, group or dist.new_group(backend="gloo")
        self.rel, self.feedback, self.pack = float(rel), feedback, pack
        self.sent, self.plain = 0, False
        one = values_of(torch.zeros(1).numpy())
        self._lattice = lattice_of(one, Bound(self.rel, None, None, None), None, None)
        self._residuals: dict[int, Any] = {}
        self._trial, self._step, self._last = trial, 0, 0.0
        self._times: list[list[float]] = [[], []]
        self._thread = ThreadPoolExecutor(1, "ghz")
        _agreed(self, (self.rel, trial), [])

    def mean_(self, tensors: Iterable[Any], key: int = 0) -> Any:
        """Replaces tensors by their mean over the ranks, whose bits are equal on all of them. All ranks
        call it with the same shapes, in the same order of calls.

        Args:
            tensors: float32, bfloat16 or float16, of any shape, strides and device; else TypeError.
            key: With feedback: which residual is theirs.

        Returns:
            A torch.futures.Future of the tensors. Its wait() raises MismatchError on all ranks if
            they differ in sizes, RuntimeError if another one failed or died. After that this State
            has but an ArgumentError.
        """
        every = list(tensors)
        return self._start(every, key, every)

    def _start(self, tensors: list[Any], key: int, value: Any) -> Any:
        for tensor in tensors:
            if tensor.dtype not in FLOATS or tensor.layout != torch.strided:
                found = f"not {tensor.dtype} of {tensor.layout}"
                raise TypeError(f"ghz.torch averages float32, bfloat16 and float16, {found}")
        if self._group is None:
            raise ArgumentError("an error has ended this State: make another, on all ranks")
        on_gpu = any(tensor.is_cuda for tensor in tensors)
        counts = [tensor.numel() for tensor in tensors]
        flat = torch.empty(sum(counts), pin_memory=on_gpu)
        parts = flat.split(counts)
        for part, tensor in zip(parts, tensors):
            part.view(tensor.shape).copy_(tensor.detach(), non_blocking=True)
        copied = on_gpu and torch.cuda.current_stream().record_event()
        future: Any = torch.futures.Future()

        def work() -> None:
            try:
                if copied:
                    copied.synchronize()
                _mean(self, flat, parts, key)
                for part, tensor in zip(parts, tensors):
                    tensor.detach().copy_(part.view(tensor.shape))
                future.set_result(value)
            except Exception as error:
                self._leave()
                future.set_exception(error)

        self._thread.submit(work)
        return future

    def _leave(self) -> None:
        """Closes the connections, so that no rank waits for this one."""
        group, self._group, self._given = self._group, None, None
        if group is not None:
            dist.destroy_process_group(group)

    def _takes_plain(self, bucket: Any) -> bool:
        """Whether DDP's own mean is to be taken: in trials, and after one that it has won."""
        step = self._step - WARM  # of the trial: plain ones, one that is not timed, compressed ones
        if not self._trial or step > 2 * self._trial:
            return self.plain
        if bucket.is_last():
            now, self._step = time.perf_counter(), self._step + 1
            if step >= 0 and step != self._trial:
                self._times[step > self._trial].append(now - self._last)
            self._last = now
            if step == 2 * self._trial:
                self._thread.submit(self._decide).result()
        return step < self._trial

    def _decide(self) -> None:
        took = torch.tensor([median(times) for times in self._times])
        dist.all_reduce(took, dist.ReduceOp.MAX, group=self._group)
        self.plain = bool(took[0] <= took[1])


# The annotations are types, because DDP compares them with types.
def hook(state: State, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    """Averages a bucket of gradients: model.register_comm_hook(ghz.torch.State(0.25), ghz.torch.hook)."""
    if state._takes_plain(bucket):
        return allreduce_hook(state._given, bucket)
    future = state._start(bucket.gradients(), bucket.index(), bucket.buffer())
    return future.then(lambda done: done.value())  # DDP shows what a callback raises, and no other


def _mean(state: State, flat: Any, parts: Sequence[Any], key: int) -> None:
    """Replaces values by their mean over the ranks, of which each adds one range."""
    ranks, me = dist.get_world_size(state._group), dist.get_rank(state._group)
    settings = (state.rel, *(part.numel() for part in parts))
    # Of the tensors alone: residuals would widen their own bound without end.
    common = _agreed(state, settings, [exponent(part) for part in parts])
    known = [0 if e == STRANGE else e for e in common]
    residual = state._residuals.get(key)
    if residual is not None and residual.numel() == flat.numel():  # DDP's buckets change once
        flat += residual
    scale(parts, known, -1)
    ranges = tile_ranges(flat, ranks)
    streams = [on_lattice(values_of(values.numpy()), state._lattice) for values in ranges]
    if state.feedback and STRANGE not in common:
        left = flat.clone()
        for values, stream in zip(tile_ranges(left, ranks), streams):
            values -= torch.from_numpy(stream.decompress())
        scale(left.split([part.numel() for part in parts]), known, 1)
        state._residuals[key] = left
    mine = mean_of([streams[me], *_exchange(state, streams)])
    means = _exchange(state, [mine] * ranks)
    means.insert(me, mine)
    for values, stream in zip(ranges, means):
        stream.decompress(out=values.numpy())
    scale(parts, known, 1)


def _agreed(state: State, settings: tuple[float, ...], exponents: list[int]) -> list[int]:
    """Returns the largest exponent that a rank has for each tensor, if all have the same settings.
    The first message has one size whatever they are, as gloo's must."""
    known = hash(settings) >> 1  # of numbers: the same in all processes
    first = torch.tensor([known, -known, *exponents[:FIRST], *[0] * (FIRST - len(exponents))])
    dist.all_reduce(first, dist.ReduceOp.MAX, group=state._group)
    most, least, *common = first.tolist()
    if most != -least:
        what = "the ranks differ in rel=, trial=, or the sizes of their tensors"
        raise MismatchError(f"{what}: this one has {settings[:9]}")
    if len(exponents) > FIRST:
        rest = torch.tensor(exponents[FIRST:])
        dist.all_reduce(rest, dist.ReduceOp.MAX, group=state._group)
        common += rest.tolist()
    return common[: len(exponents)]


def _exchange(state: State, streams: list[Stream]) -> list[Stream]:
    """Sends streams[r] to every other rank r; returns those that they sent, in their order."""
    me = dist.get_rank(state._group)
    known = {id(s): s.packed() if state.pack else s.data for s in streams}  # each is packed once
    data = [b"" if r == me else known[id(s)] for r, s in enumerate(streams)]
    ours = torch.tensor([len(piece) for piece in data])
    theirs = torch.empty_like(ours)
    dist.all_to_all_single(theirs, ours, group=state._group)
    sent = torch.from_numpy(np.frombuffer(bytearray().join(data), np.uint8))
    sizes = theirs.tolist()
    received = torch.empty(sum(sizes), dtype=torch.uint8)
    dist.all_to_all_single(received, sent, sizes, ours.tolist(), group=state._group)
    state.sent += len(sent)
    pieces = received.split(sizes)
    return [Stream.from_bytes(pieces[r].numpy()) for r in range(len(pieces)) if r != me]
