#!/usr/bin/env python3
"""names.py: what the documents name in backticks exists: files and folders in the tree, names and options in its sources; and
so does what they link to.
Each rule of computing and each check of hostile input in FORMAT.md has a test that cites its number in a comment.

usage: names.py PROJECT    A name that belongs to someone else stands in OTHERS, with whose it is; MPI_ is MPI's.
"""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import sys

OTHERS = {
    "xxhash.h": "libxxhash",
    "mpif.h": "MPI",
    "scale_factor": "NetCDF's conventions",
    "ghzmpi_mpich": "made by GHZ_MPI_SUFFIX",
    "libghzmpi_mpich": "made by GHZ_MPI_SUFFIX",
    "libghzmpi_mpich_intercept": "made by GHZ_MPI_SUFFIX",
}
EXTENSIONS = r"\.(c|h|cu|cuh|cc|py|sh|md|txt|cmake|inc|in|csv|json|map|toml|awk|f90|F90|ya?ml)$"
SKIPPED = re.compile(r"(^|/)(build[^/]*|\.git|__pycache__|gpu-results)(/|$)")


def tree(root):
    return sorted(str(p.relative_to(root)) for p in root.rglob("*") if not SKIPPED.search(str(p.relative_to(root))))


def spans(text):
    """The pieces of code in lines of prose, each with the number of its line."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith("    "):
            yield from ((number, code) for code in re.findall(r"`([^`]+)`", line))


def missing(code, paths, words):
    """Whether a piece of code is a path, a name or an option that is nowhere."""
    if code in OTHERS or code.startswith(("build", "MPI_")):
        return False
    if re.fullmatch(r"\w[\w./*{},-]+", code) and re.search(EXTENSIONS + r"|^\w[\w/-]+/$", code) and not re.search(r"\b[A-Z]{3,}\b", code.split("/")[-1]):
        wanted = "|".join(re.escape(w).replace(r"\*", "[^/]*") for w in alternatives(code.rstrip("/")))
        return not any(re.search(rf"(^|/)({wanted})$", p) for p in paths)
    if re.fullmatch(r"[A-Za-z]\w*(\(\))?", code) and re.search(r"_|[a-z][A-Z]", code):
        return code.rstrip("()") not in words and not any(w.endswith("_" + code) for w in words)
    if re.fullmatch(r"--[a-z][\w-]+", code):
        return not {code, code[2:]} & words
    return False


def alternatives(path):
    """a{b,c} is ab and ac."""
    found = re.search(r"\{([^{}]*)\}", path)
    return [path] if not found else [w for part in found[1].split(",") for w in alternatives(path[:found.start()] + part + path[found.end():])]


def uncited(root, heading, word):
    """The numbers of a list of FORMAT.md that no test cites as `rule 3`, `checks 1 and 6`, `rules 1 to 6`."""
    listed = re.search(rf"^## {heading}\n(.*?)^## ", (root / "ghz/FORMAT.md").read_text(), re.M | re.S)[1]
    wanted = {int(n) for n in re.findall(r"^(\d+)\. ", listed, re.M)}
    cited = set()
    for p in [*root.glob("tests/laws/*.c"), *root.glob("tests/library/*.c"), *root.glob("tests/support/*.c")]:
        for comment in re.findall(r"/\*.*?\*/", p.read_text(), re.S):
            for first, joint, last in re.findall(rf"\b{word}s? (\d+)(?: (to|and) (\d+))?", comment, re.I):
                cited |= set(range(int(first), int(last) + 1)) if joint == "to" else {int(n) for n in (first, last) if n}
    return [f"ghz/FORMAT.md: {word} {n}: {'no test cites it' if n in wanted else 'is cited, and is not there'}" for n in sorted(wanted ^ cited)]


def links(root, document):
    """Links that are not of the web, and whether each leads to a file, and to a heading in it. Code holds none."""
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", (root / document).read_text(), flags=re.M | re.S)
    for link in re.findall(r"\]\((?![a-z]+:)([^)]+)\)", text):
        file, _, anchor = link.partition("#")
        target = (root / document).parent / file if file else root / document
        yield link, target.exists() and (not anchor or anchor in anchors(target.read_text()))


def anchors(text):
    """Those that headings get: small letters, digits and hyphens."""
    return {re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#{1,6} (.*)$", text, re.M)}


def main(root):
    root = pathlib.Path(root)
    paths = tree(root)
    pages = [p for p in paths if p.endswith(".md")]
    documents = [p for p in pages if p != "CHANGELOG.md"]
    words = set()
    for p in paths:
        if re.search(EXTENSIONS + r"|\.(ghz|1|pc|cff)$|CMakeLists|completion|/[^.]*$", p) and p not in documents and (root / p).is_file():
            words |= set(re.findall(r"-{0,2}\w[\w-]*|\w+", (root / p).read_text(errors="replace")))
    words |= {part for w in words for part in re.split(r"-+|\W", w)}
    bad = [f"{p}:{n}: {code}" for p in documents for n, code in spans((root / p).read_text()) if missing(code, paths, words)]
    bad += uncited(root, "Computing", "rule") + uncited(root, "Reading hostile input", "check")
    found = [(p, *link) for p in pages for link in links(root, p)]
    bad += [f"{p}: nothing is at {link}" for p, link, good in found if not good]
    print("\n".join(bad) or f"names.py: {len(documents)} documents, nothing that does not exist")
    return 1 if bad or not documents or len(found) < 50 else 0


sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
