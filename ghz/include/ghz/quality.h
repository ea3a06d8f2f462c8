/* quality.h: how well a result resembles its original.
 *
 *   #include <ghz/quality.h>
 *
 *   ghz_quality q;
 *   ghz_meter *m;
 *   if (ghz_meter_create(2, (const uint64_t[]){ny, nx}, &m) == GHZ_OK)
 *     ghz_meter_add(m, original, result, ny * nx);
 *   if (m && ghz_meter_read(m, &q) == GHZ_OK)
 *     printf("PSNR %g dB, SSIM %g\n", q.psnr, q.ssim);
 *   ghz_meter_free(m);
 *
 * Conventions
 *   Values        x of the original, y of the result, as doubles, in the order of the memory, in as
 *                 many calls as one likes; each of NULL or 0 values is allowed.
 *   Missing       NaN and infinities on either side are left out; fill values are the caller's to
 *                 make NaN.
 *   NaN           is a number that there is not: a PSNR without a range, an SSIM of small planes.
 *   Threads       One meter serves one thread at a time.
 *   Source        Data SSIM: Baker, Pinard and Hammerling, "DSSIM: a structural similarity index
 *                 for floating-point data", 2022 (arXiv:2202.02616). Of each plane both fields are
 *                 brought to [0, 1] by the range that they have together, and to 256 levels; means,
 *                 variances and covariance are those of a Gaussian window, 11 x 11, of sigma 1.5,
 *                 which lies inside the plane; C1 = C2 = 1e-8. The weights of a window are those of
 *                 the values that are there, and places without a value do not count.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_QUALITY_H
#define GHZ_QUALITY_H

#include <ghz/ghz.h>

GHZ_C_BEGIN

#define GHZ_QUALITY_NDIM 32

typedef struct ghz_quality {
  uint64_t count;           /* pairs of values */
  uint64_t finite;          /* of them finite on both sides */
  uint64_t mismatches;      /* where NaN or infinities differ, */
  uint64_t first_mismatch;  /* and the first of them */
  double error, error_rest; /* the largest |x - y| is exactly their sum */
  uint64_t error_at;
  double min, max;                     /* of the finite values of x */
  double rms, bias;                    /* root of the mean of (x - y)^2; mean of y - x */
  double nrmse, psnr;                  /* rms over max - min, and that in dB: infinite without error */
  double correlation;                  /* Pearson's r */
  double neighbours[GHZ_QUALITY_NDIM]; /* by axis, the largest error of a difference of neighbours */
  uint64_t planes;                     /* of the last two dimensions, that have a data SSIM: */
  double ssim, ssim_mean;              /* the least, and the mean of all */
  uint64_t ssim_plane;                 /* which plane has the least */
} ghz_quality;

typedef struct ghz_meter ghz_meter;

/* A meter for arrays of these extents, the slowest first; ndim 0: of any number of values in a row.
 * Planes of more than 2^26 values get no SSIM. Errors: EINVAL, ENOMEM; *meter is NULL then. */
GHZ_API_CHECKED ghz_status ghz_meter_create(int ndim, const uint64_t *extent, ghz_meter **meter);

/* Measures n more pairs. */
GHZ_API void ghz_meter_add(ghz_meter *meter, const double *x, const double *y, size_t n);

/* What was measured so far. Errors: EINVAL: it is not the whole array. */
GHZ_API_CHECKED ghz_status ghz_meter_read(const ghz_meter *meter, ghz_quality *quality);

GHZ_API void ghz_meter_free(ghz_meter *meter);

GHZ_C_END

#endif
