#!/usr/bin/env python3
"""skipped.py: one line for each test that was skipped, with what it said.

usage: skipped.py JUNIT.XML...     as ctest --output-junit writes them; what is labelled gpu is one line for all
"""
# SPDX-License-Identifier: BSD-3-Clause
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree


def reason(case):
    said = (case.findtext("system-out") or "").strip().splitlines()
    telling = [line for line in said if re.search(r"skip|no CUDA device|not here|missing", line, re.I)]
    message = case.find("skipped").get("message", "")
    return re.sub(r"^.*skip(ped)?\W*", "", (telling or said or [message])[0], flags=re.I).strip() or message


skipped = collections.defaultdict(list)
for path in map(pathlib.Path, sys.argv[1:]):
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        if case.find("skipped") is not None and case.get("status") != "disabled":
            skipped[path.parent.name, reason(case)].append(case.get("name"))
for (build, why), names in sorted(skipped.items()):
    several = f" and {len(names) - 1} more" if len(names) > 1 else ""
    print(f"{build}: {names[0]}{several}: {why}")
if not skipped:
    print("nothing")
