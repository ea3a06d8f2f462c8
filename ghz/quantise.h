/* quantise.h: the two conversions between floating-point values and integers of the lattice (FORMAT.md,
 * "Lattice").
 *
 * Rounding to nearest-even is done by adding 1.5 * 2^23 (or 2^52): the sum's last bits are then the integer.
 * That is exact for the ranges that the modes admit, and the same single operation on every machine. */
#ifndef GHZ_QUANTISE_H
#define GHZ_QUANTISE_H

#define ROUND_F32 0x1.8p23f
#define ROUND_F64 0x1.8p52

/* q[i] = round(x[i] * inverse), in the arithmetic of ARITH. */
#define DEFINE_QUANTISE(name, REAL, ARITH, BITS_TYPE, INT, ROUND)                                              \
  static void name(const REAL *x, ARITH inverse, INT *q) {                                                     \
    ARITH round = ROUND;                                                                                       \
    BITS_TYPE zero;                                                                                            \
    memcpy(&zero, &round, sizeof zero);                                                                        \
    for (int i = 0; i < TILE; i++) {                                                                           \
      ARITH v = (ARITH)x[i] * inverse + round;                                                                 \
      BITS_TYPE b;                                                                                             \
      memcpy(&b, &v, sizeof b);                                                                                \
      q[i] = (INT)(b - zero);                                                                                  \
    }                                                                                                          \
  }

DEFINE_QUANTISE(quantise_f32_16, float, float, int32_t, int16_t, ROUND_F32)
DEFINE_QUANTISE(quantise_f32_32, float, float, int32_t, int32_t, ROUND_F32)
DEFINE_QUANTISE(quantise_f32_via_f64_32, float, double, int64_t, int32_t, ROUND_F64)
DEFINE_QUANTISE(quantise_f32_via_f64_64, float, double, int64_t, int64_t, ROUND_F64)
DEFINE_QUANTISE(quantise_f64_16, double, double, int64_t, int16_t, ROUND_F64)
DEFINE_QUANTISE(quantise_f64_32, double, double, int64_t, int32_t, ROUND_F64)
DEFINE_QUANTISE(quantise_f64_64, double, double, int64_t, int64_t, ROUND_F64)

/* y[i] = (REAL)((ARITH)q[i] * unit) */
#define DEFINE_DEQUANTISE(name, INT, ARITH, REAL)                                                              \
  static void name(const INT *q, ARITH unit, REAL *y) {                                                        \
    for (int i = 0; i < TILE; i++)                                                                             \
      y[i] = (REAL)((ARITH)q[i] * unit);                                                                       \
  }

DEFINE_DEQUANTISE(dequantise_32_f32_exact, int32_t, float, float)
DEFINE_DEQUANTISE(dequantise_32_f32, int32_t, double, float)
DEFINE_DEQUANTISE(dequantise_64_f32, int64_t, double, float)
DEFINE_DEQUANTISE(dequantise_32_f64, int32_t, double, double)
DEFINE_DEQUANTISE(dequantise_64_f64, int64_t, double, double)

#endif
