"""XXH3, 64 bits with a seed, written from the specification of xxHash: as much of it as .ghz files need, which never take the
checksum of fewer than 16 bytes."""
# SPDX-License-Identifier: BSD-3-Clause

M = (1 << 64) - 1
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
Q1, Q2, Q3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
MIX = 0x165667919E3779F9
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def folded(a, b):
    product = a * b
    return (product & M) ^ (product >> 64)


def avalanche(h):
    h &= M
    h = (h ^ h >> 37) * MIX & M
    return h ^ h >> 32


def mixed(data, at, secret_at, seed):
    low = u64(data, at) ^ (u64(SECRET, secret_at) + seed & M)
    high = u64(data, at + 8) ^ (u64(SECRET, secret_at + 8) - seed & M)
    return folded(low, high)


def of_9_to_16(data, seed):
    n = len(data)
    low = (u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & M ^ u64(data, 0)
    high = (u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & M ^ u64(data, n - 8)
    return avalanche(n + int.from_bytes(low.to_bytes(8, "little"), "big") + high + folded(low, high))


def of_17_to_128(data, seed):
    n = len(data)
    total = n * P1
    for i in range((n - 1) // 32 + 1):
        total += mixed(data, 16 * i, 32 * i, seed) + mixed(data, n - 16 * i - 16, 32 * i + 16, seed)
    return avalanche(total)


def of_129_to_240(data, seed):
    n = len(data)
    total = avalanche(n * P1 + sum(mixed(data, 16 * i, 16 * i, seed) for i in range(8)))
    total += sum(mixed(data, 16 * i, 16 * i - 125, seed) for i in range(8, n // 16))
    return avalanche(total + mixed(data, n - 16, 119, seed))


def accumulate(lanes, data, at, secret, secret_at):
    for i in range(8):
        value = u64(data, at + 8 * i)
        key = value ^ u64(secret, secret_at + 8 * i)
        lanes[i ^ 1] = lanes[i ^ 1] + value & M
        lanes[i] = lanes[i] + (key & 0xFFFFFFFF) * (key >> 32) & M


def of_more(data, seed):
    n = len(data)
    secret = b"".join((u64(SECRET, at) + (seed if at % 16 == 0 else -seed) & M).to_bytes(8, "little")
                      for at in range(0, 192, 8))
    lanes = [Q3, P1, P2, P3, P4, Q2, P5, Q1]
    for stripe in range((n - 1) // 64):
        accumulate(lanes, data, 64 * stripe, secret, 8 * (stripe % 16))
        if stripe % 16 == 15:
            lanes = [(v ^ v >> 47 ^ u64(secret, 128 + 8 * i)) * Q1 & M for i, v in enumerate(lanes)]
    accumulate(lanes, data, n - 64, secret, 121)
    total = n * P1
    for i in range(0, 8, 2):
        total += folded(lanes[i] ^ u64(secret, 11 + 8 * i), lanes[i + 1] ^ u64(secret, 19 + 8 * i))
    return avalanche(total)


def xxh3_64(data, seed):
    assert len(data) >= 9
    if len(data) <= 16:
        return of_9_to_16(data, seed)
    if len(data) <= 128:
        return of_17_to_128(data, seed)
    return of_129_to_240(data, seed) if len(data) <= 240 else of_more(data, seed)
