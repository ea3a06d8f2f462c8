#!/usr/bin/env python3
"""gpu_instructions.py: counts the instructions of disassembled kernels, by pipe.

Machine code has no counts of its own: an instruction gets the mean of those of the PTX that comes
from the same source line, inlined at the same place. Left out are look-back, whose waiting depends on
the device, and the stubs of branches that only diverged warps take. See gpu_instructions.sh."""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import collections
import os
import re
import subprocess

# Pipes of a multiprocessor, and what they execute of a warp in a cycle.
PIPES = {
    "logic": (2, "LOP3 SHF PRMT IADD3 VIADD ISETP SEL LEA IMNMX VIMNMX MOV FSETP FSEL FMNMX PLOP3 BMSK SGXT "
                 "LOP VABSDIFF P2R R2P CSEL IABS VIADDMNMX VOTE VOTEU"),
    "multiply": (2, "IMAD IDP IDP4A"),
    "float32": (4, "FADD FMUL FFMA"),
    "float64": (2, "DADD DMUL DFMA DSETP"),
    "memory": (1, "LDS STS LDG STG LD ST LDL STL SHFL ATOMG ATOMS ATOM RED LDGSTS LDC MATCH CCTL"),
    "convert": (0.5, "POPC FLO BREV MUFU I2F F2I F2F I2I FRND REDUX"),
}
PIPE_OF = {op: pipe for pipe, (_, ops) in PIPES.items() for op in ops.split()}
ISSUED = 4  # instructions of all kinds in a cycle
WAITS = ("look_back", "words_before", "watch", "tell")

Place = collections.namedtuple("Place", "file line caller caller_line")


def same_name(symbol):
    """Without the hashes of internal names, which differ from compile to compile."""
    return re.sub(r"_INTERNAL_[0-9a-f]+_", "_INTERNAL__", re.sub(r"_cu_[0-9a-f]{8}", "_cu_", symbol))


def stub_labels(lines):
    return set(re.findall(r"BRA\.DIV\s+\S+\s*`\((\.L_x_\d+)\)", lines))


def read_sass(path):
    """Yields (kernel, function that it calls or None, place, opcode)."""
    text = open(path, encoding="ascii", errors="replace").read()
    stubs = stub_labels(text)
    kernel = function = place = None
    innermost, in_stub = True, False
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.(\S+?),", line)
        label = re.match(r"(\.L_x_\d+):", line)
        called = re.match(r"\$([^\s$]+)\$([^\s:]+):", line)
        at = re.search(r'//## File "([^"]+)", line (\d+)(?: inlined at "([^"]+)", line (\d+))?', line)
        code = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]+)", line)
        if section:
            kernel, function, place, in_stub = section.group(1), None, None, False
        elif label:
            in_stub = in_stub or label.group(1) in stubs
        elif called:
            function = same_name(called.group(2))
        elif at and innermost:
            file, number, caller, caller_number = at.groups()
            place = Place(os.path.basename(file), int(number), os.path.basename(caller or ""), int(caller_number or 0))
            innermost = False
        elif code and kernel:
            innermost, was_stub = True, in_stub
            in_stub = in_stub and code.group(1) != "BRA"
            if not was_stub and code.group(1) != "NOP":
                yield kernel, function, place, code.group(1).split(".")[0]


def read_counts(path):
    """Mean runs of the PTX of a function's places: with the place of inlining, and without it."""
    sums = collections.defaultdict(lambda: [0, 0])
    functions = set()
    for row in open(path, encoding="ascii", errors="replace"):
        symbol, text, _, runs = row.rstrip("\n").split("\t")[:4]
        found = re.match(r"(\S+):(\d+)(?: inlined at (\S+):(\d+))?", text)
        function = same_name(symbol)
        functions.add(function)
        if not found:
            continue
        file, line, caller, caller_line = found.groups()
        place = Place(os.path.basename(file), int(line), os.path.basename(caller or ""), int(caller_line or 0))
        for key in (function, place), (function, place.file, place.line):
            sums[key][0] += int(runs)
            sums[key][1] += 1
    return functions, {key: total / number for key, (total, number) in sums.items()}


def lines_that_wait(root):
    """Lines of look-back, and of the words that blocks tell each other things by."""
    waits = set()
    for file in "kernels/target.cuh", "primitives/warp.cuh":
        inside = False
        for number, line in enumerate(open(os.path.join(root, "ghz/cuda", file), encoding="utf-8"), 1):
            if re.match(r"(template|DEVICE|struct)", line):
                inside = any(re.search(rf"\b{name}\b", line) for name in WAITS)
            elif re.match(r"template", line):
                inside = False
            if inside:
                waits.add((os.path.basename(file), number))
    return waits


def demangled(symbol):
    name = subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=False).stdout.strip() or symbol
    return re.sub(r"\(.*", "", name).replace("void ", "")


def show(kernel, pipes, lines, unit, most):
    total = sum(pipes.values())
    cycles = {pipe: pipes[pipe] / rate for pipe, (rate, _) in PIPES.items()}
    cycles["issue"] = total / ISSUED
    limit = max(cycles, key=cycles.get)
    print(f"{demangled(kernel)}: {total:.0f} instructions{unit}")
    print("  " + ", ".join(f"{pipe} {number:.0f}" for pipe, number in pipes.most_common()))
    if unit:
        print(f"  {cycles[limit]:.0f} cycles of a multiprocessor at least: {limit}")
    for (file, line), number in lines.most_common(most):
        print(f"  {number:8.1f}  {file}:{line}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--counts")
    parser.add_argument("--tiles", type=float)
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("sass")
    asked = parser.parse_args()
    if bool(asked.counts) != bool(asked.tiles):
        parser.error("--counts and --tiles go together")
    functions, runs = read_counts(asked.counts) if asked.counts else (None, None)
    waits = lines_that_wait(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    pipes = collections.defaultdict(collections.Counter)
    lines = collections.defaultdict(collections.Counter)
    for kernel, function, place, opcode in read_sass(asked.sass):
        weight = 1.0
        if runs is not None:
            ran = function or same_name(kernel)
            if same_name(kernel) not in functions or place is None:
                continue
            weight = runs.get((ran, place), runs.get((ran, place.file, place.line), 0)) / asked.tiles
            if (place.file, place.line) in waits or (place.caller, place.caller_line) in waits:
                continue
        pipes[kernel][PIPE_OF.get(opcode, "other")] += weight
        if place:
            lines[kernel][place.file, place.line] += weight
    for kernel in sorted(pipes):
        show(kernel, pipes[kernel], lines[kernel], " a tile" if runs is not None else "", asked.lines)


if __name__ == "__main__":
    main()
