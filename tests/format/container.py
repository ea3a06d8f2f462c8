"""A second reader of .ghz files, written from FILE_FORMAT.md alone (and FORMAT.md, for the streams in them)."""
# SPDX-License-Identifier: BSD-3-Clause
import ctypes.util
import math
import struct
import subprocess
from itertools import product

import decoder
import tile_pages
from decoder import Corrupt, OtherVersion, check

UNKNOWN = 2**64 - 1
FORTRAN, NPY, FILL, CAP_44 = 1, 2, 16, 32
PACKED = 2**63


XXH3 = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0").XXH3_64bits_withSeed
XXH3.argtypes, XXH3.restype = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64), ctypes.c_uint64


def checksum(data, seed):
    return struct.pack("<Q", XXH3(data, len(data), seed))


def folded(dims):
    """FILE_FORMAT.md, "Frames of an array": z, y and x of dimensions in the order of the memory, none of them 0."""
    left, joined = list(dims), []
    for least in (16, 8, math.inf):
        joined.insert(0, 1)
        while left and joined[0] < least:
            joined[0] *= left.pop()
    z, y, x = joined
    return (1, z * y, x) if z < 8 and y < 16 else (z, y, x)


def packed_stream(data):
    """The stream of a packed stream."""
    check(data[:4] == b"GHZP" and len(data) >= 16, "magic")
    if data[4] == 1 or data[4] > 2:
        raise OtherVersion(f"version {data[4]}")
    check(data[4:8] == b"\2\0\0\0", "the header of a packed stream")
    return unpacked_body(data[8:], 1, UNKNOWN)[0]


class Header:
    def __init__(self, data):
        check(data[:4] == b"GHZF", "magic")
        check(len(data) >= 8, "truncated in the header")
        self.version, self.type, ndim, self.flags = data[4:8]
        if self.version != 4:
            raise OtherVersion(f"version {self.version}")
        check(ndim <= 32, "the number of dimensions")
        self.dims_of_streams = 1 + (self.flags >> 2 & 3)
        if self.type > 8 or self.dims_of_streams > 3 or self.flags >= 64:
            raise OtherVersion(f"type {self.type}, flags {self.flags}")
        self.storage = decoder.INTEGERS[self.type][2] if self.type in decoder.INTEGERS else self.type
        self.size = 48 + 8 * ndim + 8
        check(len(data) >= self.size, "truncated in the header")
        check(data[self.size - 8:self.size] == checksum(data[:self.size - 8], 0), "the checksum of the header")
        self.bytes = data[:self.size]
        self.values, self.frame_values = struct.unpack_from("<QQ", data, 8)
        self.lattice = data[24:40]
        self.fill = data[40:48]
        self.check_lattice()
        self.dims = struct.unpack_from(f"<{ndim}Q", data, 48)
        check(self.values < 2**60 or self.values == UNKNOWN, "the number of values")
        if ndim or self.flags & NPY:
            check(self.values != UNKNOWN and math.prod(self.dims) == self.values, "the product of the dimensions")
        self.check_frames()

    def check_lattice(self):
        """A lattice as that of a stream (FORMAT.md)."""
        step, eb, fill = struct.unpack("<ddd", self.lattice + self.fill)
        check((eb > 0 or eb == 0 and self.type > 1) and math.isfinite(eb) and step >= 0 and math.isfinite(step), "the lattice")
        check(self.type in (1, 5) or not self.flags & CAP_44, "the cap")
        check(self.type < 2 or step > 0 and (self.flags & CAP_44 or self.type != 5), "integers without a step, or with another cap")
        check(math.isfinite(fill) and (self.flags & FILL or self.fill == bytes(8)), "the fill value")

    def known(self, values):
        """The bytes of a header that knows the number of values."""
        head = self.bytes[:8] + struct.pack("<Q", values) + self.bytes[16:-8]
        return head + checksum(head, 0)

    def check_frames(self):
        """Frames of an array: what each of them holds at most."""
        values, dims = self.frame_values, self.dims_of_streams
        check(0 < values <= 2**26, "values per frame")
        if dims == 1:
            check(values % 16384 == 0, "values per frame")
            self.frame = [1, 1, values]
            return
        z, self.y, self.x = folded(self.dims[::-1] if self.flags & FORTRAN else self.dims)
        check(self.x >= 16 and self.y >= 16 or z >= 8 and self.y >= 8 and self.x >= 16, "bricks of too few values")
        plane, row = self.y * self.x, 32 * self.x
        check(plane, "values per frame")
        if values % (plane * (8 if dims == 3 else 1)) == 0:
            self.frame = [values // plane, self.y, self.x]
        else:
            check(dims == 2 and values < plane and values % row == 0, "values per frame")
            self.frame = [1, values // self.x, self.x]

    def frame_at(self, first):
        """The extents of the frame that begins with value number `first`, if it is as large as it can be."""
        if self.dims_of_streams == 1:
            return [1, 1, min(self.values - first, self.frame_values)]
        plane = self.y * self.x
        line = first % plane // self.x
        z = 1 if line else min(self.values // plane - first // plane, self.frame[0])
        return [z, min(self.y - line, self.frame[1]), self.x]

    def tiles(self, values):
        """The tiles of a frame of so many values: of whole planes, or of lines of one."""
        if self.dims_of_streams == 1:
            return -(-values // 1024)
        plane = self.y * self.x
        extent = (values // plane, self.y, self.x) if values % plane == 0 else (1, values // self.x, self.x)
        return math.prod(-(-e // b) for e, b in zip(extent, decoder.BRICK[self.dims_of_streams]))

    def may_be(self, first, extent):
        """Whether a frame may have this extent. Where a file was appended to, it may be less than it could be."""
        most = self.frame_at(first)
        if extent == most:
            return True
        if self.dims_of_streams == 1:
            return extent[:2] == [1, 1] and 0 < extent[2] <= most[2]
        whole = extent[1:] == most[1:] == [self.y, self.x] and 0 < extent[0] <= most[0] and first % (self.y * self.x) == 0
        return whole or extent[0] == 1 and 0 < extent[1] <= most[1] and extent[2] == self.x


def largest_tile(dims, kind, extent):
    """FORMAT.md, "Worst case", for the most terms that there are."""
    m, k = math.prod(extent), extent[0] * extent[1] * ((extent[2] + 7) // 8)
    w = 62 if kind == 0 or dims > 1 else 61
    size = 2 + (16 if dims == 1 else 8) + 16 * w.bit_length() + 2 * (16 + k) + k * w
    if dims > 1 and m >= 256:
        size += 1 + 8 + 16 * (48).bit_length() + 128 * 48
    return max(1 + m * (4, 8)[kind], size)


def largest_stream(dims, extent, kind):
    parts = [[(extent[i] // brick, brick), (1, extent[i] % brick)] for i, brick in enumerate(decoder.BRICK[dims])]
    kinds = [k for k in product(*parts) if all(count and size for count, size in k)]
    tiles = sum(math.prod(count for count, _ in k) for k in kinds)
    size = sum(math.prod(count for count, _ in k) * largest_tile(dims, kind, [size for _, size in k]) for k in kinds)
    return 64 + 8 * ((tiles + 15) // 16 + 1) + 2 * tiles + size


def unpacked(page, size):
    """A page by zstd, by the command zstd."""
    if len(page) == size:
        return page
    done = subprocess.run(["zstd", "-dcq"], input=page, capture_output=True, check=False)
    check(done.returncode == 0 and len(done.stdout) == size, "a packed page")
    return done.stdout


def tiles_of(stream):
    """What the header of a stream says, be it sound or not."""
    brick = decoder.BRICK.get(stream[7], (1, 1, 1024))
    return math.prod(-(-extent // size) for extent, size in zip(struct.unpack_from("<QQQ", stream, 8), brick))


def count_pages(packed, tiles):
    return -(-tiles // tile_pages.TILES[packed])


def pages_of(body, packed):
    """The pages of a frame as they are in the file."""
    check(len(body) >= 72, "a frame without a header")
    count = count_pages(packed, tiles_of(body))
    check(len(body) >= 72 + 4 * count, "the sizes of pages")
    sizes = struct.unpack_from(f"<{count}I", body, 72)
    check(72 + 4 * count + sum(sizes) == len(body), "the size of a frame")
    at = [72 + 4 * count + sum(sizes[:i]) for i in range(count + 1)]
    return [body[a:b] for a, b in zip(at, at[1:])]


def unpacked_body(body, packed, most):
    """The stream of a frame, of `most` bytes at most, and its pages."""
    h = decoder.Header(body[:72], b"GHZ3")
    pages = pages_of(body, packed)
    stream = tile_pages.read_stream(body[:72], pages, tile_pages.TILES[packed], h, unpacked)
    check(len(stream) <= most, "the size of a stream")
    return stream, pages


def stored(stream, packed=0):
    """The body of a stream, sound or not, whose pages are as they are."""
    tiles, each = tiles_of(stream), tile_pages.TILES[packed]
    at = 72 + 8 * -(-tiles // 16)
    sizes = struct.unpack_from(f"<{tiles}H", stream, at)
    at += 2 * tiles
    pages = []
    for i in range(0, tiles, each):
        own = sizes[i:i + each]
        pages.append(struct.pack(f"<BI{len(own)}H", 0, sum(own), *own) + stream[at:at + sum(own)])
        at += sum(own)
    return stream[:72] + struct.pack(f"<{len(pages)}I", *map(len, pages)) + b"".join(pages)


def entry(stream, values, packed, pages):
    """An entry of the index."""
    flags = PACKED_FRAME * packed | INEXACT * (stream[5] & 1) | TRANSFORM * (stream[5] >> 1 & 1)
    head = struct.pack("<QQ", values, len(stream)) + stream[48:52] + struct.pack("<I", flags)
    return head + b"".join(struct.pack("<I", len(b)) + checksum(b, 0) for b in pages)


def index(header, entries, parts=None):
    """The index and its tail. parts: of a file that was appended to, where each is and its bytes."""
    body = header + b"".join(entries)
    if parts is not None:
        mark = b"GHZPARTS" + struct.pack("<QQ", 24 + 16 * len(parts) + len(body) + 32, len(parts))
        body = header + mark + b"".join(struct.pack("<QQ", *part) for part in parts) + b"".join(entries)
    tail = struct.pack("<QQ", len(entries), len(body))
    return body + tail + checksum(body + tail, 0) + b"GHZINDEX"


PACKED_FRAME, INEXACT, TRANSFORM = 1, 2, 4


class Torn(Corrupt):
    """A tail whose first bytes did not reach the disk."""


def has_tail(data):
    """Whether `data` ends with a tail of an index, which has a frame of its own."""
    return len(data) >= 32 and data[-8:] == b"GHZINDEX" and data[-32:-24] != bytes(8)


class Index:
    """An index that ends `data`: its header, where its parts are, and its entries, each with the place of its frame, which
    follows from those before in an index that has no parts."""

    def __init__(self, data):
        check(has_tail(data), "the tail")
        count, size = struct.unpack_from("<QQ", data, len(data) - 32)
        check(size + 32 <= len(data), "the size of the index")
        self.begin = len(data) - 32 - size
        self.size = size + 32
        body = data[self.begin:]
        self.header = h = Header(body)
        check(h.values != UNKNOWN, "the number of values in the index")
        at, self.parts, self.appended = h.size, [], body[h.size:h.size + 8] == b"GHZPARTS"
        if self.appended:
            check(len(body) >= at + 24 + 32, "the parts")
            own, parts = struct.unpack_from("<QQ", body, at + 8)
            at += 24
            check(own == self.size and parts <= 64 and 16 * parts <= size - at, "the parts")
            self.parts = [struct.unpack_from("<QQ", body, at + 16 * i) for i in range(parts)]
            at += 16 * parts
        self.places, self.entries, behind = [], [], h.size
        while at < size:
            start = at + 8 * self.appended
            check(start + 24 <= size, "an entry")
            values = struct.unpack_from("<Q", body, start)[0]
            end = start + 24 + 12 * count_pages(body[start + 20] & PACKED_FRAME, h.tiles(values))
            check(end <= size, "an entry")
            self.entries.append(body[start:end])
            self.places.append(struct.unpack_from("<Q", body, at)[0] if self.appended else behind)
            behind = self.places[-1] + 16 + self.body(body[start:end])
            at = end
        found = len(self.entries)
        check(body[-16:-8] == checksum(body[:size] + struct.pack("<QQ", found, size), 0), "the checksum of the index")
        if found != count and (found ^ count) >> ((count & -count).bit_length() - 1) // 8 * 8 == 0:
            raise Torn("the lowest bytes of the number of frames")
        check(found == count, "the number of frames")

    @staticmethod
    def body(entry):
        """The bytes of the body of a frame."""
        pages = [struct.unpack_from("<I", entry, at)[0] for at in range(24, len(entry), 12)]
        return 72 + 4 * len(pages) + sum(pages)

    def continues(self, older):
        """Whether the array began as the other header says."""
        slowest = -1 if older.flags & FORTRAN else 0
        old, now = list(older.dims), list(self.header.dims)
        shorter = not now or len(old) == len(now) and old.pop(slowest) <= now.pop(slowest)
        return shorter and old == now and older.bytes[:8] + older.bytes[24:48] == self.header.bytes[:8] + self.header.bytes[24:48]


def newest(data):
    """The file up to its last whole index, behind which may be what an append has left. None: there is no index."""
    at, entries, end = Header(data).size, 0, None
    while at + 16 <= len(data):
        said = struct.unpack_from("<Q", data, at)[0]
        if said:
            tiles = tiles_of(data[at + 8:]) if len(data) >= at + 80 else 0
            at += 16 + said % PACKED
            entries += 24 + 12 * count_pages(said // PACKED, tiles)
            continue
        try:
            check(data[at + 16:at + 24] == checksum(data[at:at + 16], 0), "the end")
            size = Header(data[at + 24:]).size
        except (Corrupt, OtherVersion):
            break
        marked = data[at + 24 + size:at + 32 + size] == b"GHZPARTS" and len(data) >= at + 40 + size
        size = struct.unpack_from("<Q", data, at + 32 + size)[0] if marked else size + entries + 32
        at += 24 + size
        if at > len(data) or not has_tail(data[at - 32:at]) or struct.unpack_from("<Q", data, at - 24)[0] + 32 != size:
            break
        end = at
    return data[:end] if end else None


class File:
    """Header and streams of a file, the latter also as bytes."""

    def __init__(self, data):
        if has_tail(data):
            try:
                Index(data)
            except Torn:
                data = data[:-1]
        if not has_tail(data):
            data = newest(data) or data
        last = Index(data) if has_tail(data) else None
        self.said = last and last.entries
        self.header = h = Header(data)
        self.streams, self.bytes, self.pages, self.entries, self.count, at = [], [], [], [], 0, h.size
        if last and last.appended:
            self.appended(data, last)
            return
        check(not last or h.known(last.header.values) == last.header.bytes, "the header at the start")
        while True:
            check(len(data) >= at + 8, "truncated before a frame")
            length = struct.unpack_from("<Q", data, at)[0]
            if length == 0:
                break
            at = self.frame(data, at, length)
        self.end(data[at:])

    def appended(self, data, last):
        """The frames of all indexes, in their order."""
        at = self.header.size
        check(last.continues(self.header), "the header at the start")
        parts = [Index(data[:begin + size]) for begin, size in last.parts]
        check([(p.begin, p.size) for p in parts] == last.parts and last.parts == sorted(last.parts), "the places of the parts")
        check(all(last.continues(part.header) for part in parts) and last.entries, "the parts")
        self.header = last.header
        self.said = [entry for p in [*parts, last] for entry in p.entries]
        for place in (place for p in [*parts, last] for place in p.places):
            check(at <= place <= len(data) - 8 and (self.count < last.header.values or not last.header.values), "the place of a frame")
            at = self.frame(data, place, struct.unpack_from("<Q", data, place)[0])
        check(at + 24 == last.begin and data[at:at + 16] == struct.pack("<QQ", 0, self.count), "the end")
        check(data[at + 16:at + 24] == checksum(data[at:at + 16], 0) and self.count == last.header.values, "the number of values")

    def frame(self, data, at, length):
        h, number = self.header, len(self.streams)
        left = h.values - self.count if h.values != UNKNOWN else None
        packed, length = divmod(length, PACKED)
        most = largest_stream(h.dims_of_streams, h.frame, h.storage)
        check(0 < length <= most + 1, "the length of a frame")
        end = at + 8 + length
        check(len(data) >= end + 8, "truncated in a frame")
        check(data[end:end + 8] == checksum(data[at:end], number), "the checksum of a frame")
        stream, pages = unpacked_body(data[at + 8:end], packed, most)
        one = decoder.Header(stream, b"GHZ3")
        check(one.stored_type == h.type and stream[32:48] == h.lattice, "a frame of another type, step or bound")
        check(one.dims == h.dims_of_streams, "a frame of other dimensions")
        check(bool(one.has_fill) == bool(h.flags & FILL) and stream[64:72] == h.fill, "a frame of another fill value")
        check(stream[6] == (35, 44)[bool(h.flags & CAP_44)], "a frame of another cap")
        if left is not None:
            check(h.may_be(self.count, one.extent) and (left or not number), "the shape of a frame")
        else:
            check(one.n <= h.frame_values and (one.n or not number), "the number of values of a frame")
            check(self.count == number * h.frame_values, "a frame behind the last one")
        self.streams.append(decoder.Stream(stream))
        self.bytes.append(stream)
        self.pages.append(pages)
        self.entries.append(entry(stream, one.n, packed, pages))
        check(self.said is None or self.said[number:number + 1] == self.entries[-1:], "the entry of a frame")
        self.count += one.n
        return end + 8

    def end(self, data):
        check(len(data) >= 24, "truncated in the end")
        check(data[16:24] == checksum(data[:16], 0), "the checksum of the end")
        total = struct.unpack_from("<Q", data, 8)[0]
        check(self.streams and total == self.count and self.header.values in (UNKNOWN, total), "the number of values")
        follows = index(self.header.known(total), self.entries)
        check(len(data) >= 24 + len(follows), "truncated in the index")
        check(data[24:] == follows, "the index, or bytes behind it")

    def values(self):
        return b"".join(decoder.pack(self.header.storage, s.values()) for s in self.streams)


def header_bytes(kind, dims, flags, values, frame_values, lattice, fill=bytes(8)):
    head = struct.pack(f"<4sBBBBQQ16s8s{len(dims)}Q", b"GHZF", 4, kind, len(dims), flags, values, frame_values,
                       lattice, fill, *dims)
    return head + checksum(head, 0)


def values_of(stream):
    """What the header of a stream says, be it sound or not."""
    return math.prod(struct.unpack_from("<QQQ", stream, 8))


def build(streams, total, values, known=None, entries=None, last=None, packed=0, body=stored, **header):
    """The bytes of a file, sound or not, with checksums that fit. known: of the header in the index, what is not as in the header.
    entries: changes the list of them. last: what takes the place of the index. body: makes that of a frame of a stream."""
    parts, made = [header_bytes(values=values, **header)], []
    for number, stream in enumerate(streams):
        own = body(stream, packed)
        frame = struct.pack("<Q", len(own) + PACKED * packed) + own
        parts += [frame, checksum(frame, number)]
        pages = pages_of(own, packed) if last is None else []
        made.append(entry(stream, values_of(stream) % 2**64, packed, pages))
    end = struct.pack("<QQ", 0, total)
    parts += [end, checksum(end, 0)]
    head = header_bytes(**{"values": total, **header, **(known or {})})
    parts.append(index(head, entries(made) if entries else made) if last is None else last)
    return b"".join(parts)
