#!/usr/bin/env python3
"""transform_tables.py: makes the two matrices of the transform of bricks, and checks what the format says about them.

usage: transform_tables.py [--check]    writes ghz/rules/transform_tables.h and the list in ghz/FORMAT.md; or compares them
                                        with what it would write. Prints the figures that proofs in FORMAT.md rest on

The rows are the eigenvectors of a tridiagonal matrix, between Legendre's polynomials (MU = 0) and cosines (MU without end),
times 256 sqrt n, as integers. Rounding lets smooth values leak into frequencies where they have nothing; a descent moves the
integers to where they leak less, and then lets the even rows sum up to 0. Every machine finds the same: there are sums,
products, quotients and square roots of float64, and fractions.
"""
# SPDX-License-Identifier: BSD-3-Clause
import math
import pathlib
import re
import sys
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent
LENGTHS = 8, 16, 32
MU = 0.1
# How the descents go: other values give other integers, which leak as little. A row's leak counts this many times less than
# that of the row before, squared; no integer strays farther from its real number; a step takes the leak to this part of it.
DECAY = {8: 3, 16: 3, 32: 2}
DECAY_OF_SUMS = 4
STRAY = 3
GAIN = 0.9999


# ---- Real rows --------------------------------------------------------------------------------


def tridiagonal(n):
    """w_i = i (n - i) + MU n^2 / 4 beside the diagonal, and on it what makes the constant's eigenvalue 0."""
    a = [[0.0] * n for _ in range(n)]
    for i in range(1, n):
        w = i * (n - i) + MU * n * n / 4
        a[i][i] -= w
        a[i - 1][i - 1] -= w
        a[i][i - 1] = a[i - 1][i] = w
    return a


def rotate(a, v, p, q):
    """One rotation of Jacobi's method: a[p][q] becomes 0, the columns of v go along."""
    t = (a[q][q] - a[p][p]) / (2 * a[p][q])
    t = math.copysign(1, t) / (abs(t) + math.sqrt(1 + t * t))
    c = 1 / math.sqrt(1 + t * t)
    s = t * c
    for m in a, v:
        for row in m:
            row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    a[p], a[q] = [c * x - s * y for x, y in zip(a[p], a[q])], [s * x + c * y for x, y in zip(a[p], a[q])]


def real_rows(n):
    """The eigenvectors by descending eigenvalue, of length 256 sqrt n, positive at the first place; their first halves."""
    a = tridiagonal(n)
    v = [[float(i == j) for j in range(n)] for i in range(n)]
    while sum(a[p][q] ** 2 for p in range(n) for q in range(p)) > 1e-20:
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p][q]) > 1e-300:
                    rotate(a, v, p, q)
    order = sorted(range(n), key=lambda i: -a[i][i])
    return [[256 * math.sqrt(n) * math.copysign(v[x][i], v[x][i] * v[0][i]) for x in range(n // 2)] for i in order]


# ---- Integers ---------------------------------------------------------------------------------


def inverse(m):
    """Of a square matrix of floats or fractions."""
    n = len(m)
    a = [list(row) + [type(row[0])(i == j) for j in range(n)] for i, row in enumerate(m)]
    for c in range(n):
        p = max(range(c, n), key=lambda i: abs(a[i][c]))
        a[c], a[p] = a[p], a[c]
        a[c] = [v / a[c][c] for v in a[c]]
        for i in range(n):
            if i != c and a[i][c]:
                a[i] = [x - a[i][c] * y for x, y in zip(a[i], a[c])]
    return [row[n:] for row in a]


class Descent:
    """The rows of one parity, as integers beside real ones.

    The leak: real row u is a sum of the integer rows j, each times c[j][u]; the squares of all c[j][u] with j other than u
    are added up, those of smooth rows u with the largest weight, and what a c[u][u] is off from 1 by more than 0.02.
    """

    def __init__(self, real, whole, decay):
        self.real, self.whole = real, [list(row) for row in whole]
        self.weight = [decay ** (-2.0 * u) for u in range(len(real))]
        self.a = inverse([[float(row[x]) for row in whole] for x in range(len(whole))])
        self.c = [[sum(p * q for p, q in zip(row, r)) for r in real] for row in self.a]
        self.count()

    def count(self):
        self.others = sum(w * self.c[j][u] ** 2 for u, w in enumerate(self.weight) for j in range(len(self.c)) if j != u)
        self.leak = self.others + sum(self.penalty(row[u]) for u, row in enumerate(self.c))
        self.row = None

    @staticmethod
    def penalty(own):
        return max(0.0, 1e-4 * (abs(own - 1) - 0.02))

    def look_at(self, k):
        """What the leak of a change in row k needs."""
        if self.row == k:
            return
        weighted = [w * v for w, v in zip(self.weight, self.c[k])]
        squares = [w * v for w, v in zip(weighted, self.c[k])]
        self.row = k
        self.linear = [2 * (sum(w * v for w, v in zip(weighted, row)) - weighted[j] * row[j]) for j, row in enumerate(self.c)]
        self.square = [sum(squares) - v for v in squares]

    def change(self, k, moves):
        """How c changes if moves, pairs (place, amount), are added to row k: it loses g times the products of a vector and
        its own row k. (The formula of Sherman and Morrison.)"""
        v = [sum(row[x] * d for x, d in moves) for row in self.a]
        return v, 1 / (1 + v[k])

    def leak_after(self, k, moves, enough=0.0):
        """Or something that is not below `enough` either."""
        self.look_at(k)
        v, g = self.change(k, moves)
        leak = self.others + sum(g * p * (g * p * s - q) for p, q, s in zip(v, self.linear, self.square))
        return leak if leak >= enough > 0 else leak + sum(self.penalty(row[u] - g * v[u] * self.c[k][u]) for u, row in enumerate(self.c))

    def take(self, k, moves):
        v, g = self.change(k, moves)
        for m in self.c, self.a:
            last = list(m[k])
            for row, p in zip(m, v):
                row[:] = [x - g * p * y for x, y in zip(row, last)]
        for x, d in moves:
            self.whole[k][x] += d
        self.count()

    def gains(self, k, moves):
        """Takes the moves if they gain."""
        if any(abs(self.whole[k][x] + d - self.real[k][x]) > STRAY for x, d in moves):
            return False
        enough = self.leak * GAIN
        if self.leak_after(k, moves, enough) >= enough:
            return False
        self.take(k, moves)
        return True

    def descend(self, rows):
        """Row after row, single moves by 1 or 2 and pairs of moves by 1, until no row gains."""
        places, more = range(len(self.real)), True
        while more:
            more = False
            for k in rows:
                for x in places:
                    for d in -2, -1, 1, 2:
                        more |= self.gains(k, [(x, d)])
                for x in places:
                    for y in range(x):
                        for d, e in (-1, -1), (-1, 1), (1, -1), (1, 1):
                            more |= self.gains(k, [(x, d), (y, e)])

    def sum_to_zero(self, rows):
        """By the steps of 1 that leak least; then by pairs of 1 and -1 in the first row where these gain."""
        places = range(len(self.real))
        for k in rows:
            while total := sum(self.whole[k]):
                d = -1 if total > 0 else 1
                self.take(k, [(min(places, key=lambda x: self.leak_after(k, [(x, d)])), d)])
        any(self.exchange(k) for k in rows)

    def exchange(self, k):
        places, gained, more = range(len(self.real)), False, True
        while more:
            more = any([self.gains(k, [(x, 1), (y, -1)]) for x in places for y in places if x != y])
            gained |= more
        return gained


def integer_rows(n):
    """The first halves of the rows h(n, u). Row 0 stays 256."""
    real = real_rows(n)
    even, odd = (Descent(rows, [[round(v) for v in row] for row in rows], DECAY[n]) for rows in (real[::2], real[1::2]))
    even.descend(range(1, n // 2))
    odd.descend(range(n // 2))
    zero = Descent(real[::2], even.whole, DECAY_OF_SUMS)
    zero.sum_to_zero(range(1, n // 2))
    return [row for pair in zip(zero.whole, odd.whole) for row in pair]


# ---- Factors of the encoder -------------------------------------------------------------------


def fl32(v):
    """A fraction, not too small, rounded to float32: once, ties to even."""
    exponent = abs(v.numerator).bit_length() - v.denominator.bit_length() - 24
    exponent += abs(v) >= Fraction(2) ** (exponent + 24)
    return round(v / Fraction(2) ** exponent) * Fraction(2) ** exponent if v else v


def forward_rows(n, h):
    """128 n times the inverses of both parities: the sum over i of a[u][i] h[w][i] is 128 n if u = w, otherwise 0."""
    even, odd = (inverse([[Fraction(row[i]) for row in h[parity::2]] for i in range(n // 2)]) for parity in (0, 1))
    return [[128 * n * v for v in row] for pair in zip(even, odd) for row in pair]


# ---- What proofs rest on ----------------------------------------------------------------------


def float_errors(a, largest, off):
    """Of one axis, per frequency: how large the exact sums are, and how far off float32 takes them at most, where values have
    magnitudes of `largest` and are off by `off`. A rounding takes u of a magnitude."""
    u = Fraction(1, 2 ** 24)
    pair, pair_off = 2 * (largest + off) * (1 + u), 2 * off + u * 2 * (largest + off)
    less, less_off = 2 * pair * (1 + u), 2 * pair_off + u * 2 * pair  # the last sum
    for k, row in enumerate(a):
        v, v_off, terms = (less, less_off, row[:-1]) if k % 2 == 0 < k else (pair, pair_off, row)
        total = error = Fraction(0)
        for i, f in enumerate(map(abs, terms)):
            error += (f * v_off + 2 * u * f * v) * (1 + u)  # the factor's rounding, the product's
            total += f * v * (1 + u) ** 2
            error += u * total if i else 0
            total *= 1 + u
        yield 2 * largest * sum(map(abs, row)), error


def transform_error(axes):
    """The largest error of a coefficient whose values have magnitudes of 2^18 steps at most."""
    first = Fraction(2 ** 18, 32)
    states = [(first, first * 3 / 2 ** 24)]
    for a in axes:  # errors are rounded up, or the fractions grow
        states = {(v, Fraction(math.ceil(e * 2 ** 20), 2 ** 20)) for s in states for v, e in float_errors(a, *s)}
    return max(e for _, e in states)


def products(n, h):
    """Of the rows of each row's parity with it, by the squares of the norms that they should have: near 1 and 0."""
    return [[Fraction(2 * sum(a * b for a, b in zip(p, q)), 65536 * n) for q in h[u % 2::2]] for u, p in enumerate(h)]


def stretch(n, h):
    """No vector's square of the length changes by more under the matrix: the largest sum of a row of products less 1."""
    return max(sum(abs(v - (w == u // 2)) for w, v in enumerate(row)) for u, row in enumerate(products(n, h)))


def largest_cosine(n, h):
    p = products(n, h)
    return max(abs(v) / math.sqrt(row[u // 2] * p[2 * w + u % 2][w]) for u, row in enumerate(p) for w, v in enumerate(row) if w != u // 2)


def largest(h):
    return max(abs(v) for row in h for v in row)


def at_a_place(h, power):
    return max(sum(abs(row[x]) ** power for row in h) for x in range(len(h) // 2))


def claims(h, a):
    """What FORMAT.md and comments in the code say: (text, number, what it may be)."""
    for n in LENGTHS:
        yield f"n = {n}: sums of the even rows but the first", sum(abs(sum(row)) for row in h[n][2::2]), 0
        yield f"n = {n}: frequency 0 of the encoder, less sums of values", sum(abs(v - 1) for v in a[n][0]), 0
        yield f"n = {n}: magnitudes of a frequency's factors, in sum", max(2 * sum(map(abs, row)) for row in a[n]), n
        yield f"n = {n}: norms by 256 sqrt n, less 1", max(abs(math.sqrt(row[u // 2]) - 1) for u, row in enumerate(products(n, h[n]))), 0.009
        yield f"n = {n}: norms of columns by 256 sqrt n", math.sqrt(at_a_place(h[n], 2) / n) / 256, 1.004
    for name, axes in ("cubes", (8, 8, 16)), ("planes", (32, 32)):
        scale = math.prod(256 * math.sqrt(n) for n in axes)
        sums = math.prod(at_a_place(h[n], 1) for n in axes)
        computed = float(transform_error([a[n] for n in axes]))
        off = computed + max(2.5, axes[-1] / 8)  # what is dropped: a block, or a group of lines below 1/8
        longer = math.prod(1 / math.sqrt(1 - stretch(n, h[n])) for n in axes)
        columns = math.prod(math.sqrt(at_a_place(h[n], 2)) for n in axes)
        yield f"{name}: error of a coefficient in float32, M = 2^18 step", computed, 33
        yield f"{name}: error of a value, where that of each coefficient is 1", sums / scale, 27
        yield f"{name}: |q'| beside coefficients", off * sums / scale + 0.5, 2 ** 10
        yield f"{name}: length of coefficients by that of values", longer, 1.073
        yield f"{name}: fresh sums by 2^53", (2 ** 23 * longer + 32 * off) * columns / 2 ** 53, 0.55
        yield f"{name}: sums, c(0, 0, 0) 2^28, others 2^25, by 2^53", (2 ** 28 * 256 ** len(axes) + 2 ** 25 * math.prod(largest(h[n]) for n in axes)) / 2 ** 53, 0.9
        yield f"{name}: any H by 2^97", sums / 2 ** 34, 1


# ---- Files ------------------------------------------------------------------------------------

HEADER = """\
/* transform_tables.h: the two matrices of the transform of bricks, for lengths 8, 16 and 32
 * (FORMAT.md, "Coefficients"): rows of frequencies, each by its first half; frequency u is even
 * or odd as u is. Made by scripts/transform_tables.py. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_TRANSFORM_TABLES_H
#define GHZ_TRANSFORM_TABLES_H

/* clang-format off */
"""


def literal(v):
    text = f"{float(v):.9g}"
    return text + ("F" if re.search("[.e]", text) else ".0F")


def c_table(name, rows):
    return f"#define {name} \\\n" + ", \\\n".join("  {" + ", ".join(row) + "}" for row in rows) + "\n"


def c_header(h, a):
    text = HEADER
    for n in LENGTHS:
        text += f"\n/* Length {n}: the decoder's integers, and the largest magnitude of them. */\nenum {{ LARGEST_{n} = {largest(h[n])} }};\n" + c_table(f"INVERSE_{n}", [map(str, row) for row in h[n]])
        text += "\n/* 128 n times the inverse: the encoder's factors of sums and differences. */\n"
        text += c_table(f"FORWARD_{n}", [map(literal, row) for row in a[n]])
    return text + "/* clang-format on */\n\n#endif\n"


def listed(h):
    """The part of FORMAT.md between its marks."""
    text = ""
    for n in LENGTHS:
        for u, row in enumerate(h[n]):
            text += f"    {f'n = {n}' if u == 0 else '':8}u = {u:<4}" + "".join(f"{v:5}" for v in row) + "\n"
    text += "\n| n | largest magnitude | largest sum of magnitudes at a place | largest cosine of two rows |\n| --- | --- | --- | --- |\n"
    for n in LENGTHS:
        text += f"| {n} | {largest(h[n])} | {at_a_place(h[n], 1)} | {largest_cosine(n, h[n]):.4f} |\n"
    return text


def with_list(text, made):
    begin, end = "<!-- scripts/transform_tables.py writes what follows -->\n\n", "\n<!-- up to here -->"
    before, rest = text.split(begin)
    return before + begin + made + end + rest.split(end, 1)[1]


def shows(text, a):
    """Whether the encoder's factors in the text, of two rows of length 8, are these."""
    rows = [(a[8][int(u)], row.split()) for u, row in re.findall(r"^    u = (\d)   (-?0x1.*)$", text, re.M)]
    return len(rows) == 2 and all(float.fromhex(v) == f for row, shown in rows for f, v in zip(row, shown))


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    h = {n: integer_rows(n) for n in LENGTHS}
    a = {n: [[fl32(v) for v in row] for row in forward_rows(n, h[n])] for n in LENGTHS}
    bad = 0
    for text, value, limit in claims(h, a):
        bad += value > limit
        print(f"{text}: {float(value):.6g}{f', SHOULD BE AT MOST {limit}' if value > limit else ''}")
    for name, made in ("ghz/rules/transform_tables.h", lambda _: c_header(h, a)), ("ghz/FORMAT.md", lambda text: with_list(text, listed(h))):
        path, text = ROOT / name, (ROOT / name).read_text()
        if not arguments:
            path.write_text(made(text))
        elif text != made(text):
            bad += 1
            print(f"{name} IS NOT WHAT THIS PROGRAM WRITES")
    if not shows((ROOT / "ghz/FORMAT.md").read_text(), a):
        bad += 1
        print("ghz/FORMAT.md shows other factors of the encoder")
    return 1 if bad else 0


sys.exit(main(sys.argv[1:]))
