# __init__.py: owns the names of ghz.zarr: the codec of Zarr v3, and sums of stores.
# SPDX-License-Identifier: BSD-3-Clause
"""Zarr v3 arrays whose chunks are ghz streams, and their sums, means and anomalies without decompression."""

from ghz.zarr.codec import GhzCodec
from ghz.zarr.stores import anomalies, mean, subtract, sum

__all__ = ["GhzCodec", "anomalies", "mean", "subtract", "sum"]
