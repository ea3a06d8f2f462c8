#!/usr/bin/env python3
"""pack.py: puts files into an archive of the tests, beside those that it has: golden files, inputs for a fuzzer.

usage: pack.py ARCHIVE.zip FILE_OR_FOLDER...    Those of fuzzers get names by their content. The same files give the same bytes.
"""
# SPDX-License-Identifier: BSD-3-Clause
import hashlib
import pathlib
import sys
import zipfile


def main(archive, *sources):
    archive = pathlib.Path(archive)
    by_content = archive.parent.name == "seeds"
    files = {}
    if archive.exists():
        with zipfile.ZipFile(archive) as old:
            files = {name: old.read(name) for name in old.namelist()}
    for source in map(pathlib.Path, sources):
        for file in sorted(source.iterdir()) if source.is_dir() else [source]:
            data = file.read_bytes()
            files[hashlib.sha1(data).hexdigest()[:12] if by_content else file.name] = data
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(files):
            new.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED, 9)
    print(f"{archive.name}: {len(files)} files")


if len(sys.argv) < 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
