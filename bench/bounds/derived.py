# derived.py: owns the figures of docs/CHOOSING_A_BOUND.md about quantities computed from values:
# gradients, Laplacians, means, sums.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: derived.py --ghz build/cli/ghz FILE.f32:NZxNYxNX...

Prints two tables: the relative error of derived quantities at some bounds, and the error of sums of
the planes of each file, which are added without decompressing them.
"""

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

BOUNDS = (1e-2, 1e-3, 1e-4, 1e-5)
SUMS = (4, 16, 64)
CENTRE, LEFT, RIGHT = slice(1, -1), slice(None, -2), slice(2, None)


def gradient(x: np.ndarray) -> np.ndarray:
    """Along the last axis, by central differences."""
    return (x[..., RIGHT] - x[..., LEFT]) / 2


def second(x: np.ndarray) -> np.ndarray:
    """The second derivative along the last axis."""
    return x[..., RIGHT] - 2 * x[..., CENTRE] + x[..., LEFT]


def relative_error(
    of: Callable[[np.ndarray], np.ndarray], true: np.ndarray, result: np.ndarray
) -> float:
    """The rms of the error over the rms of the quantity."""
    exact = of(true)
    return float(np.sqrt(np.mean((of(result) - exact) ** 2) / np.mean(exact**2)))


class Command:
    def __init__(self, ghz: Path, folder: Path) -> None:
        self.ghz, self.folder = ghz, folder

    def run(self, *words: object) -> None:
        subprocess.run(
            [str(self.ghz), *map(str, words)], check=True, cwd=self.folder, capture_output=True
        )

    def back(self, name: str) -> np.ndarray:
        self.run("decompress", "-fq", "-T", "1", name, "-o", "back.f32")
        return np.fromfile(self.folder / "back.f32", dtype="<f4").astype(np.float64)


def derived(command: Command, name: str, dims: str, x: np.ndarray) -> None:
    for rel in BOUNDS:
        command.run("compress", "-fq", "--rel", rel, "--dims", dims, "x.f32", "-o", "x.ghz")
        y = command.back("x.ghz").reshape(x.shape)
        numbers = [
            relative_error(of, x - x.mean(), y - x.mean()) for of in (np.asarray, gradient, second)
        ]
        mean = abs(float(y.mean() - x.mean())) / (rel * np.ptp(x))
        errors = " | ".join(f"{100 * n:.2g} %" for n in numbers)
        print(f"| {name}, {rel:g} | {errors} | {mean:.1g} |")


def planes(command: Command, name: str, x: np.ndarray) -> None:
    bound = 1e-3 * float(np.ptp(x))
    names = [f"p{k}" for k in range(SUMS[-1])]
    for k, plane in enumerate(x[x.shape[0] // 2 - SUMS[-1] // 2 :][: SUMS[-1]]):
        plane.astype("<f4").tofile(command.folder / f"{names[k]}.f32")
        how = ("-fq", "--abs", repr(bound), "--dims", "x".join(map(str, plane.shape)))
        command.run("compress", *how, f"{names[k]}.f32", "-o", f"{names[k]}.ghz")
    for count in SUMS:
        command.run("add", "-fq", *(f"{n}.ghz" for n in names[:count]), "-o", "s.ghz")
        exact = sum(
            np.fromfile(command.folder / f"{n}.f32", dtype="<f4").astype(np.float64)
            for n in names[:count]
        )
        errors = (command.back("s.ghz") - exact) / bound
        rms, largest = np.sqrt(np.mean(errors**2)), np.abs(errors).max()
        print(
            f"| {name} | {count} | {count} | {largest:.2f} | {rms:.2f} | {0.57 * count**0.5:.2f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ghz", type=Path, required=True)
    parser.add_argument("fields", nargs="+")
    args = parser.parse_args()
    fields = [(Path(text.split(":")[0]), text.split(":")[1]) for text in args.fields]
    with tempfile.TemporaryDirectory() as folder:
        command = Command(args.ghz.resolve(), Path(folder))

        def load(path: Path, dims: str) -> np.ndarray:
            Path(folder, "x.f32").write_bytes(path.read_bytes())
            x = np.fromfile(path, dtype="<f4").astype(np.float64)
            return x.reshape([int(n) for n in dims.split("x")])

        print(
            "| field, --rel | values | gradient | second derivative | mean, in bounds |\n"
            "| --- | --- | --- | --- | --- |"
        )
        for path, dims in fields:
            derived(command, path.stem, dims, load(path, dims))
        print(
            "\n| planes of | k | promised, in bounds | largest | rms | 0.57 sqrt(k) |\n"
            "| --- | --- | --- | --- | --- | --- |"
        )
        for path, dims in fields:
            if dims.count("x") == 2:
                planes(command, path.stem, load(path, dims))


if __name__ == "__main__":
    main()
