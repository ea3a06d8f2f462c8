#!/usr/bin/env python3
"""recipes.py: all that names the version names that of ghz.h; the drafts for Spack and conda can be
read, and give CMake no option that the project does not have.

usage: recipes.py SOURCES VERSION     exit code 77: no PyYAML, with which conda's is read
"""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import sys
import types
from typing import Any

CMAKE_OWN = {"BUILD_SHARED_LIBS", "CMAKE_BUILD_TYPE", "CMAKE_CUDA_ARCHITECTURES", "MPI_C_COMPILER"}
CMAKE_OWN |= {"CMAKE_DISABLE_FIND_PACKAGE_PNG"}


class Spec(dict[str, Any]):
    """A build with every variant, or with none."""

    def __init__(self, everything: bool):
        super().__init__(mpi=types.SimpleNamespace(mpicc="mpicc"))
        self.everything = everything
        self.variants = {"cuda_arch": types.SimpleNamespace(value=("90",))}

    def satisfies(self, constraint: str) -> bool:
        return constraint.startswith("+") == self.everything


class Package:
    """What a recipe uses of Spack's class."""

    run_tests = False

    def define(self, name: str, value: Any) -> str:
        return f"-D{name}={value}"

    def define_from_variant(self, name: str, variant: str) -> str:
        if variant not in VARIANTS:
            sys.exit(f"package.py: {name} is given by {variant}, which is no variant")
        return f"-D{name}={variant}"


VERSIONS: list[str] = []
VARIANTS: list[str] = ["cuda"]  # CudaPackage brings that one


def told(into: list[str]) -> Any:
    return lambda name, **_: into.append(name)


def decorator(*_: Any, **__: Any) -> Any:
    return lambda function: function


def spack_options(recipe: pathlib.Path) -> set[str]:
    words = {"CMakePackage": Package, "CudaPackage": type("CudaPackage", (), {}), "variant": told(VARIANTS)}
    words |= {"version": told(VERSIONS), "depends_on": told([]), "license": told([])}
    words |= {"run_after": decorator, "on_package_attributes": decorator}
    text = recipe.read_text().replace("from spack.package import *\n", "")
    exec(compile(text, str(recipe), "exec"), words)
    options = set()
    for everything in (True, False):
        package = words["Libghz"]()
        package.spec = Spec(everything)
        options |= {argument[2:].split("=")[0] for argument in package.cmake_args()}
    return options


# What names the version, apart from the recipes.
NAMED = {
    "CITATION.cff": r"^version: (.*)$",
    "docs/ghz.1": r'^\.TH GHZ 1 "" "ghz (.*?)"',
    "docs/INSTALL.md": r"libghz@([0-9.]+) ",
    "packaging/debian/changelog": r"\Alibghz \((.*?)-",
    "plugins/python/pyproject.toml": r'^version = "(.*)"$',
}


def check_versions(sources: pathlib.Path, version: str) -> None:
    for name, pattern in NAMED.items():
        said = re.findall(pattern, (sources / name).read_text(), re.M)
        if said != [version]:
            sys.exit(f"{name}: the version is {said}, not {version}")
    if (sources / "plugins/python/LICENSE").read_bytes() != (sources / "LICENSE").read_bytes():
        sys.exit("plugins/python/LICENSE is not LICENSE")
    minor = version.rpartition(".")[0]
    for name, line in (("ghz/ghz.map", f"GHZ_{minor} {{"), ("docs/INSTALL.md", f"find_package(ghz {minor} REQUIRED)")):
        if line not in (sources / name).read_text():
            sys.exit(f"{name} has no '{line}'")


def main(sources: pathlib.Path, version: str) -> None:
    check_versions(sources, version)
    known = set(re.findall(r"^(?:option|set)\((GHZ_\w+) .*", (sources / "CMakeLists.txt").read_text(), re.M)) | CMAKE_OWN
    used = spack_options(sources / "packaging/spack/package.py")
    if VERSIONS != [version]:
        sys.exit(f"package.py: versions are {VERSIONS}, not {version}")
    try:
        import yaml
    except ImportError:
        print("skipped: no PyYAML, so conda's recipe was not read")
        sys.exit(77)
    conda = (sources / "packaging/conda/recipe.yaml").read_text()
    recipe = yaml.safe_load(conda)
    if recipe["context"]["version"] != version:
        sys.exit(f"recipe.yaml: the version is {recipe['context']['version']}, not {version}")
    builds = yaml.safe_load((sources / "packaging/conda/variants.yaml").read_text())
    if set(builds) != {"mpi"} or "nompi" not in builds["mpi"]:
        sys.exit(f"variants.yaml: {builds}")
    used |= set(re.findall(r"-D(\w+)=", conda))
    if used - known or not {"GHZ_MPI", "GHZ_ZSTD"} <= used:
        sys.exit(f"the recipes give options that CMakeLists.txt does not have: {used - known}")
    print(f"{len(used)} options in two recipes of {version}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
