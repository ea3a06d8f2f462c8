#!/usr/bin/env python3
"""Holds FORMAT.md against the library: the second decoder must give what the library gives, byte for byte, of streams and
of the messages that they are cut into; the worked example of the text must be what it says; damage must be noticed; and the
golden files must be read as their table says.

usage: check.py MAKE_STREAMS FORMAT.md GOLDEN_FOLDER goldens.inc
"""
# SPDX-License-Identifier: BSD-3-Clause
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

import decoder


def contents(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


def difference(kind, given, wanted):
    size = (4, 8)[kind]
    at = next((i for i in range(0, len(wanted), size) if given[i:i + size] != wanted[i:i + size]), 0)
    return f"value {at // size}: decoder {given[at:at + size][::-1].hex()}, library {wanted[at:at + size][::-1].hex()}"


def compare_stream(folder, name):
    """What is wrong with the stream or its messages, if anything."""
    stream, wanted = contents(folder, name + ".ghz"), contents(folder, name + ".raw")
    messages = [contents(folder, f"{name}.{i}.msg") for i in range(3)]
    try:
        kind, bits = decoder.decode(stream)
        if decoder.pack(kind, bits) != wanted:
            return difference(kind, decoder.pack(kind, bits), wanted)
        array = [0] * len(bits)
        for m in messages:
            decoder.Stream(m, is_message=True).scatter(array)
        if decoder.pack(kind, array) != wanted:
            return "messages: " + difference(kind, decoder.pack(kind, array), wanted)
        return None if decoder.join(messages) == stream else "its messages make another stream"
    except (decoder.Corrupt, decoder.OtherVersion) as e:
        return f"{type(e).__name__.lower()}: {e}"


def compare(folder):
    names = sorted(f[:-4] for f in os.listdir(folder) if f.endswith(".ghz"))
    different = 0
    for name in names:
        fault = compare_stream(folder, name)
        if fault:
            print(f"{name}: {fault}")
            different += 1
    print(f"{len(names) - different} of {len(names)} streams agree, with their messages")
    return len(names) > 0 and different == 0


def read_tile(data, tile, h):
    """Order, mode, integers inside, coefficients and specials of a tile that is not raw; zeros of an empty one."""
    if not data:
        return 0, 0, [0] * tile.m, None, 0, 0
    mode, q, *rest = decoder.lattice_tile(data, tile, h)
    return data[0] & 3, mode, [q[i] for i in tile.columns], *rest


def combined(tiles, coefficients, h):
    """The same of a linear combination, by FORMAT.md, "Computing", rule 5, in integers without an end."""
    order, mode = max(t[0] for t in tiles), max(t[1] for t in tiles)
    q, waves, plus, minus = [0] * len(tiles[0][2]), None, 0, 0
    for (_, own, integers, c, up, down), k in zip(tiles, coefficients):
        lift = k * (2 if h.halved(mode) and not h.halved(own) else 1)
        q = [a + lift * b for a, b in zip(q, integers)]
        if c:
            waves = [a + k * b for a, b in zip(waves or [0] * decoder.TILE, c)]
        plus, minus = plus | (up if k > 0 else down), minus | (down if k > 0 else up)
    if waves:
        waves[0] = (waves[0] + 2**63) % 2**64 - 2**63
    return order, mode, q, waves, plus, minus


def compare_combination(folder, name, divisor, weights):
    """The tiles that were compared; fails with the first that differs."""
    operands = [decoder.Stream(contents(folder, f"{name}.{i}.operand")) for i in range(len(weights))]
    result, count = decoder.Stream(contents(folder, name + ".combined")), 0
    finest = min(s.header.step for s in operands)
    factors = [round(s.header.step / finest) for s in operands]
    assert all(s.header.step / f == finest for s, f in zip(operands, factors)), f"{name}: steps are no multiples"
    assert result.header.step == finest / divisor, f"{name}: the step is another one"
    coefficients = [f * w for f, w in zip(factors, weights)]
    terms = sum(abs(k) * s.header.terms for k, s in zip(coefficients, operands))
    assert result.header.terms == terms, f"{name}: {result.header.terms} terms, not {terms}"
    for t, data in enumerate(result.tiles):
        tile = decoder.Tile(result.header, t)
        parts = [(s, k) for s, k in zip(operands, coefficients) if s.tiles[t] and k]
        if parts and not any(s.tiles[t][0] >> 3 & 3 == 3 for s, _ in parts):
            wanted = combined([read_tile(s.tiles[t], tile, s.header) for s, _ in parts], [k for _, k in parts], result.header)
            assert read_tile(data, tile, result.header) == wanted, f"{name}, tile {t}: the combination is another one"
            count += 1
    return count


def compare_combinations(folder):
    lines = [line.split() for line in contents(folder, "combinations.txt").decode().splitlines()]
    try:
        count = sum(compare_combination(folder, name, int(d), [int(w) for w in c]) for name, d, *c in lines)
    except AssertionError as e:
        print(e)
        return False
    print(f"{len(lines)} combinations of streams that no encoder writes: {count} tiles agree")
    return count > 200


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 2**64 - 1
    return value


def values_of(data):
    """The values of a stream or message; of a message of bricks the array, with zeros for what it does not hold."""
    stream = decoder.Stream(data, data[:4] == b"GHZO")
    array = [0] * stream.header.n
    stream.scatter(array)
    return decoder.pack(stream.header.type, array if stream.header.dims > 1 else stream.values())


def golden(folder, table):
    """The golden files against the checksums of their values."""
    text = contents(".", table).decode()
    checksums = {name: int(value, 16) for name, value in re.findall(r'^(?:MADE\(|\{")(\w+)"?, (0x\w+)', text, re.M)}
    files = sorted(os.listdir(folder))
    ok = sorted(os.path.splitext(f)[0] for f in files) == sorted(checksums)
    for f in files:
        try:
            right = fnv(values_of(contents(folder, f))) == checksums.get(os.path.splitext(f)[0])
            fault = None if right else "other values"
        except (decoder.Corrupt, decoder.OtherVersion) as e:
            fault = f"{type(e).__name__.lower()}: {e}"
        if fault:
            print(f"{f}: {fault}")
            ok = False
    print(f"{len(files)} golden files: {'read' if ok else 'NOT ALL READ'}")
    return ok and len(files) > 0


def fenced(text, kind):
    found = re.findall(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)
    assert len(found) == 1, f"one block of {kind} in the text"
    return found[0].split()


def example(path):
    """The stream in the text, field by field and value by value."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    text = text[text.index("## A worked example"):]
    text, brick = text.split("### A brick")
    data = bytes(int(b, 16) for b in fenced(text, "hex"))
    kind, bits = decoder.decode(data)
    values = struct.unpack(f"<{len(bits)}f", decoder.pack(kind, bits))
    wanted = [float(v) for v in fenced(text, "values")]
    ok = kind == 0 and len(values) == len(wanted)
    ok &= all(v == w or (math.isnan(v) and math.isnan(w)) for v, w in zip(values, wanted))
    count = fields(text, data)
    print(f"worked example: {len(data)} bytes, {count} fields, {len(values)} values: {'right' if ok else 'wrong'}")
    return ok and count > 10 and brick_example(brick), data


def fields(text, data):
    """How many fields of a stream the text shows; 0 if one of them is something else."""
    ok, found = True, re.findall(r"^\| (\d+) \| ((?:`[0-9a-f. ]+` ?)+)\|", text, re.M)
    end = 0
    for offset, shown in found:
        start = bytes.fromhex("".join(re.findall(r"[0-9a-f]+", shown)))
        if int(offset) < end or data[int(offset):int(offset) + len(start)] != start:
            print(f"FORMAT.md: the field at {offset} is not {shown}")
            ok = False
        end = int(offset) + len(start)
    return len(found) if ok else 0


def brick_example(text):
    """The brick in the text, field by field, and those of its values that it shows."""
    data = bytes(int(b, 16) for b in fenced(text, "brick"))
    kind, bits = decoder.decode(data)
    values = struct.unpack(f"<{len(bits)}f", decoder.pack(kind, bits))
    shown = fenced(text, "brick-values")
    ok = len(bits) == 1024 and len(shown) % 4 == 0
    for z, y, x, value in zip(*[iter(shown)] * 4):
        ok &= f"{values[(int(z) * 8 + int(y)) * 16 + int(x)]:.9g}" == value
    print(f"worked brick: {len(data)} bytes, {fields(text, data)} fields, {len(shown) // 4} values: {'right' if ok else 'wrong'}")
    return ok and fields(text, data) > 10


def inverse(rows):
    """Of a matrix of integers, in fractions."""
    n = len(rows)
    a = [[Fraction(v) for v in row] + [Fraction(i == j) for j in range(n)] for i, row in enumerate(rows)]
    for p in range(n):
        best = max(range(p, n), key=lambda j: abs(a[j][p]))
        a[p], a[best] = a[best], a[p]
        a[p] = [v / a[p][p] for v in a[p]]
        for j in range(n):
            if j != p:
                a[j] = [v - a[j][p] * w for v, w in zip(a[j], a[p])]
    return [row[n:] for row in a]


def forward_factors():
    """The encoder's factors as they are in the library: for each length the rows, as float32."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../ghz/rules/transform_tables.h"), encoding="utf-8") as f:
        tables = re.findall(r"#define FORWARD_(\d+)((?:.*\\\n)*.*)", f.read())
    return {int(n): [[struct.pack("<f", float(v.strip("F"))) for v in row.split(", ")] for row in re.findall(r"{([^}]*)}", rows)]
            for n, rows in tables}


def matrices(path):
    """The rows in the text are nearly orthogonal, of length 256 sqrt n; sums of even ones vanish; the encoder's factors, and those
    that the text shows, are the inverse's."""
    ok, factors = True, forward_factors()
    for n, rows in decoder.ROWS.items():
        products = [[sum(v * w for v, w in zip(a, b)) / (65536 * n) for b in rows] for a in rows]
        ok &= all(abs(v - (i == j)) < 0.02 for i, row in enumerate(products) for j, v in enumerate(row))
        ok &= rows[0] == [256] * n and not any(sum(row) for row in rows[1:])
        for odd in range(2):
            half = decoder.HALVES[n][odd::2]
            exact = inverse([list(column) for column in zip(*half)])
            ok &= [[struct.pack("<f", 128 * n * v) for v in row] for row in exact] == factors[n][odd::2]
    with open(path, encoding="utf-8") as f:
        shown = re.findall(r"^    u = (\d)   (-?0x1.*)$", f.read(), re.M)
    ok &= all([struct.pack("<f", float.fromhex(v)) for v in row.split()] == factors[8][int(u)][:len(row.split())] for u, row in shown)
    print(f"matrices: {'right' if ok else 'WRONG'}")
    return ok and len(shown) == 2 and [(n, len(rows), len(rows[n - 1])) for n, rows in decoder.ROWS.items()] == [
        (8, 8, 8), (16, 16, 16), (32, 32, 32)]


def mutated(data, count):
    """Damaged streams give values or are refused, and nothing else."""
    rng = random.Random(1)
    for _ in range(count):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        refuses(bytes(broken[:rng.randint(0, len(broken))] if rng.random() < 0.2 else broken))


def refuses(data):
    """What the decoder says of bytes: Corrupt, OtherVersion, or None for values."""
    try:
        decoder.decode(data)
    except (decoder.Corrupt, decoder.OtherVersion) as e:
        return type(e)
    return None


def message_of(stream):
    """The message of all tiles of a stream of one chunk."""
    tiles = decoder.Header(stream, b"GHZ3").tiles
    return b"GHZO" + stream[4:72] + struct.pack("<QQ", 0, tiles) + stream[80:]


def patched(data, at, *values):
    return data[:at] + bytes(values) + data[at + len(values):]


def shaped(data, dims, *extent):
    return patched(data, 7, dims, *struct.pack("<QQQ", *extent))


def rules(stream):
    """Every check of the header and the index (FORMAT.md, "Reading hostile input", 1 to 6), on the example of the text."""
    message = message_of(stream)
    ok = decoder.decode(message) == decoder.decode(stream)
    for data in stream, message:
        filled = patched(data, 5, 4)
        ok &= all(refuses(patched(filled, 64, *struct.pack("<d", v))) is None for v in (0, -0.0, -999, 2.0**66))
        ok &= decoder.decode(patched(filled, 64, *struct.pack("<d", -999)))[1][17] == 0xc479c000
        newer = [patched(data, 4, 9), patched(data, 5, 8), patched(data, 5, 128), patched(data, 7, 0), patched(data, 7, 4),
                 patched(data, 52, 1), patched(data, 55, 1), patched(data, 4, 9, 0, 99), patched(data, 7, 0x13), patched(data, 7, 0x81),
                 *(b"GHZ" + old + data[4:] for old in (b"1", b"M", b"2", b"N"))]
        corrupt = [data[:71], patched(data, 3, ord("4")), patched(data, 4, 5), patched(data, 4, 4, 0, 44), patched(data, 4, 3, 0, 44), patched(data, 6, 44), patched(data, 6, 0), patched(data, 39, 0x80),
                   patched(data, 38, 0xf0, 0x7f), patched(data, 47, 0x80), patched(data, 46, 0xf0, 0x7f), patched(data, 51, 1),
                   patched(data, 50, 0x80), patched(data, 56, 0x4d), patched(data, 63, 0xff), data[:-1], data + b"\0",
                   *(patched(filled, 64, *struct.pack("<d", v)) for v in (1e20, 1e39, 1e-46, math.inf, -math.inf, math.nan)),
                   patched(data, 71, 0x80), patched(data, 64, *struct.pack("<d", -999)), patched(data, 5, 2), shaped(data, 1, 2, 1, 10), shaped(data, 1, 1, 2, 10), shaped(data, 3, 2**32, 2**32, 1),
                   shaped(data, 2, 2**63, 1, 2)]
        ok &= all(refuses(d) == decoder.OtherVersion for d in newer) and all(refuses(d) == decoder.Corrupt for d in corrupt)
    streams = [patched(stream, at, 0x4d) for at in (72, 80)]
    streams += [shaped(stream, 1, 1, 1, n) for n in (0, 1025, 2**32, 2**63)]
    streams += [shaped(stream, 3, 1, 1, 20), shaped(stream, 3, 2**60, 0, 15), shaped(stream, 2, 2, 2, 5)]
    messages = [message[:87], patched(message, 72, 1), patched(message, 72, 2), patched(message, 80, 0),
                patched(message, 80, 2), patched(message, 87, 0x80), patched(message, 88, 1)]
    ok &= all(refuses(d) == decoder.Corrupt for d in streams + messages)
    print(f"rules of headers and indexes: {'kept' if ok else 'not kept'}")
    return ok


def main():
    make_streams, text, folder_of_golden, table = sys.argv[1:]
    ok, data = example(text)
    ok &= matrices(text)
    ok &= golden(folder_of_golden, table)
    ok &= rules(data)
    mutated(data, 2000)
    mutated(message_of(data), 2000)
    for name in ("f32_cubes.ghz", "f32_planes_difference.ghz", "f32_message_of_cubes.msg"):
        mutated(contents(folder_of_golden, name), 100)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([make_streams, folder], check=True)
        ok &= compare(folder)
        ok &= compare_combinations(folder)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
