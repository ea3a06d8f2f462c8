# _shard.py: owns shards: which of their bytes are which chunk, by an index that is not believed.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from zarr.codecs import BytesCodec, Crc32cCodec, ShardingCodec
from zarr.core.array_spec import ArrayConfig, ArraySpec
from zarr.core.buffer import Buffer, default_buffer_prototype
from zarr.core.dtype import UInt8
from zarr.core.sync import sync

import ghz

Place = tuple[int, ...]
EMPTY = np.uint64(2**64 - 1)  # offset and length of a chunk that is not there


@dataclass(frozen=True)
class Shard:
    """The chunks of one key, and their index: offset and length of each."""

    counts: Place  # chunks along each axis
    first: bool  # the index is before the chunks, else behind
    order: str  # of the index' bytes: "<" or ">"
    checked: bool  # a CRC-32C of the index follows it

    @classmethod
    def of(cls, codec: ShardingCodec, counts: Place) -> Shard:
        order: Any
        order, *rest = codec.index_codecs
        names = ", ".join(str(one.to_dict()["name"]) for one in codec.index_codecs)
        known = isinstance(order, BytesCodec) and all(isinstance(r, Crc32cCodec) for r in rest)
        if not known or len(rest) > 1:
            raise ghz.ArgumentError(f"codecs of a shard's index: {names}; must be bytes and crc32c")
        big = getattr(order.endian, "value", order.endian) == "big"
        return cls(counts, codec.index_location.value == "start", "<>"[big], bool(rest))

    def places(self) -> list[Place]:
        """Returns the places of the chunks in the order of the index."""
        return list(itertools.product(*map(range, self.counts)))

    def split(self, data: Buffer) -> dict[Place, Buffer]:
        """Returns the bytes of each chunk that is there. CorruptError if the index lies."""
        size = 16 * math.prod(self.counts) + 4 * self.checked
        if len(data) < size:
            raise ghz.CorruptError(f"a shard of {len(data)} bytes, whose index has {size}")
        index = (data[:size] if self.first else data[len(data) - size :]).to_bytes()
        if self.checked and _with_checksum(index[:-4]) != index:
            raise ghz.CorruptError("the index of a shard has another checksum than it says")
        table = np.frombuffer(index, f"{self.order}u8", 2 * math.prod(self.counts)).reshape(-1, 2)
        begin, end = (size, len(data)) if self.first else (0, len(data) - size)
        found = {}
        for place, (offset, length) in zip(self.places(), table.tolist()):
            if (offset, length) == (EMPTY, EMPTY):
                continue
            if not begin <= offset <= end or length > end - offset:
                what = f"bytes {offset} to {offset + length}, of {begin} to {end}"
                raise ghz.CorruptError(f"the index of a shard says that chunk {place} has {what}")
            found[place] = data[offset : offset + length]
        self._check_apart(table)
        return found

    def _check_apart(self, table: Any) -> None:
        """Refuses chunks that share bytes: a small shard could stand for much."""
        there = table[table[:, 0] != EMPTY]
        there = there[np.argsort(there[:, 0], kind="stable")]
        if (there[1:, 0] < there[:-1, 0] + there[:-1, 1]).any():
            raise ghz.CorruptError("the index of a shard says that chunks share bytes")

    def join(self, chunks: dict[Place, Any]) -> bytes:
        """Returns the shard of chunks."""
        places = self.places()
        table = np.full((len(places), 2), EMPTY, f"{self.order}u8")
        size = table.nbytes + 4 * self.checked
        parts: list[Any] = []
        at = size if self.first else 0
        for number, place in enumerate(places):
            if place in chunks:
                table[number] = at, len(chunks[place])
                parts.append(chunks[place])
                at += len(chunks[place])
        index = table.tobytes()
        if self.checked:
            index = _with_checksum(index)
        return b"".join([index, *parts] if self.first else [*parts, index])


def _with_checksum(index: bytes) -> bytes:
    """Returns an index and its CRC-32C, by Zarr's codec."""
    config, prototype = ArrayConfig.from_dict({}), default_buffer_prototype()
    spec = ArraySpec((len(index),), UInt8(), 0, config, prototype)
    (found,) = sync(Crc32cCodec().encode([(prototype.buffer.from_bytes(index), spec)]))
    assert found is not None
    return found.to_bytes()
