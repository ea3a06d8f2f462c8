#!/usr/bin/env python3
"""Holds FILE_FORMAT.md against the command: the golden files are what the command writes, a second reader gives the same values,
and both refuse the same files, for the reasons that the text names.

usage: check_files.py GHZ APPEND FOLDER FILE_FORMAT.md    checks the golden files in FOLDER, and the example in the text
       check_files.py --make GHZ APPEND FOLDER            writes them, and packed to FOLDER/packed: only for a new format
APPEND is the program of append.c.
"""
# SPDX-License-Identifier: BSD-3-Clause
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import container
import decoder
import tile_pages
from decoder import Corrupt, OtherVersion

# ---- What the golden files are made of: numbers that are exact, so that they are the same everywhere ----


def values(n, kind, shift=0):
    """A saw of multiples of 1/16."""
    return struct.pack(f"<{n}{'fd'[kind]}", *((abs((i + shift) // 8 % 500 - 250) - 100) / 16 for i in range(n)))


def with_specials(n):
    x = [(i % 300) / 8 for i in range(n)]
    for i, v in ((0, "nan"), (7, "inf"), (8, "-inf"), (100, "nan"), (n - 1, "inf")):
        x[i] = float(v)
    return struct.pack(f"<{n}f", *x)


def npy(shape, kind, order, data):
    text = f"{{'descr': '<f{(4, 8)[kind]}', 'fortran_order': {order}, 'shape': {shape}, }}"
    text = text.ljust(63 - 10 + 64 * (len(text) // 64)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


# name: input, its name, arguments of ghz, of which the last writes the file
CASES = {
    "frames_f32": ("a.f32", values(40000, 0), ["compress --abs 0.3 --frame-values 16384 a.f32 -o out"]),
    "frames_f64": ("a.npy", npy((2, 16384), 1, False, values(32768, 1)), ["compress --abs 0.1 --frame-values 16384 a.npy -o out"]),
    "fortran": ("a.npy", npy((5, 7), 0, True, values(35, 0)), ["compress --abs 0.01 a.npy -o out"]),
    "scalar": ("a.npy", npy((), 1, False, values(1, 1)), ["compress --abs 0.01 a.npy -o out"]),
    "planes": ("a.npy", npy((2, 70, 50), 0, False, values(7000, 0)), ["compress --abs 0.01 a.npy -o out"]),
    "lines": ("a.npy", npy((300, 200), 0, False, values(60000, 0)), ["compress --abs 0.01 --frame-values 16384 a.npy -o out"]),
    "cubes": ("a.npy", npy((20, 30, 40), 1, True, values(24000, 1)), ["compress --abs 0.01 --frame-values 16384 a.npy -o out"]),
    "sum_of_cubes": ("a.f32", values(24000, 0), ["compress --abs 0.1 --dims 2x10x30x40 a.f32 -o b.ghz",
                                                 "add b.ghz b.ghz b.ghz -o out"]),
    "joined": ("a.npy", npy((9, 1, 20, 12, 3), 0, False, values(6480, 0)), ["compress --abs 0.01 --frame-values 16384 a.npy -o out"]),
    "joined_fortran": ("a.npy", npy((2, 50, 10, 4), 0, True, values(4000, 0)), ["compress --abs 0.01 a.npy -o out"]),
    "dimensions": ("a.npy", npy((1,) * 31 + (9,), 1, False, values(9, 1)), ["compress --abs 0.5 a.npy -o out"]),
    "no_rows": ("a.npy", npy((0, 3), 1, False, b""), ["compress --abs 1 a.npy -o out"]),
    "pipe": ("-", values(20000, 0), ["compress --abs 0.1 --type f32 --frame-values 16384 - -o out"]),
    "scaled_sum": ("a.f32", values(20000, 0, 3), ["compress --abs 0.1 --frame-values 16384 a.f32 -o b.ghz",
                                                  "add b.ghz b.ghz b.ghz -o c.ghz", "scale 0.3 c.ghz -o out"]),
    "constant": ("a.f64", struct.pack("<1500d", *[0.1] * 1500), ["compress --rel 1e-3 a.f64 -o out"]),
    "specials": ("a.f32", with_specials(2500), ["compress --abs 0.01 --order 2 a.f32 -o out"]),
    "raw": ("a.f32", values(20, 0), ["compress --abs 1e-44 a.f32 -o out"]),
    "appended": ("a.f32", values(120000, 0), ["compress --abs 0.3 --frame-values 16384 a.f32 -o out",
                                              "append out 30000 30000 --flush", "append out 500 500"]),
    "appended_often": ("a.f32", values(100, 0), ["compress --abs 0.3 a.f32 -o out", *["append out 9 9"] * 6]),
    "appended_once": ("a.npy", npy((2, 20), 0, False, values(40, 0)), ["compress --abs 0.1 a.npy -o out", "append out 2 40"]),
    "appended_to_none": ("a.npy", npy((0,), 0, False, b""), ["compress --abs 0.1 a.npy -o out", "append out 9 9"]),
}


def make(programs, name, threads="1", upto=None):
    """The file of a case, by the command and by what appends, or by the first of its commands."""
    ghz, appender = programs
    source, data, commands = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        if source != "-":
            write(os.path.join(folder, source), data)
        for command in commands[:upto]:
            words = command.replace(" out", " out.ghz").split()
            if words[0] == "append":
                run_append(appender, os.path.join(folder, "out.ghz"), *words[2:])
                continue
            subprocess.run([ghz, words[0], "-qT", threads, *words[1:]], cwd=folder, check=True, input=data if source == "-" else b"")
        return read(os.path.join(folder, "out.ghz"))


def run_append(appender, path, steps, count, *options):
    """Appends so many steps along the slowest dimension, which have so many values."""
    subprocess.run([appender, path, steps, count, *options], check=True, input=values(int(count), 0, int(count)))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


# ---- The golden files ----


def payload(data):
    """The values of what the command decompresses to: raw, or behind the header of an .npy file."""
    return data[10 + struct.unpack_from("<H", data, 8)[0]:] if data[:6] == b"\x93NUMPY" else data


def decompressed(ghz, data, *options):
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "x.ghz"), data)
        subprocess.run([ghz, "decompress", "-q", *options, "x.ghz", "-o", "y"], cwd=folder, check=True)
        return payload(read(os.path.join(folder, "y")))


def golden(programs, folder):
    ok = sorted(os.listdir(folder)) == sorted(f"{name}.ghz" for name in CASES)
    for name in CASES:
        data = read(os.path.join(folder, name + ".ghz"))
        fault = None
        try:
            if container.File(data).values() != decompressed(programs[0], data):
                fault = "the second reader has other values"
        except (Corrupt, OtherVersion) as e:
            fault = f"the second reader says: {e}"
        if any(make(programs, name, threads) != data for threads in ("1", "3")):
            fault = "the command writes another file"
        if fault:
            print(f"{name}.ghz: {fault}")
            ok = False
    print(f"{len(CASES)} golden files: {'as ever' if ok else 'CHANGED'}")
    return ok


# ---- What must be refused ----


class Sound:
    """A sound file of three frames, from which broken ones are built: having(...) changes what container.build takes. And those of
    older versions of the file format."""

    def __init__(self, data, older):
        file = container.File(data)
        h = file.header
        self.data = data
        self.older = older
        self.streams = file.bytes
        self.parts = {"kind": h.type, "dims": h.dims, "flags": h.flags, "values": h.values, "frame_values": h.frame_values,
                      "lattice": h.lattice, "fill": h.fill, "streams": file.bytes, "total": h.values}

    def having(self, **changes):
        return container.build(**{**self.parts, **changes})


def swapped(data, sizes):
    """The file with its first two frames, and their checksums, in each other's place."""
    first, second = sizes[:2]
    return data[:56] + data[56 + first:56 + first + second] + data[56:56 + first] + data[56 + first + second:]


def patched(data, at, new):
    return data[:at] + new + data[at + len(new):]


def broken_files(sound):
    """Files that break one rule each: what is broken, the bytes, and a word that the command must say."""
    one, two, three = sound.streams
    data, n = sound.data, sound.parts["values"]
    sizes = [16 + len(container.stored(s)) for s in sound.streams]
    end = 56 + sum(sizes)
    unknown = container.UNKNOWN
    u64 = lambda v: struct.pack("<Q", v)  # noqa: E731
    yield "version 5", patched(data, 4, b"\5"), "version 5 of the file format; this version of ghz reads 4"
    yield "version 0", patched(data, 4, b"\0"), "version 0 of the file format; this version of ghz reads 4"
    yield "magic", b"GHZX" + data[4:], "not a .ghz file"
    yield "type 9", sound.having(kind=9), "newer version"
    yield "type 2", sound.having(kind=2), "another type, step or bound"
    yield "type 5", sound.having(kind=5), "no lattice"
    yield "flags 12", sound.having(flags=12), "newer version"
    yield "flags 64", sound.having(flags=64), "newer version"
    yield "a fill value in the header alone", sound.having(flags=16), "another fill value"
    yield "a fill value without its flag", sound.having(fill=struct.pack("<d", 7)), "no lattice"
    yield "another cap", sound.having(flags=32), "no lattice"
    yield "bricks of an array without dimensions", sound.having(flags=4), "per frame"
    yield "bricks of a row", sound.having(flags=4, dims=(n,)), "per frame"
    yield "planes in part", sound.having(flags=4, dims=(4, 100, 100)), "per frame"
    yield "seven planes of cubes", sound.having(flags=8, dims=(4, 100, 100), frame_values=70000), "per frame"
    yield "rows of cubes", sound.having(flags=8, dims=(4, 100, 100), frame_values=3200), "per frame"
    yield "planes of frames that are flat", sound.having(flags=4, dims=(4, 100, 100), frame_values=10000), "impossible number of values"
    yield "flags 128", sound.having(flags=128), "newer version"
    yield "33 dimensions", sound.having(dims=(1,) * 32 + (n,)), "damaged header"
    yield "checksum of the header", patched(data, 48, u64(0)), "damaged header: its checksum"
    yield "frames of no values", sound.having(frame_values=0), "per frame"
    yield "frames of 1000 values", sound.having(frame_values=1000), "per frame"
    yield "frames of 2^27 values", sound.having(frame_values=2**27), "per frame"
    yield "2^60 values", sound.having(values=2**60), "2^60 values or more"
    yield "dimensions of fewer values", sound.having(dims=(n - 1,)), "the shape does not match"
    yield "dimensions beyond 2^64", sound.having(dims=(2**33, 2**33)), "the shape does not match"
    yield "dimensions of an unknown number", sound.having(dims=(n,), values=unknown), "the shape does not match"
    yield "a scalar of many values", sound.having(flags=2), "the shape does not match"
    yield "frames that changed places", swapped(data, sizes), "frame 0: its checksum"
    yield "a frame in another's place", data[:56] + data[56 + sizes[0]:56 + sizes[0] + sizes[1]] + data[56 + sizes[0]:], \
        "do not fill the file"
    yield "a frame missing", sound.having(streams=[one, three]), "announced"
    yield "the last frame missing", sound.having(streams=[one, two]), "announced"
    yield "a frame too many", sound.having(streams=[one, two, three, three]), "impossible number of values"
    yield "a short frame before the last, number unknown", sound.having(streams=recut(sound), values=unknown), "a wrong number of values"
    yield "a frame too many, number unknown", sound.having(streams=[one, two, three, three], values=unknown), "impossible"
    yield "no frame", sound.having(streams=[], values=0, total=0), "announced"
    yield "an end of another number", sound.having(total=n + 1), "announced"
    yield "an empty frame at the end", sound.having(streams=[one, two, empty(one)], values=unknown, total=32768), "damaged"
    yield "another type", sound.having(kind=1), "another type, step or bound"
    yield "another step", sound.having(lattice=sound.parts["lattice"][8:] * 2), "another type, step or bound"
    yield "another bound", sound.having(lattice=sound.parts["lattice"][:8] * 2), "another type, step or bound"
    yield "a stream of version 0.1", sound.having(streams=[b"GHZ1" + one[4:], two, three]), "format 1, of version 0.1 of ghz"
    yield "a file of version 0.1", sound.older["file"], "version 1 of the file format, of version 0.1 of ghz"
    yield "a file of version 2", sound.older["file_2"], "version 2 of the file format, of version 0.2 of ghz before its release"
    yield "a file of version 3", sound.older["file_3"], "version 3 of the file format, of version 0.2 of ghz before its release"
    yield "a stream of format 2", sound.having(streams=[b"GHZ2" + one[4:], two, three]), "format 2, of version 0.2 of ghz before its release"
    yield "a stream of a newer type", sound.having(streams=[one, patched(two, 4, b"\t"), three]), "newer version"
    yield "a stream with a newer flag", sound.having(streams=[one, patched(two, 5, b"\x08"), three]), "newer version"
    filled = patched(patched(two, 5, b"\4"), 64, struct.pack("<d", -999))
    yield "a stream with a fill value", sound.having(streams=[one, filled, three]), "another fill value"
    yield "a stream of 4 dimensions", sound.having(streams=[patched(one, 7, b"\4"), two, three]), "newer version"
    yield "a stream with a byte in use", sound.having(streams=[one, two, patched(three, 52, b"\1")]), "newer version"
    yield "a stream without magic", sound.having(streams=[b"GHZO" + one[4:], two, three]), "no ghz header"
    yield "a stream that is too short", sound.having(streams=[one, two, three[:-1]]), "damaged"
    yield "an end without checksum", patched(data, end + 16, u64(0)), "the checksum of the end"
    for length in (2**64 - 1, container.largest_stream(1, [1, 1, 16384], 0) + 2):
        yield f"a frame of {length} bytes", patched(data, 56, u64(length)), "an impossible length"
    yield "a frame of the largest size", patched(data, 56, u64(container.largest_stream(1, [1, 1, 16384], 0))), "truncated"
    for cut in (1, 5, 55, 56, 63, 64, 68, 56 + sizes[0], end - 1, end, end + 23, end + 24, len(data) - 33, len(data) - 1):
        yield f"cut at {cut}", data[:cut], "not a .ghz file" if cut < 4 else "truncated"
    yield from broken_indexes(sound, end)
    yield from broken_bodies(sound)


def broken_indexes(sound, end):
    """The same of what is in the index, whose checksum fits."""
    data, n = sound.data, sound.parts["values"]
    last = data[end + 24:]

    def entries(change):
        return sound.having(entries=lambda made: [change(e) if i == 1 else e for i, e in enumerate(made)])

    def field(at, form, value):
        return entries(lambda e: patched(e, at, struct.pack(form, value)))

    yield "no index", data[:end + 24], "truncated: ends in the index"
    yield "an index without its tail", data[:-32], "truncated: ends in the index"
    yield "two indexes", data + last, "do not fill the file"
    yield "an index of another file", sound.having(last=last[:60] + b"\1" + last[61:]), "the checksum of the index"
    yield "an index larger than the file", patched(data, len(data) - 24, struct.pack("<Q", 2**40)), "larger than the file"
    yield "another step in the index", sound.having(known={"lattice": sound.parts["lattice"][8:] * 2}), "the header differs"
    yield "another number in the index", sound.having(known={"values": n - 1}), "impossible number of values"
    yield "an unknown number in the index", sound.having(known={"values": container.UNKNOWN}), "lacks the number of values"
    yield "an entry too many", sound.having(entries=lambda made: [*made, made[-1]]), "impossible number of values"
    yield "an entry missing", sound.having(entries=lambda made: made[:-1]), "announced"
    yield "no entry", sound.having(entries=lambda made: []), "truncated: ends in the index"
    yield "bytes behind the entries", sound.having(entries=lambda made: [*made[:-1], made[-1] + b"\0"]), "frame 3: is missing"
    yield "an entry without its page", entries(lambda e: e[:24]), "damaged index"
    yield "an entry of more values", field(0, "<Q", 16385), "impossible number of values"
    yield "an entry of fewer values", field(0, "<Q", 16383), "announced"
    yield "an entry of no values", field(0, "<Q", 0), "impossible number of values"
    yield "an entry of 2^64 - 1 values", field(0, "<Q", 2**64 - 1), "impossible number of values"
    yield "an entry of a huge stream", field(8, "<Q", 2**62), "impossible bytes, terms or flags"
    yield "an entry of a tiny stream", field(8, "<Q", 71), "impossible bytes, terms or flags"
    yield "an entry of a shorter stream", field(8, "<Q", len(sound.streams[1]) - 1), "more bytes than its stream"
    yield "an entry of many terms", field(16, "<I", 2**31), "impossible bytes, terms or flags"
    yield from broken_terms(sound, 2**23 - 1)
    yield "an entry of other terms", field(16, "<I", 2), "the index does not fit the frames"
    yield "an entry of a newer flag", field(20, "<I", 8), "impossible bytes, terms or flags"
    yield "an entry of other terms, and a frame behind it that is damaged", \
        patched(field(16, "<I", 2), end - 20, b"\xaa\xbb"), "the index does not fit the frames"
    yield "an entry that says inexact", field(20, "<I", 2), "the index does not fit the frames"
    yield "an entry that says packed", field(20, "<I", 1), "the index does not fit the frames"
    yield "a page of four bytes", field(24, "<I", 4), "a page of an impossible size"
    yield "a page of more bytes than the frame", field(24, "<I", len(sound.streams[1]) + 2), "a page of an impossible size"
    yield "a page of other bytes", field(24, "<I", len(sound.streams[1]) + 1), "more bytes than its stream"
    yield "a page of another checksum", field(28, "<Q", 1), "the index does not fit the frames"


def broken_terms(sound, most):
    """An index that says the most terms that there are, and one more."""
    for terms, word in (most, "the index does not fit the frames"), (most + 1, "impossible bytes, terms or flags"):
        yield f"an entry of {terms} terms", sound.having(entries=lambda made, t=terms: [patched(made[0], 16, struct.pack("<I", t)), *made[1:]]), word


def broken_bodies(sound):
    """Frames whose sizes or pages lie; the index is not read because it is broken, too."""
    def bodies(change, packed=0):
        return sound.having(body=lambda stream, packed: change(container.stored(stream, packed)), packed=packed, last=b"")

    def more(at, form):
        return bodies(lambda b: patched(b, at, struct.pack(form, struct.unpack_from(form, b, at)[0] + 1)))

    yield "a frame of 71 bytes", bodies(lambda b: b[:71]), "frame 0"
    yield "a header alone", bodies(lambda b: b[:72]), "frame 0"
    yield "a bomb", bodies(lambda b: patched(b, 56, struct.pack("<Q", 2**40))), "frame 0"
    yield "a bomb of 2^64 - 1 bytes", bodies(lambda b: patched(b, 56, struct.pack("<Q", 2**64 - 1))), "frame 0"
    yield "tiles of another step", bodies(lambda b: patched(b, 32, struct.pack("<d", 1))), "another type, step or bound"
    yield "tiles of more bytes than the header says", more(56, "<Q"), "frame 0"
    yield "a page of four bytes in a frame", bodies(lambda b: patched(b[:80], 72, struct.pack("<I", 4))), "frame 0"
    yield "a page that is longer", more(72, "<I"), "frame 0"
    yield "a page of kind 4", bodies(lambda b: patched(b, 76, b"\4")), "frame 0"
    yield "a page by zstd that is none", bodies(lambda b: patched(b, 76, b"\1"), 1), "frame 0"
    yield "a page of symbols that is none", bodies(lambda b: patched(b, 76, b"\3"), 1), "frame 0"
    yield "a page that says more", more(77, "<I"), "frame 0"
    yield "a tile that says more", more(81, "<H"), "frame 0"
    yield "bytes behind pages", bodies(lambda b: b + b"\0"), "frame 0"


def empty(stream):
    """A stream of no values on the same lattice."""
    return stream[:24] + bytes(8) + stream[32:56] + bytes(16)


def refused(data):
    """What the second reader says."""
    try:
        container.File(data).values()
    except (Corrupt, OtherVersion) as e:
        return type(e)
    return None


def complaints(ghz, data, word, verbs):
    """What is wrong with the way in which the command refuses a file."""
    for verb in verbs:
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, "x.ghz"), data)
            done = subprocess.run([ghz, *verb.split(), "x.ghz"], cwd=folder, capture_output=True, text=True, errors="replace",
                                  check=False)
            if done.returncode != 1 or done.stderr.count("\n") != 1 or not done.stderr.startswith("ghz: x.ghz: "):
                return f"ghz {verb}: exit code {done.returncode}, {done.stderr!r}"
            if word not in done.stderr:
                return f"ghz {verb}: no {word!r} in {done.stderr!r}"
            if os.listdir(folder) != ["x.ghz"]:
                return f"ghz {verb}: left {os.listdir(folder)}"
    return None


def refusals(ghz, sound, wide):
    ok, count = True, 0
    for name, data, word in [*broken_files(sound), *broken_terms(wide, 2**14 - 1)]:
        count += 1
        said = refused(data)
        fault = complaints(ghz, data, word, ["test", "info", "decompress -o y"])
        if said != (OtherVersion if "version" in word else Corrupt):
            fault = f"the second reader says {said}"
        if fault:
            print(f"{name}: {fault}")
            ok = False
    print(f"{count} broken files: {'refused, with the reason' if ok else 'NOT ALL REFUSED AS THEY SHOULD BE'}")
    return ok


def recut(sound):
    """The streams with the last frame first cut in two, as if the file had been appended to."""
    *others, last = sound.streams
    n = struct.unpack_from("<Q", last, 24)[0]
    tiles = (n + 1023) // 1024
    ends = (tiles + 15) // 16
    sizes = struct.unpack_from(f"<{tiles}H", last, 72 + 8 * ends)
    payload = last[72 + 8 * ends + 2 * tiles:]

    def part(first, some, values):
        own = payload[sum(sizes[:first]):sum(sizes[:first + some])]
        counted = [sum(sizes[first:first + min(some, i + 16)]) for i in range(0, some, 16)]
        head = last[:24] + struct.pack("<Q", values) + last[32:56] + struct.pack("<Q", len(own)) + last[64:72]
        return head + struct.pack(f"<{len(counted)}Q{some}H", *counted, *sizes[first:first + some]) + own

    return [*others, part(0, 2, 2048), part(2, tiles - 2, n - 2048)]


def accepted(ghz, sound):
    """What looks odd and is sound."""
    short = recut(sound)
    files = [sound.data, sound.having(values=container.UNKNOWN), sound.having(dims=(sound.parts["values"],)),
             sound.having(dims=(4, 100, 100), flags=1), sound.having(packed=1), sound.having(streams=short), sound.data + b"\0",
             sound.data + sound.data[56:-40]]
    plain = decompressed(ghz, sound.data)
    ok = all(container.File(f).values() == plain and decompressed(ghz, f) == plain for f in files)
    print(f"{len(files)} odd files: {'read' if ok else 'NOT READ'}")
    return ok


def flipped(data, count):
    """No bit may change unnoticed."""
    rng, bits = random.Random(2), range(8 * len(data))
    missed = [b for b in (rng.sample(bits, count) if count < len(bits) else bits)
              if not refused(patched(data, b // 8, bytes([data[b // 8] ^ 1 << b % 8])))]
    print(f"bits flipped: {'all noticed' if not missed else f'{missed} NOT NOTICED'}")
    return not missed


def example(ghz, text):
    """The bytes of the worked example in FILE_FORMAT.md."""
    lines = re.findall(r"^    ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  |$)", read(text).decode().split("## A worked example")[1], re.M)
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "01.f32"), struct.pack("<2f", 1, 3))
        subprocess.run([ghz, "compress", "-q", "--abs", "0.5", "01.f32"], cwd=folder, check=True)
        ok = bytes.fromhex(" ".join(lines)) == read(os.path.join(folder, "01.f32.ghz"))
    print(f"the worked example: {'as the command writes it' if ok else 'OTHERWISE'}")
    return ok


def example_page(ghz, text):
    """The page of FILE_FORMAT.md holds the tiles that the command makes of its values."""
    part = read(text).decode().split("### A worked page")[1].split("## ")[0]
    page = bytes.fromhex(" ".join(re.findall(r"^    ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  |$)", part, re.M)))
    x = [4.0 * (i * i // 99 % 41 == 0) for i in range(2048)]
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "x.f32"), struct.pack("<2048f", *x))
        subprocess.run([ghz, "compress", "-q", "--abs", "0.5", "--order", "0", "x.f32"], cwd=folder, check=True)
        stream = container.File(read(os.path.join(folder, "x.f32.ghz"))).bytes[0]
    try:
        header = decoder.Header(stream[:72], b"GHZ3")
        ok = tile_pages.read_stream(stream[:72], [page], 1024, header, container.unpacked) == stream
    except Corrupt as e:
        ok = print(f"the worked page: {e}")
    print(f"the worked page: {'what it says' if ok else 'OTHERWISE'}")
    return bool(ok)


# ---- Files that were appended to ----


def behind_cut(ghz, name, data):
    """Where an append ended at any byte, the array is what it was before, or after."""
    whole = container.File(data).values()
    found = set()
    first = len(make(ghz, name, upto=1))
    for cut in [first, len(data) - 1, *range(first + 1, len(data), 211)]:
        had = container.File(data[:cut]).values()
        found.add(len(had))
        if decompressed(ghz[0], data[:cut]) != had or not whole.startswith(had):
            print(f"{name}.ghz, cut at {cut}: not what it was before")
            return False
    print(f"{name}.ghz, cut anywhere: {len(found)} arrays that it was")
    return len(found) == 3


def torn(ghz, name, data):
    """Where any first bytes of the last tail did not reach the disk, the array is what it was before, unless they were 0."""
    before = container.File(data[:-1]).values()
    for lost in range(1, 33):
        part = patched(data, len(data) - 32, bytes(lost))
        if part != data and not container.File(part).values() == decompressed(ghz[0], part) == before:
            print(f"{name}: not what it was before {lost} bytes of its tail")
            return False
    return True


def mended(data, at, form, value, end=None):
    """The file with a number of its last index changed, or of the one that ends at `end`, and a checksum that fits. at: behind the
    header of the index."""
    end = end or len(data)
    last = container.Index(data[:end])
    changed = bytearray(data)
    struct.pack_into(form, changed, last.begin + last.header.size + at, value)
    changed[end - 16:end - 8] = container.checksum(bytes(changed[last.begin:end - 16]), 0)
    return bytes(changed)


def frame_over_a_part(data):
    """The first frame of the second part is as long as if the index of the first part, which follows it, were in it."""
    end = sum(container.Index(data).parts[1])
    part = container.Index(data[:end])
    at = 24 + 16 * len(part.parts) + 8 if part.appended else 0
    bytes_of_stream, bytes_of_page = struct.unpack_from("<Q", part.entries[0], 8)[0], struct.unpack_from("<I", part.entries[0], 24)[0]
    return mended(mended(data, at + 8, "<Q", bytes_of_stream + 5000, end), at + 24, "<I", bytes_of_page + 5000, end)


def broken_appends(data):
    """The same as broken_files of a file that was appended to."""
    last = container.Index(data)
    (begin, size), *others = last.parts
    entries = 24 + 16 * len(last.parts)
    part = data[begin:begin + size]
    other_step = patched(part, 24, struct.pack("<d", 1))
    other_step = other_step[:48] + container.checksum(other_step[:48], 0) + other_step[56:]
    other_step = other_step[:-16] + container.checksum(other_step[:-16], 0) + other_step[-8:]
    yield "parts of another size", mended(data, 8, "<Q", last.size + 1), "impossible parts"
    yield "65 parts", mended(data, 16, "<Q", 65), "impossible parts"
    yield "2^60 parts", mended(data, 16, "<Q", 2**60), "impossible parts"
    yield "a part behind the file", mended(data, 24, "<Q", len(data)), "part 0: an impossible place"
    yield "a part at 2^64 - 1", mended(data, 24, "<Q", 2**64 - 1), "part 0: an impossible place"
    yield "a part of no bytes", mended(data, 32, "<Q", 0), "part 0: an impossible place"
    yield "a part larger than the file", mended(data, 32, "<Q", 2**63), "part 0: an impossible place"
    yield "a part that begins elsewhere", mended(data, 24, "<Q", begin - 1), "a part is no index"
    yield "a part that is shorter", mended(data, 32, "<Q", size - 1), "a part is no index"
    yield "a part twice", mended(mended(data, 40, "<Q", begin), 48, "<Q", size), "part 1: an impossible place"
    yield "parts that changed places", mended(mended(data, 24, "<Q", others[0][0]), 32, "<Q", others[0][1]), "damaged index"
    yield "a part whose tail says another size", mended(data, size - 24 - last.header.size, "<Q", size, begin + size), "damaged"
    yield "a frame in another's place", mended(data, entries, "<Q", container.Header(data).size), "an impossible place"
    yield "a frame over a part", frame_over_a_part(data), "place"
    yield "a part that is damaged", patched(data, begin + size - 40, b"\xaa"), "the checksum of the index"
    yield "a part of another step", data[:begin] + other_step + data[begin + size:], "parts of another file"
    yield "a frame in its header", mended(data, entries, "<Q", 8), "an impossible place"
    yield "a frame at 2^64 - 1", mended(data, entries, "<Q", 2**64 - 1), "an impossible place"
    yield "a frame elsewhere", mended(data, entries, "<Q", last.places[0] - 1), "do not fill the file"
    yield "a header of another step", patched(data, 24, struct.pack("<d", 1)), "checksum"
    yield "a frame that is damaged", patched(data, last.places[0] + 60, b"\xaa\xbb"), "checksum"


def refuses_more(appender, data):
    """Whether a file is not appended to, and stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.ghz")
        write(path, data)
        done = subprocess.run([appender, path, "9", "9"], input=values(9, 0), capture_output=True, check=False)
        return done.returncode == 1 and read(path) == data


def of_most_parts(data):
    """The first frame of a file of one, 65 times, in an index with as many parts as there may be: more than an append leaves."""
    sound = container.File(data)
    header, stream, count = sound.header.bytes, sound.bytes[0], sound.header.values
    known, made, parts = container.Index(data).header.bytes, bytearray(header), []
    for number in range(65):
        known = known[:8] + struct.pack("<Q", count * (number + 1)) + known[16:-8]
        known += container.checksum(known, 0)
        body = container.stored(stream)
        at, frame = len(made), struct.pack("<Q", len(body)) + body
        end = struct.pack("<QQ", 0, count * (number + 1))
        made += frame + container.checksum(frame, number) + end + container.checksum(end, 0)
        entry = container.entry(stream, count, 0, container.pages_of(body, 0))
        own = container.index(known, [struct.pack("<Q", at) + entry], parts) if number else container.index(known, [entry])
        parts.append((len(made), len(own)))
        made += own
    return bytes(made)


def most_parts(programs, data):
    """A file whose index has 64 parts is appended to."""
    full = of_most_parts(data)
    before = container.File(full).values()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "full.ghz")
        write(path, full)
        run_append(programs[1], path, "9", "9")
        longer = read(path)
    after = container.File(longer).values()
    ok = longer.startswith(full) and after.startswith(before) and len(after) == len(before) + 36
    ok = ok and decompressed(programs[0], longer) == after
    print(f"a file of {len(container.Index(full).parts)} parts: {'appended to' if ok else 'NOT APPENDED TO'}")
    return ok


def appended(ghz, folder):
    data = read(os.path.join(folder, "appended.ghz"))
    cases = list(broken_appends(data))
    small = make(ghz, "appended_often", upto=1)
    ok = behind_cut(ghz, "appended", data) and most_parts(ghz, small)
    ok = torn(ghz, "appended.ghz", data) and ok
    for name, broken, word in cases:
        said = refused(broken)
        fault = complaints(ghz[0], broken, word, ["test", "decompress -o y"]) or (None if said else "the second reader takes it")
        if word != "checksum" and not refuses_more(ghz[1], broken):  # an append does not read the frames
            fault = "it is appended to"
        if fault:
            print(f"{name}: {fault}")
            ok = False
    print(f"{len(cases)} broken files that were appended to: {'refused' if ok else 'NOT ALL REFUSED'}")
    return ok


# ---- Packing: golden files and streams, packed at level 2, in the folder "packed" beside that of the files ----


def packed(ghz, data, level="2"):
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "x.ghz"), data)
        subprocess.run([ghz, "pack", "-q" + level, "x.ghz", "-o", "y.ghz"], cwd=folder, check=True)
        return read(os.path.join(folder, "y.ghz"))


def noise(ghz):
    """A file whose widths alone are worth symbols."""
    numbers = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "x.f32"), struct.pack("<40000f", *(numbers.uniform(-1, 1) for _ in range(40000))))
        subprocess.run([ghz, "compress", "-q", "--abs", "1e-4", "x.f32", "-o", "x.ghz"], cwd=folder, check=True)
        return read(os.path.join(folder, "x.ghz"))


def pages_of_tiles(programs, folder):
    """The second reader has the same streams of golden files that are packed, and values by the command."""
    kinds, ok = set(), True
    for name, level in [(name, level) for name in [*CASES, "noise"] for level in "12"]:
        data = noise(programs[0]) if name == "noise" else read(os.path.join(folder, name + ".ghz"))
        smaller = packed(programs[0], data, level)
        found = container.File(smaller)
        kinds |= {page[0] for pages in found.pages for page in pages}
        if found.bytes != container.File(data).bytes or decompressed(programs[0], smaller) != decompressed(programs[0], data):
            print(f"{name}.ghz: not what was packed")
            ok = False
    ok = ok and kinds == {0, 1, 2, 3}
    print(f"pages of tiles of kinds {sorted(kinds)}: {'read' if ok else 'NOT READ, OR NOT ALL KINDS'}")
    return ok


def golden_packed(ghz, folder):
    """What was packed once is read for ever; how it is packed may change."""
    beside, ok = os.path.dirname(folder), True
    streams = sorted(f[:-5] for f in os.listdir(os.path.join(beside, "packed")) if f.endswith(".ghzp"))
    for name in streams:
        if container.packed_stream(read(os.path.join(beside, "packed", name + ".ghzp"))) != read(os.path.join(beside, "streams", name + ".ghz")):
            print(f"{name}.ghzp: another stream")
            ok = False
    for name in CASES:
        data = read(os.path.join(beside, "packed", name + ".ghz"))
        sound = read(os.path.join(folder, name + ".ghz"))
        if container.File(data).bytes != container.File(sound).bytes or decompressed(ghz, data) != decompressed(ghz, sound):
            print(f"{name}.ghz, packed: other streams")
            ok = False
    print(f"{len(streams)} packed streams and {len(CASES)} packed files: {'as ever' if ok else 'CHANGED'}")
    return ok and len(streams) >= 55


def main(arguments):
    making = arguments[1:2] == ["--make"]
    ghz, appender, folder, *text = map(os.path.abspath, arguments[2 if making else 1:])
    programs = (ghz, appender)
    if making:
        for name in CASES:
            write(os.path.join(folder, name + ".ghz"), make(programs, name))
            os.makedirs(os.path.join(folder, "packed"), exist_ok=True)
            write(os.path.join(folder, "packed", name + ".ghz"), packed(ghz, make(programs, name)))
        return
    sound = Sound(read(os.path.join(folder, "frames_f32.ghz")), {name: read(os.path.join(folder, "..", "older", name + ".ghz")) for name in ("file", "file_2", "file_3")})
    small, wide = (read(os.path.join(folder, name + ".ghz")) for name in ("fortran", "frames_f64"))
    ok = [example(ghz, text[0]), example_page(ghz, text[0]), golden(programs, folder), golden_packed(ghz, folder), pages_of_tiles(programs, folder), appended(programs, folder), refusals(ghz, sound, Sound(wide, {})), accepted(ghz, sound), flipped(small, 100000), flipped(sound.data, 300)]
    sys.exit(0 if all(ok) else 1)


if __name__ == "__main__":
    main(sys.argv)
