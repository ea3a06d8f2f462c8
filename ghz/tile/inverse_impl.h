/* inverse_impl.h: the inverse transform of a brick along all axes but the last, and outputs of
 * that, in vectors (FORMAT.md, "Coefficients"): in float64, exactly, and in float32, near enough to
 * say what coefficients leave of most values (residual_impl.h). A part of codec.h, and a template:
 * included once per type.
 *
 * Parameter: BITS   32 or 64, of the type; undefined at the end
 *
 * Sums of float64 are of integers below 2^53, so any order of operations gives the same, fused
 * or not. Sums of float32 are exact along x: magnitudes sum up, in each line, to less than
 * EXACT_LINE, so all partial sums are integers below 2^24. What is zero is left out. */
/* SPDX-License-Identifier: BSD-3-Clause */

#define FN(name) PASTE(PASTE(name, _f), BITS)
#define VECTOR PASTE(vec_f, BITS)
#define LANES_HERE PASTE(LANES_OF_, BITS)
#if BITS == 32
#define REAL float
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#else
#define REAL double
#define MULTIPLY_ADD(a, b, c) fma_f64(splat_f64(a), b, c)
#endif

/* A register of at most half a line of 16. */
#if BITS == 32 && VEC == 64
#define LINE_LANES 8
#else
#define LINE_LANES LANES_HERE
#endif
typedef REAL FN(line_lanes) __attribute__((vector_size(LINE_LANES * BITS / 8)));

/* The first half of each row of the matrices; the rest follows by symmetry. */
static const ALIGNED REAL FN(inverse_rows_8)[8][4] = {INVERSE_8};
static const ALIGNED REAL FN(inverse_rows_16)[16][8] = {INVERSE_16};
static const ALIGNED REAL FN(inverse_rows_32)[32][16] = {INVERSE_32};

GHZ_INLINE const REAL *FN(inverse_row)(int n, int u) {
  return n == 8 ? FN(inverse_rows_8)[u] : n == 16 ? FN(inverse_rows_16)[u] : FN(inverse_rows_32)[u];
}

GHZ_INLINE FN(line_lanes) FN(load_lanes)(const REAL *x) {
  FN(line_lanes) v;
  memcpy(&v, x, sizeof v);
  return v;
}

/* A line of n frequencies, `from` apart, of which the first `live` count, an even number, to n
 * values by `scale`. */
GHZ_INLINE void FN(inverse_line)(int n, const REAL *c, int from, unsigned live, REAL scale, REAL *y) {
  FN(line_lanes) even[8], odd[8];
  const int pieces = n / 2 / LINE_LANES;
  const REAL *row = FN(inverse_row)(n, 0);
  GHZ_UNROLL_8 for (int k = 0; k < pieces; k++) even[k] = odd[k] = (FN(line_lanes)){0};
  for (unsigned u = 0; u < live; u += 2, c += 2 * from, row += n)
    GHZ_UNROLL_8 for (int k = 0; k < pieces; k++) {
      even[k] = MULTIPLY_ADD(c[0], FN(load_lanes)(row + k * LINE_LANES), even[k]);
      odd[k] = MULTIPLY_ADD(c[from], FN(load_lanes)(row + n / 2 + k * LINE_LANES), odd[k]);
    }
  GHZ_UNROLL_8 for (int k = 0; k < pieces; k++) {
    const FN(line_lanes) first = (even[k] + odd[k]) * scale, last = (even[k] - odd[k]) * scale,
                         reversed = __builtin_shufflevector(last, last, PASTE(DOWN_, LINE_LANES));
    memcpy(y + k * LINE_LANES, &first, sizeof first);
    memcpy(y + n - (k + 1) * LINE_LANES, &reversed, sizeof reversed);
  }
}

/* Two or four outputs at once and those that mirror them, as many as registers are there for, of
 * one or two registers of lanes. */
typedef struct FN(mirrored_sums) {
  VECTOR first[OUTPUTS][2], last[OUTPUTS][2];
} FN(mirrored_sums);

/* To a register: compilers would load it again for each product. */
GHZ_INLINE VECTOR FN(load_once)(const REAL *x) {
  return *(const volatile VECTOR *)(const volatile void *)x;
}

/* Outputs i and on of n, of `regs` registers of lanes, from `start` and the first `live`
 * frequencies, an even number, `from` apart. */
GHZ_INLINE FN(mirrored_sums)
    FN(inverse_some)(int n, const REAL *c, int from, int live, REAL start, int i, int regs) {
  VECTOR even[OUTPUTS][2], odd[OUTPUTS][2];
  FN(mirrored_sums) s;
  GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++) for (int r = 0; r < regs; r++) {
    even[k][r] = FN(splat)(start);
    odd[k][r] = (VECTOR){0};
  }
  _Pragma("GCC unroll 1") for (int u = 0; u < live; u += 2) {
    const REAL *h = FN(inverse_row)(n, u) + i, *g = FN(inverse_row)(n, u + 1) + i;
    for (int r = 0; r < regs; r++) {
      const VECTOR a = FN(load_once)(c + u * from + r * LANES_HERE),
                   b = FN(load_once)(c + (u + 1) * from + r * LANES_HERE);
      GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++) {
        even[k][r] = FN(fma)(a, FN(splat)(h[k]), even[k][r]);
        odd[k][r] = FN(fma)(b, FN(splat)(g[k]), odd[k][r]);
      }
    }
  }
  GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++) for (int r = 0; r < regs; r++) {
    s.first[k][r] = even[k][r] + odd[k][r];
    s.last[k][r] = even[k][r] - odd[k][r];
  }
  return s;
}

/* Registers of a line of 16, at most two. */
enum { FN(REGS) = 16 / LANES_HERE < 2 ? 1 : 2 };

/* The axis z of lines of 16 values. */
GHZ_INLINE void FN(inverse_depth)(const REAL *c, int live, REAL start, REAL *y) {
  for (int l = 0; l < 16; l += FN(REGS) * LANES_HERE)
    for (int i = 0; i < 4; i += OUTPUTS) {
      const FN(mirrored_sums) s = FN(inverse_some)(8, c + l, 128, live, start, i, FN(REGS));
      GHZ_UNROLL_8 for (int k = 0; k < OUTPUTS; k++) for (int r = 0; r < FN(REGS); r++) {
        vec_store(y + 128 * (i + k) + l + r * LANES_HERE, (vec_16)s.first[k][r]);
        vec_store(y + 128 * (7 - i - k) + l + r * LANES_HERE, (vec_16)s.last[k][r]);
      }
    }
}

/* The axes x and z of cubes: from the coefficients of the places that have any, and below x, to
 * lines of frequencies, and of each layer's; these begin with `start` at uy = 0. Axes take
 * frequencies in pairs: lines between live ones become 0. Returns up to which uy there are any. */
static int FN(layers_of_cubes)(const REAL *c, uint64_t places, unsigned x, REAL scale, REAL start, REAL *lines,
                               REAL *layers) {
  uint64_t pairs = 0;
  int depth[8] = {0}, uys = 0; /* up to which uz of each uy, and up to which uy, even numbers */
  for (uint64_t rest = places; rest; rest &= rest - 1) { /* uz rise, for each uy */
    const int l = __builtin_ctzll(rest), pair = frequency_pairs[l], uy = pair % 8;
    FN(inverse_line)(16, c + l / PLACES * 256 + l % PLACES, PLACES, x, scale, lines + 16 * pair);
    pairs |= UINT64_C(1) << pair;
    depth[uy] = pair / 16 * 2 + 2;
    uys = uy >= uys ? uy / 2 * 2 + 2 : uys;
  }
  for (int u = 0; u < uys; u++) {
    for (int z = 0; z < depth[u]; z++)
      if (!(pairs >> (8 * z + u) & 1))
        memset(lines + 128 * z + 16 * u, 0, 16 * sizeof *lines);
    FN(inverse_depth)(lines + 16 * u, depth[u], u ? 0 : start, layers + 16 * u);
  }
  return uys;
}

/* The axis x of planes, likewise. */
static int FN(lines_of_planes)(const REAL *c, uint64_t places, unsigned x, REAL scale, REAL *lines) {
  const int uys = (int)(bit_length(places) + 1) / 2 * 2;
  for (int l = 0; l < uys; l++)
    if (places >> l & 1)
      FN(inverse_line)(32, c + l / PLACES * 512 + l % PLACES, PLACES, x, scale, lines + 32 * l);
    else
      memset(lines + 32 * l, 0, 32 * sizeof *lines);
  return uys;
}

#undef FN
#undef VECTOR
#undef LANES_HERE
#undef REAL
#undef MULTIPLY_ADD
#undef LINE_LANES
#undef BITS
