#!/usr/bin/env python3
"""Holds FORMAT.md against the library: the second decoder must give what the library gives, byte for byte, and the
worked example of the text must be what it says.

usage: check.py MAKE_STREAMS FORMAT.md
"""
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import decoder


def compare(folder):
    names = sorted(f[:-4] for f in os.listdir(folder) if f.endswith(".ghz"))
    different = 0
    for name in names:
        with open(os.path.join(folder, name + ".ghz"), "rb") as f:
            stream = f.read()
        with open(os.path.join(folder, name + ".raw"), "rb") as f:
            wanted = f.read()
        try:
            kind, bits = decoder.decode(stream)
            given = decoder.pack(kind, bits)
        except decoder.Corrupt as e:
            print(f"{name}: corrupt: {e}")
            different += 1
            continue
        if given != wanted:
            size = (4, 8)[kind]
            at = next((i for i in range(0, len(wanted), size) if given[i:i + size] != wanted[i:i + size]), 0)
            print(f"{name}: value {at // size}: decoder {given[at:at + size][::-1].hex()}, "
                  f"library {wanted[at:at + size][::-1].hex()}")
            different += 1
    print(f"{len(names) - different} of {len(names)} streams agree")
    return len(names) > 0 and different == 0


def fenced(text, kind):
    found = re.findall(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)
    assert len(found) == 1, f"one block of {kind} in the text"
    return found[0].split()


def example(path):
    """The stream in the text, field by field and value by value."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    data = bytes(int(b, 16) for b in fenced(text, "hex"))
    kind, bits = decoder.decode(data)
    values = struct.unpack(f"<{len(bits)}f", decoder.pack(kind, bits))
    wanted = [float(v) for v in fenced(text, "values")]
    ok = kind == 0 and len(values) == len(wanted)
    ok &= all(v == w or (math.isnan(v) and math.isnan(w)) for v, w in zip(values, wanted))
    fields = re.findall(r"^\| (\d+) \| ((?:`[0-9a-f. ]+` ?)+)\|", text[text.index("## A worked example"):], re.M)
    end = 0
    for offset, shown in fields:
        start = bytes.fromhex("".join(re.findall(r"[0-9a-f]+", shown)))
        if int(offset) < end or data[int(offset):int(offset) + len(start)] != start:
            print(f"FORMAT.md: the field at {offset} is not {shown}")
            ok = False
        end = int(offset) + len(start)
    print(f"worked example: {len(data)} bytes, {len(fields)} fields, {len(values)} values: {'right' if ok else 'wrong'}")
    return ok and len(fields) > 10, data


def mutated(data, count):
    """Damaged streams give values or Corrupt, and nothing else."""
    rng = random.Random(1)
    for _ in range(count):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        try:
            decoder.decode(bytes(broken[:rng.randint(0, len(broken))] if rng.random() < 0.2 else broken))
        except decoder.Corrupt:
            pass


def main():
    make_streams, text = sys.argv[1:]
    ok, data = example(text)
    mutated(data, 2000)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([make_streams, folder], check=True)
        ok &= compare(folder)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
