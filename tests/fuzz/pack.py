#!/usr/bin/env python3
"""pack.py: puts inputs for a fuzzer into its TARGET_seed_corpus.zip, beside those that it has, under names by their content.

usage: pack.py TARGET FILE_OR_FOLDER...    The same inputs give the same bytes.
"""
# SPDX-License-Identifier: BSD-3-Clause
import hashlib
import pathlib
import sys
import zipfile


def main(target, *sources):
    archive = pathlib.Path(__file__).with_name(target + "_seed_corpus.zip")
    inputs = {}
    if archive.exists():
        with zipfile.ZipFile(archive) as old:
            inputs = {name: old.read(name) for name in old.namelist()}
    for source in map(pathlib.Path, sources):
        for file in sorted(source.iterdir()) if source.is_dir() else [source]:
            data = file.read_bytes()
            inputs[hashlib.sha1(data).hexdigest()[:12]] = data
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(inputs):
            new.writestr(zipfile.ZipInfo(name), inputs[name], zipfile.ZIP_DEFLATED, 9)
    print(f"{archive.name}: {len(inputs)} inputs")


if len(sys.argv) < 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
