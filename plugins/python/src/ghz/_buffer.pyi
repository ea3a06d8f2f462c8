# _buffer.pyi: owns the types of extension/buffer.c.
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

class Buffer:
    def __new__(cls, owner: Any, *arguments: Any, **keywords: Any) -> Any: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
