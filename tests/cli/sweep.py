#!/usr/bin/env python3
"""sweep.py: owns sweeps: a command is run with its first call struck by a fault, then its second, until none is left; after each
run: the exit code, the message, standard output, and every file of the current directory.

usage: FAULTS=library sweep.py [OPTION...] KIND CALLS COMMAND [ARGUMENT...]
KIND   fail, term, late: strikes one call after another; gone, zero: one and all after it;
       rough: all at once, which the result must not show
CALLS  as in faults.c; standard input and output are pipes
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import collections
import errno
import os
import re
import signal
import subprocess
import sys
import tempfile

SECONDS, RUNS_MAX, FOREVER = 60, 5000, 2**62
Run = collections.namedtuple("Run", "code output message hit after")
Strike = collections.namedtuple("Strike", "call error fd path", defaults=("", 0, -1, ""))


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-e", dest="error", type=int, default=0, help="the errno of fail and gone; else one that suits the call")
    parser.add_argument("-i", dest="input", help="goes to standard input")
    parser.add_argument("-f", dest="redirect", action="store_true", help="standard input is the file itself")
    parser.add_argument("-t", dest="text", action="store_true", help="standard output is text: after a failure it may be anything")
    parser.add_argument("-m", dest="many", action="store_true", help="makes several files, of which a failure may leave some whole")
    parser.add_argument("-w", dest="word", help="a message about memory or threads may hold this instead of the usual words")
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
    for name in now.keys() - before.keys() | {n for n in now if now[n] != before.get(n)}:
        os.unlink(name)
    for name, held in before.items():
        if now.get(name) == held:
            continue
        if isinstance(held, str):
            os.symlink(held, name)
        else:
            with open(name, "wb") as f:
                f.write(held)


def is_temporary(name):
    """Whether ghz gives such names to files that are not finished."""
    return re.fullmatch(r"\.ghz-.{6}", name) is not None


# ---- The message ----


def errors_of(message):
    """Its lines about errors; others are said of files that succeeded."""
    return [line for line in message.splitlines() if line.startswith("ghz")]


def wanted_name(task, s):
    """The name that the message about a struck call has to hold."""
    name = os.path.basename(s.path)
    if s.fd in (0, 1):
        return "standard input: " if s.fd == 0 else "standard output: "
    if name.startswith((".ghz-", "#")) or s.call in ("readlink", "linkat"):  # "#": a file that has no name
        return next((b for a, b in zip(task.command, task.command[1:]) if a in ("-o", "--png")), "")
    if name.startswith("ghz-"):
        return "standard input: "  # its temporary file
    return next((word for word in task.command if os.path.basename(word) == name), name)


def check_error(task, s, line):
    if task.calls == "memory":  # lacking for one of the files, or for all of the work
        need(any(word in line for word in ("libghz: ", "standard ", *task.command[1:])), "the message names no file")
        need("memory" in line, "the message does not say what was lacking")
        return
    need(wanted_name(task, s) in line, f"the message does not name '{wanted_name(task, s)}'")
    need(task.kind == "zero" or os.strerror(s.error) in line, f"the message does not say '{os.strerror(s.error)}'")


def check_message(task, s, message):
    if task.word and task.word in message:
        return
    errors = errors_of(message)
    for line in errors:
        check_error(task, s, line)
    if s.fd == 1 and s.error == errno.EPIPE:  # the exit code tells it
        need(not errors, f"{len(errors)} errors are told")
    else:
        need(errors and (len(errors) == 1 or task.kind == "gone"), f"{len(errors)} errors are told")


# ---- Runs and what they leave ----


def run(task, plan):
    """Runs the command by a plan of faults.c."""
    with tempfile.TemporaryFile() as log, tempfile.TemporaryFile() as said:
        given = open(task.input or os.devnull, "rb")
        data = given.read() if task.input and not task.redirect else None
        given.seek(0)
        env = {**os.environ, "GHZ_FAULT_LOG": str(log.fileno()), "GHZ_FAULT": plan, "LD_PRELOAD": os.environ["FAULTS"]}
        child = subprocess.Popen(task.command, stdin=given if data is None else subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=said, env=env, pass_fds=[log.fileno()])
        try:
            output = child.communicate(data, SECONDS)[0]
        except subprocess.TimeoutExpired:
            child.kill()
            raise Failure("it hangs") from None
        finally:
            given.close()
        log.seek(0)
        said.seek(0)
        call, error, fd, path = (log.readline().decode().rstrip("\n").split(" ", 3) + [""] * 4)[:4]
        strike = Strike(call, int(error), int(fd), path) if call else None
        return Run(child.returncode, output, said.read().decode(errors="replace"), strike, state())


class Sweep:
    def __init__(self, task):
        self.task = task
        self.before = state()
        self.wanted = run(task, "")
        need(self.wanted.code == 0, "it fails without a fault")
        restore(self.wanted.after, self.before)

    def check_each(self, r, temporaries_allowed):
        """Each file is as before or as after a good run; but so many may be new and unfinished."""
        need(sum(map(is_temporary, r.after)) <= temporaries_allowed, "a temporary file stays")
        for name in self.before.keys() | r.after.keys() | self.wanted.after.keys():
            need(is_temporary(name) or r.after.get(name) in (self.before.get(name), self.wanted.after.get(name)),
                 f"{name} is neither the old nor the new one")

    def check_all(self, r, want, which):
        for name in r.after.keys() | want.keys():
            need(r.after.get(name) == want.get(name), f"{name} is not as {which}")

    def check_prefix(self, r):
        need(self.wanted.output.startswith(r.output), "standard output is not a beginning of what it should be")

    def check_success(self, r):
        need(r.output == self.wanted.output, "success, but another standard output")
        need(not r.message.startswith("ghz"), "success, but a message")
        s = r.hit or Strike()
        # What a close has failed to keep is lost, though here it is not.
        output = s.fd == 1 or os.path.basename(s.path).startswith(".ghz-")
        need(not (self.task.kind == "fail" and s.call == "close" and output), "success, but the output was not closed")
        if s.call == "unlink":
            self.check_each(r, 1)
        else:
            self.check_all(r, self.wanted.after, "a good run leaves it")

    def check_failure(self, r):
        need(r.code == 1, f"exit code {r.code}")
        check_message(self.task, r.hit, r.message)
        if self.task.many or (r.hit.fd == 1 and r.hit.call == "close"):
            self.check_each(r, 0)  # the last call of all comes after the file has its name
        else:
            self.check_all(r, self.before, "before")
        if not self.task.text:
            self.check_prefix(r)

    def check(self, r):
        deadly = self.task.kind in ("term", "late")
        if r.code < 0:
            need(deadly and r.code == -signal.SIGTERM, signal.strsignal(-r.code))
            self.check_each(r, 0)
            self.check_prefix(r)
        elif r.code == 0:
            need(not (deadly and r.hit), "it survives")
            self.check_success(r)
        else:
            need(not (deadly and r.hit), "it survives")
            need(r.hit and self.task.kind != "rough", f"exit code {r.code}")
            self.check_failure(r)

    def strike(self, fault):
        """A run with this call struck."""
        kind, last = self.task.kind, fault
        if kind in ("gone", "zero", "rough"):
            last = FOREVER
        r = run(self.task, f"{self.task.calls}:{fault}:{last}:{'fail' if kind == 'gone' else kind}:{self.task.error}")
        try:
            self.check(r)
        except Failure as failure:
            raise Failure(f"fault {fault} ({r.hit}): {failure}; it said: {r.message}") from None
        restore(r.after, self.before)
        return r.hit


def sweep(task):
    sweeps = Sweep(task)
    for fault in range(1, RUNS_MAX):
        hit = sweeps.strike(fault)
        need(hit or fault > 1, "it makes no such call")
        if not hit or task.kind == "rough":
            return fault - (not hit)
    raise Failure("no end of it")


def main():
    task = arguments()
    what = f"{task.kind} {task.calls}: {' '.join(task.command[1:])}"
    try:
        print(f"{sweep(task):5} {what}")
    except Failure as failure:
        sys.exit(f"sweep.py: {what}: {failure}")


main()
