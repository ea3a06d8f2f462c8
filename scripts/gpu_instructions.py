#!/usr/bin/env python3
"""gpu_instructions.py: counts the instructions of disassembled kernels, by pipe.

Machine code has no counts of its own. It says which instruction of the PTX each of its own was made
for, and gets the count of that one. Left out are look-back, whose waiting depends on the device, and
the stubs of branches that only diverged warps take. See gpu_instructions.sh."""
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

# An instruction of the PTX: its opcode, and where it stands in the sources: file and line, and
# those where that was inlined, the innermost first.
Instruction = collections.namedtuple("Instruction", "opcode place")


def same_name(symbol):
    """Without the hashes of internal names, which differ from compile to compile."""
    return re.sub(r"_INTERNAL_[0-9a-f]+_", "_INTERNAL__", re.sub(r"_cu_[0-9a-f]{8}", "_cu_", symbol))


class Places:
    """Places of the sources, as .loc lines say them. Where something is inlined has had a line itself."""

    def __init__(self, text):
        named = re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]+)"', text, re.M)
        self.files = {int(number): os.path.basename(name) for number, name in named}
        self.latest = {}

    def read(self, line):
        found = re.match(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?", line)
        file, number, column = (int(found.group(k)) for k in (1, 2, 3))
        if number == 0:  # of no line
            return None
        place = ((self.files.get(file, "?"), number),)
        if found.group(4):
            place += self.latest.get(tuple(int(found.group(k)) for k in (4, 5, 6)), ())
        self.latest[file, number, column] = place
        return place


def read_ptx(path):
    """Of each function its instructions, in order, and the lines on which they begin."""
    text = open(path, encoding="ascii", errors="replace").read()
    places, place = Places(text), ()
    functions, body, name, within = {}, None, None, False  # within: a statement that has not ended
    for number, line in enumerate(text.splitlines(), 1):
        head = re.match(r"(?:\.visible |\.weak )?\.(?:entry|func)\s+(?:\(.*?\) )?(\w+)", line)
        code = re.sub(r"//.*", "", line).strip()
        if head:
            name = same_name(head.group(1))
        elif line.startswith("{"):
            body = functions.setdefault(name, {})
        elif line.startswith("}"):
            body = None
        elif re.match(r"\.loc\s", code):
            place = places.read(code) or place
        elif body is not None and code:
            statement = re.match(r"(?:\{\s*)?(?:@!?%p\d+\s+)?([a-z][\w.:]*)\s*(?:[^:]|$)", code)
            if statement and not within:
                body[number] = Instruction(statement.group(1), place)
                within = True
            within = within and ";" not in code
    return functions


def read_sass(path):
    """Yields (kernel, line of the PTX, opcode)."""
    text = open(path, encoding="ascii", errors="replace").read()
    stubs = set(re.findall(r"BRA\.DIV\s+\S+\s*`\((\.L_x_\d+)\)", text))
    kernel, number, in_stub = None, 0, False
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.(\S+?),", line)
        label = re.match(r"(\.L_x_\d+):", line)
        at = re.search(r'//## File "\.nv_debug_ptx_txt", line (\d+)', line)
        code = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]+)", line)
        if section:
            kernel, number, in_stub = section.group(1), 0, False
        elif label:
            in_stub = in_stub or label.group(1) in stubs
        elif at:
            number = int(at.group(1))
        elif code and kernel:
            was_stub = in_stub
            in_stub = in_stub and code.group(1) != "BRA"
            if not was_stub and code.group(1) != "NOP":
                yield kernel, number, code.group(1).split(".")[0]


def read_counts(path):
    """Of each function the opcodes and runs of its instructions, in order."""
    functions = collections.defaultdict(list)
    for row in open(path, encoding="ascii", errors="replace"):
        symbol, _, opcode, runs = row.rstrip("\n").split("\t")
        functions[same_name(symbol)].append((opcode, int(runs)))
    return functions


def runs_of_lines(functions, counts):
    """How often the instruction on each line of the PTX ran."""
    runs = {}
    for name, body in functions.items():
        rows = counts.get(name, [])
        if [i.opcode for i in body.values()] != [opcode for opcode, _ in rows]:
            raise SystemExit(f"gpu_instructions.py: {demangled(name)} was counted in another version")
        runs.update(zip(body, (number for _, number in rows)))
    return runs


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
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("ptx")
    parser.add_argument("sass")
    asked = parser.parse_args()
    if bool(asked.counts) != bool(asked.tiles):
        parser.error("--counts and --tiles go together")
    functions = read_ptx(asked.ptx)
    runs = runs_of_lines(functions, read_counts(asked.counts)) if asked.counts else None
    owner = {line: (name, i) for name, body in functions.items() for line, i in body.items()}
    ran = {name for line, (name, _) in owner.items() if runs and runs[line]}
    waits = lines_that_wait(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    pipes = collections.defaultdict(collections.Counter)
    lines = collections.defaultdict(collections.Counter)
    for kernel, number, opcode in read_sass(asked.sass):
        place = owner[number][1].place if number in owner else ()
        if runs is not None and (same_name(kernel) not in ran or waits.intersection(place[:2])):
            continue
        weight = runs.get(number, 0) / asked.tiles if runs is not None else 1.0
        pipes[kernel][PIPE_OF.get(opcode, "other")] += weight
        for level in set(place if asked.calls else place[:1]):
            lines[kernel][level] += weight
    for kernel in sorted(pipes):
        show(kernel, pipes[kernel], lines[kernel], " a tile" if runs is not None else "", asked.lines)


if __name__ == "__main__":
    main()
