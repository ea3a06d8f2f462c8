// plane_total.cuh: sums of any tiles on bit planes, by a warp: any order, mode, width, number of operands and coefficients
// (FORMAT.md, "Computing"). Planes are in local memory; tile/sum.h is the same for other machines.
#ifndef GHZ_PLANE_TOTAL_CUH
#define GHZ_PLANE_TOTAL_CUH

#include "decode.cuh"

// A lattice tile with its planes un-squeezed: the lane's word of each.
struct plane_total {
  int order, mode, special;
  unsigned height;
  uint64_t anchor, slope;
  uint32_t plus, minus;
  uint32_t planes[PLANES_MAX + 2];
};

DEVICE void clear_total(plane_total &s) {
  s.order = s.mode = s.special = 0;
  s.height = 0;
  s.anchor = s.slope = 0;
  s.plus = s.minus = 0;
}

// The value of column c of the first lane.
DEVICE uint64_t column(const plane_total &s, unsigned c) {
  uint64_t v = 0;
  for (unsigned p = 0; p < s.height && p < 64; p++)
    v |= (uint64_t)(s.planes[p] >> c & 1) << p;
  if (s.height && s.height < 64 && s.planes[s.height - 1] >> c & 1)
    v |= ~UINT64_C(0) << s.height;
  return __shfl_sync(ALL, v, 0);
}

// Clears the first `lead` columns, and those from n on.
DEVICE void clear_columns(plane_total &s, unsigned lead, unsigned n, int lane) {
  uint32_t keep = (lane ? ALL : ALL << lead) & ~columns_beyond(n, lane);
  ROLLED for (unsigned p = 0; p < s.height; p++) s.planes[p] &= keep;
}

DEVICE void raise_order(plane_total &s, unsigned n, int lane) {
  part borrow[PARTS] = {0};
  if (s.order == 1) // readers ignore this column, where the anchor stands for it
    clear_columns(s, 1, n, lane);
  unsigned height = s.height < PLANES_MAX ? s.height + (s.height > 0) : (unsigned)PLANES_MAX;
  if (height > s.height)
    s.planes[s.height] = s.planes[s.height - 1];
  ROLLED for (unsigned p = 0; p < height; p++) raise_plane(&s.planes[p], borrow);
  s.height = height;
  if (s.order == 0)
    s.anchor = column(s, 0);
  else
    s.slope = n > 1 ? column(s, 1) : 0;
  s.order++;
  clear_columns(s, (unsigned)s.order, n, lane);
}

// From the coarse unit to the fine one, if the modes differ in it.
DEVICE void lift(plane_total &s, int mode, unsigned shift) {
  if (shift && s.height) {
    for (unsigned p = s.height; p > 0; p--)
      s.planes[p] = s.planes[p - 1];
    s.planes[0] = 0;
    s.height++;
  }
  s.anchor <<= shift;
  s.slope <<= shift;
  s.mode = mode;
}

DEVICE void raise_to(ghz_type type, plane_total &s, int mode, int order, unsigned n, int lane) {
  if (s.mode < mode)
    lift(s, mode, mode_shift(type, mode) - mode_shift(type, s.mode));
  while (s.order < order)
    raise_order(s, n, lane);
}

// Drops planes at the top that only repeat the sign.
DEVICE void trim(plane_total &s) {
  while (s.height && __all_sync(ALL, s.planes[s.height - 1] == (s.height > 1 ? s.planes[s.height - 2] : 0)))
    s.height--;
}

// s += (-1)^negative 2^shift x.
DEVICE void add_shifted(plane_total &s, const plane_total &x, int negative, unsigned shift, unsigned limit) {
  part carry[PARTS] = {negative ? ALL : 0}, a[PARTS] = {0}, b[PARTS], y = 0;
  unsigned top = s.height > x.height + shift ? s.height : x.height + shift;
  unsigned height = top + 1 < limit ? top + 1 : limit;
  ROLLED for (unsigned p = 0; p < height; p++) {
    if (p < s.height)
      a[0] = s.planes[p];
    if (p >= shift && p - shift < x.height)
      y = x.planes[p - shift];
    b[0] = negative ? part_not(y) : y;
    add_plane(a, b, carry, &s.planes[p]);
  }
  s.height = height;
}

// s += c x, where a result of `terms` terms needs no more planes than the limit of its mode and order.
DEVICE void add_multiple(const ghz_lattice &l, uint32_t terms, plane_total &s, plane_total &x, int64_t c,
                         unsigned n, int lane) {
  int mode = x.mode > s.mode ? x.mode : s.mode, order = x.order > s.order ? x.order : s.order;
  uint64_t magnitude = c < 0 ? 0 - (uint64_t)c : (uint64_t)c;
  unsigned limit = width_limit(l.type, l.cap, mode, order, terms);
  raise_to(l.type, s, mode, order, n, lane);
  raise_to(l.type, x, mode, order, n, lane);
  s.special |= x.special;
  s.plus |= c < 0 ? x.minus : x.plus;
  s.minus |= c < 0 ? x.plus : x.minus;
  s.anchor += (uint64_t)c * x.anchor;
  s.slope += (uint64_t)c * x.slope;
  for (unsigned shift = 0; shift < 64 && magnitude >> shift; shift++)
    if (magnitude >> shift & 1 && x.height)
      add_shifted(s, x, c < 0, shift, limit);
  trim(s);
}

// The shape of the tile that a total becomes; *size is its size. Returns 0 if it comes from damaged tiles.
DEVICE int shape_of_total(const plane_total &s, tile_shape &t, uint32_t &size) {
  part widths[PARTS] = {0}, below[PARTS] = {0};
  unsigned height = 0;
  ROLLED for (unsigned p = 0; p < s.height; p++) widen(widths, &s.planes[p], below, p, &height);
  t.lead.order = s.order;
  t.lead.mode = s.mode;
  t.lead.special = s.special;
  t.lead.anchor = (int64_t)s.anchor;
  t.lead.slope = (int64_t)s.slope;
  t.plus = s.plus;
  t.minus = s.minus;
  t.widths = widths[0];
  size = finish_shape(t);
  return t.height <= WIDTH_MAX;
}

// ---- Operands ---------------------------------------------------------------------------------------------------

enum outcome_of_opening { ON_LATTICE, OUTSIDE, DAMAGED };

DEVICE bool is_raw(const uint8_t *data, uint32_t size) {
  return size && (data[0] & 3) == 3;
}

template <class Real> DEVICE bool raw_valid(const uint8_t *data, uint32_t size, uint32_t terms, unsigned n) {
  return data[0] == RAW_TILE && size == 1 + n * sizeof(Real) && terms != 0;
}

// A tile that is not empty, un-squeezed. A raw one is first put on the lattice, at its best order.
template <class Real>
DEVICE outcome_of_opening open_tile(const ghz_lattice &l, uint32_t terms, const uint8_t *data, uint32_t size,
                                    unsigned n, const expansion *expand, plane_total &x, int lane) {
  tile_shape t;
  uint32_t planes[8];
  if (is_raw(data, size)) {
    value_integers<Real, raw_values<Real>> values;
    int mode;
    if (!raw_valid<Real>(data, size, terms, n))
      return DAMAGED;
    double largest = values.look({{data + 1}}, n, lane);
    if (!values.open(l, largest, mode))
      return OUTSIDE;
    values.shape(mode, GHZ_ORDER_BEST, t);
    for (int k = 0; 8 * k < t.height; k++) {
      values.planes(t.lead.order, k, planes);
      for (int i = 0; i < 8; i++)
        x.planes[8 * k + i] = planes[i];
    }
  } else {
    plane_reader<global_bytes> reader;
    if (!take_tile(l, terms, global_bytes{data}, size, n, t, lane))
      return DAMAGED;
    reader.begin({data}, expand, t.widths, 0, t.height, t.planes_at, lane);
    for (int p = 0; p < t.height; p += 4) {
      reader.take(planes);
      for (int i = 0; i < 4; i++)
        x.planes[p + i] = planes[i];
    }
  }
  x.order = t.lead.order;
  x.mode = t.lead.mode;
  x.special = t.lead.special;
  x.height = (unsigned)t.height;
  x.anchor = (uint64_t)t.lead.anchor;
  x.slope = (uint64_t)t.lead.slope;
  x.plus = t.plus;
  x.minus = t.minus;
  return ON_LATTICE;
}

// sum[i] += factor * value, for the lane's values of any tile. Returns 0 if it is damaged.
template <class Real>
DEVICE int add_values(const ghz_lattice &l, uint32_t terms, const uint8_t *data, uint32_t size, unsigned n,
                      const expansion *expand, double factor, double sum[LANE_VALUES], int lane) {
  if (is_raw(data, size)) {
    raw_values<Real> values = {{data + 1}};
    if (!raw_valid<Real>(data, size, terms, n))
      return 0;
    ROLLED for (int i = 0; i < LANE_VALUES; i++) if (LANE_VALUES * lane + i < (int)n) sum[i] +=
        factor * (double)canonical(real_of(values(LANE_VALUES * lane + i)));
    return 1;
  }
  tile_shape t;
  int64_t q[LANE_VALUES];
  plane_reader<global_bytes> reader;
  if (!take_tile(l, terms, global_bytes{data}, size, n, t, lane))
    return 0;
  reader.begin({data}, expand, t.widths, 0, t.height, t.planes_at, lane);
  residuals_of_planes(reader, t.height, q);
  integrate<int64_t, uint64_t>(q, t.lead, lane);
  const scale by = scale_of(l, t.lead.mode, terms);
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    uint32_t plus = t.plus >> i & 1, minus = t.minus >> i & 1;
    sum[i] += factor * (double)(plus | minus ? special_value<Real>(plus, minus) : value_of<Real>(q[i], by));
  }
  return 1;
}

#endif
