// plane_sum.cuh: sums of any tiles on bit planes, by a warp, in local memory: the parameters of
// rules/plane_sum.h, operands, and the tile of a sum.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_PLANE_SUM_CUH
#define GHZ_PLANE_SUM_CUH

#include "cuda/primitives/brick.cuh"
#include "cuda/primitives/decode.cuh"
#include "rules/op.h"

// ---- Any tiles ----------------------------------------------------------------------------------

typedef uint32_t bit_plane[PARTS]; // the lane's word of it

struct specials {
  bit_plane plus, minus;
};

DEVICE void load_plane(const uint32_t *plane, part x[PARTS]) {
  x[0] = *plane;
}

DEVICE void store_plane(uint32_t *plane, const part x[PARTS]) {
  *plane = x[0];
}

DEVICE bool planes_equal(const part a[PARTS], const part b[PARTS]) {
  return __all_sync(ALL, a[0] == b[0]);
}

// A lane holds four bytes of a plane.
DEVICE void plane_back(const part x[PARTS], unsigned bytes, part y[PARTS]) {
  const int lane = lane_of_thread();
  if (bytes == 2)
    y[0] = x[0] << 16 | from_before(x[0] >> 16, 0u, lane);
  else
    y[0] = value_before_in(x[0], (int)bytes / 4, 32, lane);
}

// The lane's columns: where plane_back and plane_shift have nothing to bring, zeros come in.
DEVICE void columns_after(unsigned dims, int order, unsigned axis, part mask[PARTS]) {
  const uint32_t first = dims == 3 ? 0x00010001u : 1u;                                // x = 0
  const uint32_t behind = dims == 3 ? lane_of_thread() & 3 ? ALL : 0xffff0000u : ALL; // y > 0
  if (axis == 0)
    mask[0] = ~first;
  else if (axis == 1)
    mask[0] = behind & (order == 0 ? first : ~first);
  else
    mask[0] = order == 2 ? behind : ~behind & (order == 0 ? first : ~first);
}

DEVICE void turn_plane(bit_plane plane) {
  plane[0] = turn_word(plane[0], lane_of_thread());
}

DEVICE void columns_inside_of(const tile_extent *e, part mask[PARTS]) {
  const int lane = lane_of_thread();
  mask[0] = e->dims == 1 ? ~columns_beyond(e->n, lane) : columns_inside(*e, lane);
}

// Operands are expanded when they are opened. Expanding them while they are added, as a CPU does,
// would take more registers.
struct plane_origin {};

DEVICE plane_origin expanded() {
  return {};
}

DEVICE void bring_planes(plane_origin *, bit_plane *) {}

struct plane_source {
  const bit_plane *planes;
};

DEVICE void open_source(plane_source *s, plane_origin, const bit_plane *planes) {
  s->planes = planes;
}

DEVICE void next_plane(plane_source *s, unsigned p, part x[PARTS]) {
  load_plane(s->planes[p], x);
}

#define GHZ_ROLLED ROLLED
#include "rules/plane_sum.h"

// The shape of planes: of a flat tile, or of a layer of a brick.
DEVICE void shape_of_planes(const plane_tile &s, tile_shape &t) {
  part widths[PARTS];
  widths_of_sum(&s, widths);
  t.lead = {};
  t.lead.order = s.order;
  t.lead.mode = s.mode;
  t.lead.turned = s.turned;
  t.lead.special = s.special;
  t.lead.anchor = (int64_t)s.anchor;
  t.lead.slope = (int64_t)s.slope;
  t.plus = s.infinities.plus[0];
  t.minus = s.infinities.minus[0];
  t.widths = widths[0];
}

// The shape of the tile that a sum becomes, and its size. Returns 0 if only damaged tiles give such
// a sum.
DEVICE int shape_of_sum(const plane_tile &s, tile_shape &t, uint32_t &size, int lane) {
  shape_of_planes(s, t);
  size = finish_shape(t, width_bytes_in_use(t.widths, lane));
  return t.height <= WIDTH_MAX;
}

DEVICE void write_planes(const plane_tile &x, const tile_shape &t, uint8_t *out, int lane) {
  plane_writer<false> writer;
  writer.begin(out, t.widths, 0, t.height, t.planes_at, lane);
  ROLLED for (int p = 0; p < t.height; p += 4) writer.put(x.planes[p]);
}

// ---- Operands -----------------------------------------------------------------------------------

// Everything of planes that are opened but themselves.
DEVICE void open_planes(const tile_shape &t, plane_tile &x) {
  x.order = t.lead.order;
  x.mode = t.lead.mode;
  x.turned = t.lead.turned;
  x.special = t.lead.special;
  x.height = (unsigned)t.height;
  x.anchor = (uint64_t)t.lead.anchor;
  x.slope = (uint64_t)t.lead.slope;
  x.infinities.plus[0] = t.plus;
  x.infinities.minus[0] = t.minus;
  x.origin = expanded();
}

DEVICE void expand_planes(const uint8_t *data, const expansion *expand, const tile_shape &t, plane_tile &x,
                          int lane) {
  plane_reader<global_bytes> reader;
  uint32_t planes[4];
  open_planes(t, x);
  reader.begin({data}, expand, t.widths, 0, t.height, t.planes_at, lane);
  ROLLED for (int p = 0; p < t.height; p += 4) {
    reader.take(planes);
    UNROLLED for (int i = 0; i < 4; i++) x.planes[p + i][0] = planes[i];
  }
}

// Opens a tile that is not empty, and expands its planes. A raw tile is first encoded on the
// lattice, at its best order.
template <class Real>
DEVICE enum opened_tile open_tile(const ghz_lattice &l, uint32_t terms, const uint8_t *data, uint32_t size,
                                  unsigned n, const expansion *expand, plane_tile &x, int lane) {
  tile_shape t;
  if (!is_raw(data, size)) {
    if (!parse_tile(l, terms, global_bytes{data}, size, n, t, lane))
      return DAMAGED;
    expand_planes(data, expand, t, x, lane);
    return ON_LATTICE;
  }
  value_integers<Real, first_columns<raw_values<Real>>> values;
  if (!raw_tile_valid(real_type<Real>::type, terms, data[0], size, n))
    return DAMAGED;
  if (values.begin(l, {raw_values_at<Real>(data + 1, l), n}, lane) == RAW)
    return OUTSIDE;
  values.shape(GHZ_ORDER_BEST, t);
  open_planes(t, x);
  for (int k = 0; 8 * k < t.height; k++) {
    uint32_t planes[8];
    values.planes(t.lead.order, k, planes);
    for (int i = 0; i < 8; i++)
      x.planes[8 * k + i][0] = planes[i];
  }
  return ON_LATTICE;
}

// sum[i] += factor * value, for the lane's values of any tile. Returns 0 if it is damaged.
template <class Real>
DEVICE int add_values(const ghz_lattice &l, uint32_t terms, const uint8_t *data, uint32_t size, unsigned n,
                      const expansion *expand, double factor, double sum[LANE_VALUES], int lane) {
  if (is_raw(data, size)) {
    const raw_values<Real> values = raw_values_at<Real>(data + 1, l);
    if (!raw_tile_valid(real_type<Real>::type, terms, data[0], size, n))
      return 0;
    ROLLED for (int i = 0; i < LANE_VALUES; i++) if (LANE_VALUES * lane + i < (int)n) sum[i] +=
        factor * (double)real_of(values(LANE_VALUES * lane + i));
    return 1;
  }
  tile_shape t;
  int64_t q[LANE_VALUES];
  plane_reader<global_bytes> reader;
  if (!parse_tile(l, terms, global_bytes{data}, size, n, t, lane))
    return 0;
  reader.begin({data}, expand, t.widths, 0, t.height, t.planes_at, lane);
  residuals_of_planes(reader, t.height, q);
  integrate<int64_t, uint64_t>(q, t.lead, lane);
  const scale by = scale_of(l, t.lead.mode, terms);
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    uint32_t plus = t.plus >> i & 1, minus = t.minus >> i & 1;
    sum[i] += factor * (double)(plus | minus ? special_value(plus, minus, not_a_number<Real>())
                                             : value_of<Real>(q[i], by));
  }
  return 1;
}

#endif
