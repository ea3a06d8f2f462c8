#!/usr/bin/env python3
"""sweep.py: owns sweeps: a command is run with its first call struck by a fault, then its second, until none is left; after each
run: the exit code, the message, standard output, and every file of the current directory.

usage: FAULTS=library sweep.py [-i INPUT] [-t] KIND CALLS COMMAND [ARGUMENT...]
-i     goes to standard input, which is a pipe as standard output is
-t     standard output is text: after a failure it may be anything, and what was made before it stays
KIND   fail, term, late: strikes one call after another; gone, zero: one and all after it;
       rough: all at once, which the result must not show
CALLS  as in faults.c
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import collections
import os
import re
import signal
import subprocess
import sys
import tempfile

SECONDS, RUNS_MAX, FOREVER = 60, 5000, 2**62
Run = collections.namedtuple("Run", "code output message hit after")
Strike = collections.namedtuple("Strike", "call error fd path")


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-i", dest="input", default=os.devnull)
    parser.add_argument("-t", dest="text", action="store_true")
    parser.add_argument("kind")
    parser.add_argument("calls")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


class Failure(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Failure(what)


# ---- The files of the current directory ----


def state():
    """What each regular file holds, and where each link points."""
    found = {}
    for entry in os.scandir("."):
        if entry.is_symlink():
            found[entry.name] = os.readlink(entry.name)
        elif entry.is_file():
            with open(entry.name, "rb") as f:
                found[entry.name] = f.read()
    return found


def restore(now, before):
    for name in [n for n in now if now[n] != before.get(n)]:
        os.unlink(name)
    for name in [n for n in before if now.get(n) != before[n]]:
        if isinstance(before[name], str):
            os.symlink(before[name], name)
        else:
            with open(name, "wb") as f:
                f.write(before[name])


def is_temporary(name):
    """Whether ghz gives such names to files that are not finished."""
    return re.fullmatch(r"\.ghz-.{6}", name) is not None


# ---- Runs and what they leave ----


def run(task, plan):
    """Runs the command by a plan of faults.c."""
    with tempfile.TemporaryFile() as log, tempfile.TemporaryFile() as said, open(task.input, "rb") as given:
        env = {**os.environ, "GHZ_FAULT_LOG": str(log.fileno()), "GHZ_FAULT": plan, "LD_PRELOAD": os.environ["FAULTS"]}
        try:
            done = subprocess.run(task.command, input=given.read(), stdout=subprocess.PIPE, stderr=said, env=env,
                                  pass_fds=[log.fileno()], timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure("it hangs") from None
        log.seek(0)
        said.seek(0)
        words = log.readline().decode().rstrip("\n").split(" ", 3)
        hit = Strike(words[0], int(words[1]), int(words[2]), words[3]) if words[0] else None
        return Run(done.returncode, done.stdout, said.read().decode(errors="replace"), hit, state())


def names(task, s):
    """What the message about a struck call may name."""
    if task.calls == "memory":  # lacking for one of the files, or for all of the work
        return ["libghz: ", "standard ", *task.command[1:]]
    if s.fd in (0, 1):
        return ["standard input: " if s.fd == 0 else "standard output: "]
    own = [word for word in task.command if os.path.basename(word) == os.path.basename(s.path)]
    outputs = [b for a, b in zip(task.command, task.command[1:]) if a in ("-o", "--png")]
    return own or ["standard input: ", *(outputs or task.command[-1:])]


class Sweep:
    def __init__(self, task):
        self.task = task
        self.before = state()
        self.wanted = run(task, "")
        need(self.wanted.code == 0, "it fails without a fault")
        restore(self.wanted.after, self.before)

    def check_files(self, r, allowed, temporaries=0):
        """Each file is as in one of these states; but so many may be new and unfinished."""
        need(sum(map(is_temporary, r.after)) <= temporaries, "a temporary file stays")
        for name in {name for s in (r.after, *allowed) for name in s}:
            need(is_temporary(name) or r.after.get(name) in [s.get(name) for s in allowed], f"{name} is not as it should be")

    def check_message(self, r):
        """One line says which file, and why; others are said of what succeeded."""
        task, errors = self.task, [line for line in r.message.splitlines() if line.startswith("ghz")]
        why = "memory" if task.calls == "memory" else "" if task.kind == "zero" else os.strerror(r.hit.error)
        need(len(errors) == 1 or (errors and task.kind == "gone"), f"{len(errors)} errors are told")
        for line in errors:
            need(any(name in line for name in names(task, r.hit)), f"the message names none of {names(task, r.hit)}")
            need(why in line, f"the message does not say '{why}'")

    def check(self, r):
        task, old, good = self.task, self.before, self.wanted.after
        deadly = task.kind in ("term", "late")
        need(r.code in (0, 1) or (deadly and r.code == -signal.SIGTERM), f"exit code {r.code}")
        need(r.code < 0 or not (deadly and r.hit), "it survives")
        if r.code == 0:
            need(r.output == self.wanted.output, "success, but another standard output")
            need(not r.message.startswith("ghz"), "success, but a message")
            output = r.hit is not None and (r.hit.fd == 1 or os.path.basename(r.hit.path).startswith(".ghz-"))
            need(not (output and task.kind == "fail" and r.hit.call == "close"), "success, but the output was not closed")
            unlinked = r.hit is not None and r.hit.call == "unlink"
            self.check_files(r, [old, good] if unlinked else [good], unlinked)
            return
        need(task.text or self.wanted.output.startswith(r.output), "standard output is not a beginning of what it should be")
        if r.code == 1:
            need(r.hit and task.kind != "rough", "a failure without a fault")
            self.check_message(r)
        last = r.code == 1 and r.hit.fd == 1  # standard output is closed after a file has its name
        self.check_files(r, [old, good] if r.code < 0 or task.text or last else [old])

    def strike(self, fault):
        """A run with this call struck."""
        kind, last = self.task.kind, FOREVER if self.task.kind in ("gone", "zero", "rough") else fault
        r = run(self.task, f"{self.task.calls}:{fault}:{last}:{'fail' if kind == 'gone' else kind}")
        try:
            self.check(r)
        except Failure as failure:
            raise Failure(f"fault {fault} ({r.hit}): {failure}; it said: {r.message}") from None
        restore(r.after, self.before)
        return r.hit


def main():
    task = arguments()
    what = f"{task.kind} {task.calls}: {' '.join(task.command[1:])}"
    try:
        sweep = Sweep(task)
        for fault in range(1, RUNS_MAX):
            hit = sweep.strike(fault)
            need(hit or fault > 1, "it makes no such call")
            if not hit or task.kind == "rough":
                return print(f"{fault - (not hit):5} {what}")
        raise Failure("no end of it")
    except Failure as failure:
        sys.exit(f"sweep.py: {what}: {failure}")


main()
