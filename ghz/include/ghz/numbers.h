/* numbers.h: numbers from streams.
 *
 * Sums, means, norms, products and distances of what streams hold, without decompressing it.
 *
 *   #include <ghz/numbers.h>
 *
 *   ghz_summary s;
 *   if (ghz_moments(NULL, (ghz_bytes){stream, size}, &s) == GHZ_OK)
 *     printf("mean %g, of the original values from %g to %g\n", s.mean.value, s.mean.low,
 *            s.mean.high);
 *
 * Promises
 *   exact         The integers of the lattice, and values that are stored raw, are summed up
 *                 without rounding, and each result is rounded once. It has the same bits whatever
 *                 the number of threads, the machine, or the order in which streams are added to a
 *                 tally.
 *   intervals     Each result comes with an interval that surely holds the same quantity of the
 *                 original values (with terms > 1: of the exact sums of the originals), because
 *                 each of these is within ghz_info.bound of what the stream holds; values stored
 *                 raw, those of tiles of one value, and those on a grid (GHZ_STEP) whose step is a
 *                 power of two are the originals. Where `inexact` is 1 the
 *                 interval has no end.
 *
 * Conventions
 *   As in ghz.h: errors, units, threads, contexts, and streams that may hold any bytes.
 *   Missing       NaN, infinities and fill values are left out and counted.
 *   Values        are taken before decompression rounds them to their type: a sum that decompresses
 *                 to infinity is a finite number here.
 *   Units         of sum, mean, deviation, norm, rms and largest those of the data; of variance and
 *                 product their square.
 *   Source        Exact accumulators of floating-point sums: Kulisch and Miranker, 1986. Those of
 *                 lattice integers, and the intervals: our own.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_NUMBERS_H
#define GHZ_NUMBERS_H

#include <ghz/ghz.h>

GHZ_C_BEGIN

/* ---- Results --------------------------------------------------------------------------------- */

/* The number, rounded to nearest, and the interval; all NaN where there is no such number. */
typedef struct ghz_estimate {
  double value, low, high;
} ghz_estimate;

typedef struct ghz_summary {
  uint64_t count;    /* finite values; mean, variance and deviation need one */
  uint64_t specials; /* other values, which are left out */
  ghz_estimate sum, mean;
  ghz_estimate variance;  /* the mean of the squared distances from the mean: divided by count */
  ghz_estimate deviation; /* its root */
  ghz_estimate norm;      /* L2: the root of the sum of squares */
} ghz_summary;

typedef struct ghz_comparison {
  uint64_t count;       /* pairs of finite values; mean, rms and largest need one */
  uint64_t specials;    /* other pairs, which are left out */
  uint64_t mismatches;  /* of those: one is special and the other is not, or they are so in different ways */
  ghz_estimate product; /* the dot product: the sum of a * b */
  ghz_estimate mean;    /* of a - b */
  ghz_estimate rms;     /* the root of the mean of (a - b)^2 */
  ghz_estimate largest; /* the largest |a - b| */
  uint64_t index;       /* the first place where it is, in C order; UINT64_MAX without pairs */
  uint64_t place[3];    /* the same as z, y, x */
} ghz_comparison;

/* ---- One stream, or two ---------------------------------------------------------------------- */

/* Sums up one stream. */
GHZ_API_CHECKED ghz_status ghz_moments(ghz_context *ctx, ghz_bytes src, ghz_summary *summary);

/* Compares two streams a and b of the same type, shape and lattice, else EMISMATCH, and
 * ghz_context_message says what differs; their terms may. */
GHZ_API_CHECKED ghz_status ghz_difference(ghz_context *ctx, ghz_bytes a, ghz_bytes b,
                                          ghz_comparison *comparison);

/* ---- Along axes ------------------------------------------------------------------------------ */

/* Sums a stream along axes of its array.
 * extents: those of the array, `rank` of them (1 to 32), the slowest first: joined to three as
 * ghz_shape_make does, or in any other way that gives the shape of the stream, else EMISMATCH.
 * axes: bit i says that axis i is summed; 0 sums none.
 * sums: one for each place along the other axes, in C order. Each is the exact sum of what the
 * stream holds, rounded once, and but for that within its count times ghz_info.bound of the
 * originals'.
 * counts: NULL, or how many values each sum is of. 0 where all are missing: the sum is 0, too.
 * Scratch beyond what ghz_context_create says: 400 bytes for each sum that is under way: for each
 * thread at most 4096; or, where of the axes that z, y or x joins some are summed and some are not,
 * as many as there are places along those that are kept, times 128.
 * Errors: EINVAL (rank, an axis beyond it), EMISMATCH. */
GHZ_API_CHECKED ghz_status ghz_sum_axes(ghz_context *ctx, ghz_bytes src, size_t rank, const uint64_t *extents,
                                        uint32_t axes, double *sums, uint64_t *counts);

/* ---- Many streams ---------------------------------------------------------------------------- */

enum { GHZ_TALLY_WORDS = 418 };

/* Exact sums that go on from stream to stream: over the frames of a file, over files, over the
 * ranks of a job (it has no pointers, and may be sent as bytes between equal machines with the same
 * version of libghz). Begins as {0}. */
typedef struct ghz_tally {
  uint64_t opaque[GHZ_TALLY_WORDS];
} ghz_tally;

/* Adds a stream, or the pairs of two streams; a tally has either. The streams of a tally may have
 * any lattices. On error the tally is unchanged. Errors: as ghz_difference; EINVAL if the tally has
 * the other kind; ERANGE beyond 2^64 values. */
GHZ_API_CHECKED ghz_status ghz_tally_add(ghz_context *ctx, ghz_tally *tally, ghz_bytes src);
GHZ_API_CHECKED ghz_status ghz_tally_add_pair(ghz_context *ctx, ghz_tally *tally, ghz_bytes a, ghz_bytes b);

/* Adds the streams of another tally, which come after those of this one: that counts for
 * ghz_comparison.index alone. Errors: EINVAL, ERANGE, as above. */
GHZ_API_CHECKED ghz_status ghz_tally_merge(ghz_tally *tally, const ghz_tally *other);

/* What the streams so far give together, as if they were one: ghz_moments or ghz_difference of all
 * values. The place of the largest difference is that in an array of `shape`, whose values the
 * streams hold one after the other; NULL: in a flat one. Errors: EINVAL (NULL, the other kind). */
GHZ_API_CHECKED ghz_status ghz_tally_summary(const ghz_tally *tally, ghz_summary *summary);
GHZ_API_CHECKED ghz_status ghz_tally_comparison(const ghz_tally *tally, const ghz_shape *shape,
                                                ghz_comparison *comparison);

GHZ_C_END
#endif
