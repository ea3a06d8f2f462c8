#!/usr/bin/env python3
"""Holds FORMAT.md against the library: the second decoder must read the golden streams and messages as their table says, which
the library does, too; add streams to what the library makes of them, join the messages that it cuts, and refuse the inputs of a
fuzzer, and headers with another byte, that it refuses; and the worked example of the text must be what it says.

usage: check.py MAKE_STREAMS FORMAT.md GOLDEN_FOLDER goldens.inc FOLDER_OF_INPUTS
"""
# SPDX-License-Identifier: BSD-3-Clause
import itertools
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

import decoder


def contents(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


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
    assert decoder.pack(result.header.type, result.values()) == contents(folder, name + ".raw"), f"{name}: other values"
    messages = [contents(folder, f"{name}.{i}.msg") for i in range(3)]
    assert decoder.join(messages) == contents(folder, name + ".combined"), f"{name}: its messages make another stream"
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
    checksums = {name: int(value, 16) for name, value in re.findall(r'^MADE\((\w+), (0x\w+)', text, re.M)}
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
    return ok and count > 10 and brick_example(brick)


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


def refuses(data):
    try:
        decoder.decode(data)
    except (decoder.Corrupt, decoder.OtherVersion):
        return True
    return False


def other_headers(golden_folder, folder):
    """Files whose header has another byte, at every place; with a fill value and without."""
    for name in ("f64_one.ghz", "f32_nothing.ghz", "f32_no_bricks.ghz", "f32_message_of_nothing.msg"):
        for flags in (0, 4):
            data = bytearray(contents(golden_folder, name)[:])
            data[5] |= flags
            for at, value in itertools.product(range(len(data)), (0, 1, 2, 4, 8, 9, 35, 44, 127, 128, 240, 255)):
                path = os.path.join(folder, f"{name}.{flags}.{at}.{value}")
                with open(path, "wb") as f:
                    f.write(data[:at] + bytes([value]) + data[at + 1:])
                yield path


def judged(files, said):
    """What the library says of inputs of a fuzzer and of changed headers, the second decoder says, too."""
    wrong = [f for f, word in zip(files, said) if word != "either" and refuses(contents(".", f)) != (word == "refused")]
    print(f"{len(said)} inputs, {said.count('refused')} refused: {wrong or 'by both'}")
    return not wrong and len(said) == len(files) and min(map(said.count, ("taken", "refused"))) > 20


def main():
    make_streams, text, folder_of_golden, table, inputs = sys.argv[1:]
    ok = example(text)
    ok &= golden(folder_of_golden, table)
    files = [os.path.join(inputs, f) for f in sorted(os.listdir(inputs))]
    with tempfile.TemporaryDirectory() as folder:
        files += other_headers(folder_of_golden, folder)
        said = subprocess.run([make_streams, folder, *files], check=True, capture_output=True, text=True).stdout.split()
        ok &= compare_combinations(folder)
        ok &= judged(files, said)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
