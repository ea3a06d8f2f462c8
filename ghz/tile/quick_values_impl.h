/* quick_values_impl.h: integers and sums in registers to values in their places, at once. Part of
 * codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Which operations decode_impl.h has: (float)q * (float)unit, or doubles, rounded to float or
 * not; and integers as they are. */
enum value_kind { IN_FLOAT, TO_FLOAT, TO_DOUBLE, AS_THEY_ARE };

/* Where a whole brick goes, and by what its integers are multiplied. */
typedef struct brick_target {
  char *to;
  size_t row, plane; /* bytes */
  int streaming;
  double unit;
} brick_target;

/* Stores go past the caches if all registers of all lines may. */
static brick_target target_of(const tile_place *p, size_t size, int streaming, double unit, void *dst) {
  brick_target t = {dst, p->row * size, p->plane * size, 0, unit};
  const size_t planes = p->extent.dims == 3 ? t.plane : 0;
  t.streaming = streaming && may_stream(dst, t.row | planes);
  return t;
}

GHZ_INLINE void put_register(brick_target t, char *to, vec_16 v) {
  if (t.streaming)
    vec_stream(to, &v);
  else
    vec_store(to, v);
}

/* Doubles of as many places as a register has floats. */
GHZ_INLINE void put_doubles(enum value_kind kind, brick_target t, vec_f64 low, vec_f64 high, char *to) {
  const vec_f64 a = low * t.unit, b = high * t.unit;
  if (kind == TO_DOUBLE) {
    put_register(t, to, (vec_16)a);
    put_register(t, to + VEC, (vec_16)b);
    return;
  }
  put_register(t, to, (vec_16)joined_f32(narrow_f64(a), narrow_f64(b)));
}

GHZ_INLINE vec_f64 doubles_of(vec_32 q, int high) {
  return widen_32(half_of_32(q, high));
}

GHZ_INLINE void put_integers(enum value_kind kind, brick_target t, vec_32 q, char *to) {
  if (kind == AS_THEY_ARE)
    put_register(t, to, (vec_16)q);
  else if (kind == IN_FLOAT)
    put_register(t, to, (vec_16)(__builtin_convertvector(q, vec_f32) * (float)t.unit));
  else
    put_doubles(kind, t, doubles_of(q, 0), doubles_of(q, 1), to);
}
