# codec.py: owns the Zarr v3 codec "ghz": a chunk is one libghz stream of the chunk's shape.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import numpy as np
from zarr.abc.codec import ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin
from zarr.abc.store import ByteGetter
from zarr.core.array_spec import ArraySpec
from zarr.core.buffer import Buffer, NDBuffer

import ghz
from ghz._packing import unpacked
from ghz._settings import Settings
from ghz.zarr import _partial
from ghz.zarr._notices import look_at_metadata


@dataclass(frozen=True)
class GhzCodec(Settings, ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin):
    """The serializer of Zarr arrays of float32, float64 and integers; goes with compressors=None.

        ghz.zarr.GhzCodec(abs=1e-3)
        ghz.zarr.GhzCodec(rel=1e-4, range=(200, 320))
        ghz.zarr.GhzCodec(lossless=True)  # of integers

    Attributes:
        abs: The largest error of a value, in the units of the data.
        rel: The same as a fraction of `range`, or, without one, of the range of each chunk.
        step: The quantum of data that are multiples of one, which come back exactly.
        lossless: True for arrays of integers, which come back exactly: also those that xarray packs
            with a scale_factor.
        range: The least and greatest value of all arrays that are to be added.
        fill: The number that stands for "missing" in the data; NaN needs none.
        pack: 1, by zstd, or 2, smaller: chunks are packed at this level, without loss, and still
            added. Parts of a chunk are then read with the whole of it.

    Raises:
        ValueError: No bound or several; one that is not greater than 0; range without rel.
        TypeError: A setting that is no number; an array of a type that these settings are not for.
    """

    is_fixed_size = False

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GhzCodec:
        codec: GhzCodec = cls.named(data.get("configuration", {}))
        return codec

    def to_dict(self) -> dict[str, Any]:
        return {"name": "ghz", "configuration": self.names()}

    def evolve_from_array_spec(self, array_spec: ArraySpec) -> GhzCodec:
        codec: GhzCodec = self.of(array_spec.dtype.to_native_dtype())
        return codec

    def validate(self, *, shape: tuple[int, ...], dtype: Any, chunk_grid: Any) -> None:
        self.check_dtype(dtype.to_native_dtype())
        look_at_metadata(self, dtype.to_native_dtype())

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        raise NotImplementedError("the size of a compressed chunk depends on its values")

    async def _encode_single(self, chunk_data: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
        data = await asyncio.to_thread(self._encode, chunk_data.as_numpy_array())
        return chunk_spec.prototype.buffer.from_bytes(data)

    def _encode(self, values: np.ndarray) -> Any:
        return self.stored(self.compress(values))

    async def _decode_single(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        return await _decode(chunk_data, chunk_spec, None, self)

    async def _decode_partial_single(
        self, byte_getter: ByteGetter, selection: Any, chunk_spec: ArraySpec
    ) -> NDBuffer | None:
        box, rest = _partial.bounding_box(selection, chunk_spec.shape)
        # What is packed is unpacked as a whole.
        needed = box if self.pack is None else None
        data = await _partial.read(byte_getter, needed, chunk_spec)
        if data is None:
            return None
        try:
            return (await _decode(data, chunk_spec, box))[rest]
        except ghz.Error as error:
            raise type(error)(f"{byte_getter}: {error}") from error


def stream_of(data: Buffer, shape: tuple[int, ...], dtype: np.dtype) -> ghz.Stream:
    """Makes a stream of a chunk, packed or not, which has to be of this shape and type; copies
    nothing that is not packed."""
    stream = ghz.Stream(unpacked(data.as_numpy_array(), shape), shape)
    own, native = stream.dtype, dtype.newbyteorder("=")
    # Sums of integers are streams of their type, in arrays of a type that holds them.
    wider = own.kind in "iu" and native in (np.dtype("i8"), np.dtype("f8"))
    if own != native and not wider:
        raise ghz.MismatchError(f"the chunk holds {own}, the metadata say {dtype}")
    return stream


async def _decode(
    data: Buffer, spec: ArraySpec, box: tuple[slice, ...] | None, settings: Settings | None = None
) -> NDBuffer:
    """Decompresses a chunk, or a box of it, as the metadata say it is; with settings one that may
    come back to be written again."""
    dtype = spec.dtype.to_native_dtype()

    def decode() -> np.ndarray:
        stream = stream_of(data, spec.shape, dtype)
        if stream.dtype != dtype.newbyteorder("="):  # of integers, in a wider array
            values = stream.decompress(dtype=dtype.newbyteorder("="))[box or ...]
        elif box is not None:
            values = stream[box]
        else:
            values = settings.decompress(stream) if settings else stream.decompress()
        return np.asarray(values).astype(dtype, copy=False)

    return spec.prototype.nd_buffer.from_numpy_array(await asyncio.to_thread(decode))
