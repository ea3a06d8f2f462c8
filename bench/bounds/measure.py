# measure.py: owns the figures of docs/CHOOSING_A_BOUND.md: what each bound gives on a field.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: measure.py --ghz build/cli/ghz --out bench/bounds [--rounds N] FILE.f32:NZxNYxNX...

Writes bounds.csv (ratio, PSNR, speed and error statistics of every file at every bound) and
errors.csv (how the errors are distributed). An array of one dimension is measured flat alone.
"""

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

BINS = 40
HISTOGRAMS = (1e-2, 1e-3, 1e-4)
SPEEDS = ("compress_gb_per_s", "decompress_gb_per_s")
TUNED = ("rel", "bound", "ratio", "bits_per_value", "psnr", *SPEEDS)
COLUMNS = (
    "field,dims,layout,rel,abs,ratio,bits/value,PSNR dB,compress GB/s,decompress GB/s,"
    "largest error/bound,rms/bound,mean/bound,correlation along x,values that became 0"
)


def run(*command: object) -> str:
    return subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True
    ).stdout


class Field:
    """A file, its shape, and how the command is to see it."""

    def __init__(self, ghz: Path, text: str, flat: bool) -> None:
        name, self.dims = text.split(":")
        self.ghz, self.path, self.flat = ghz, Path(name), flat
        self.options = ["-T", "1"] + (["--flat"] if flat else ["--dims", self.dims])
        self.values = np.fromfile(self.path, dtype="<f4").astype(np.float64)
        self.row_length = int(self.dims.split("x")[-1])

    def tune(self, rounds: int) -> list[dict[str, Any]]:
        """Every bound of `ghz tune`; the best speeds of all rounds."""
        best: list[dict[str, Any]] = []
        for _ in range(rounds):
            text = run(self.ghz, "tune", "--json", *self.options, self.path)
            bounds = json.loads(text)[0]["bounds"]
            for old, new in zip(best, bounds):
                for speed in SPEEDS:
                    new[speed] = max(new[speed], old[speed])
            best = bounds
        return best

    def errors(self, bound: float) -> np.ndarray:
        """result - original, in bounds."""
        with tempfile.TemporaryDirectory() as folder:
            packed, back = Path(folder, "a.ghz"), Path(folder, "a.f32")
            how = ("-q", "--abs", repr(bound), *self.options)
            run(self.ghz, "compress", *how, self.path, "-o", packed)
            run(self.ghz, "decompress", "-q", "-T", "1", packed, "-o", back)
            self.result = np.fromfile(back, dtype="<f4").astype(np.float64)
        return (self.result - self.values) / bound


def correlation(errors: np.ndarray, row_length: int) -> float:
    """Of the errors of neighbours along x."""
    rows = errors.reshape(-1, row_length)
    square = float(np.mean(rows * rows))
    return float(np.mean(rows[:, 1:] * rows[:, :-1])) / square if square else 0.0


def statistics(field: Field, errors: np.ndarray) -> list[str]:
    lost = np.mean((field.result == 0) & (field.values != 0))
    largest, rms = np.abs(errors).max(), np.sqrt(np.mean(errors * errors))
    numbers = (largest, rms, errors.mean(), correlation(errors, field.row_length), lost)
    return [f"{x:.4g}" for x in numbers]


def measure(field: Field, rounds: int, bounds: Any, histograms: Any) -> None:
    label = [field.path.stem, field.dims, "flat" if field.flat else "shape"]
    for trial in field.tune(rounds):
        errors = field.errors(trial["bound"])
        numbers = ["" if trial[key] is None else f"{trial[key]:.5g}" for key in TUNED]
        bounds.writerow(label + numbers + statistics(field, errors))
        if trial["rel"] in HISTOGRAMS:
            shares, edges = np.histogram(errors, bins=BINS, range=(-1, 1))
            for share, left, right in zip(shares / len(errors), edges, edges[1:]):
                histograms.writerow(
                    label + [trial["rel"], f"{(left + right) / 2:.4g}", f"{share * BINS / 2:.5g}"]
                )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ghz", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("fields", nargs="+")
    args = parser.parse_args()
    with open(args.out / "bounds.csv", "w") as first, open(args.out / "errors.csv", "w") as second:
        bounds, histograms = (csv.writer(file, lineterminator="\n") for file in (first, second))
        bounds.writerow(COLUMNS.split(","))
        histograms.writerow("field,dims,layout,rel,error/bound,density".split(","))
        for text in args.fields:
            one_dimension = "x" not in text.split(":")[1]
            for flat in (True,) if one_dimension else (True, False):
                measure(Field(args.ghz, text, flat), args.rounds, bounds, histograms)


if __name__ == "__main__":
    main()
