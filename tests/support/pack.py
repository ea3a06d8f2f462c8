#!/usr/bin/env python3
"""pack.py: puts files into a folder of an archive of the tests, beside those that it has: golden files, inputs for a fuzzer.

usage: pack.py ARCHIVE.zip FOLDER FILE_OR_FOLDER...    Those of fuzzers get names by their content. The same files give the same bytes.
"""
# SPDX-License-Identifier: BSD-3-Clause
import hashlib
import pathlib
import sys
import zipfile


def main(archive, folder, *sources):
    archive = pathlib.Path(archive)
    with zipfile.ZipFile(archive) as old:
        files = {name: old.read(name) for name in old.namelist()}
    for source in map(pathlib.Path, sources):
        for file in sorted(source.iterdir()) if source.is_dir() else [source]:
            data = file.read_bytes()
            name = hashlib.sha1(data).hexdigest()[:12] if archive.stem == "seeds" else file.name
            files[f"{folder}/{name}"] = data
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(files):
            new.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED, 9)
    print(f"{archive.name}: {sum(name.startswith(folder + '/') for name in files)} files in {folder}")


if len(sys.argv) < 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
