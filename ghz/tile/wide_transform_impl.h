/* wide_transform_impl.h: the inverse transform of any coefficients, in 128 bits: those of sums
 * of very many terms, and hostile ones. Slow, and exact. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

__extension__ typedef __int128 wide_integer;

/* n frequencies to n values, in place, for each line of an axis whose steps are `stride`. */
static void wide_axis(unsigned n, unsigned stride, wide_integer a[TILE]) {
  for (unsigned i = 0; i < TILE; i++) {
    wide_integer line[32];
    if (i / stride % n)
      continue;
    for (unsigned u = 0; u < n; u++)
      line[u] = a[i + u * stride];
    for (unsigned x = 0; x < n; x++) {
      wide_integer sum = 0;
      for (unsigned u = 0; u < n; u++)
        sum += line[u] * inverse_factor(n, u, x);
      a[i + x * stride] = sum;
    }
  }
}

/* H(C), in brick order. Magnitudes are below 2^63 * LARGEST_8^2 * LARGEST_16 * 2^10 < 2^100. */
static void wide_inverse(int dims, const int64_t c[TILE], wide_integer k[TILE]) {
  const unsigned n = dims == 3 ? 16 : 32;
  for (unsigned i = 0; i < TILE; i++) {
    const unsigned place = i / (PLACES * n) * PLACES + i % PLACES, ux = i / PLACES % n,
                   line = dims == 3 ? frequency_pairs[place] : place;
    k[line * n + ux] = c[i];
  }
  wide_axis(n, 1, k);
  if (dims == 3)
    wide_axis(8, 16, k), wide_axis(8, 128, k);
  else
    wide_axis(32, 32, k);
}
