// integers.cuh: the integers of a tile of values. Those of a common tile have 32 bits and stay in
// registers. Those of any other have 64 bits and are found from the values each time they are
// needed.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_INTEGERS_CUH
#define GHZ_INTEGERS_CUH

#include "cuda/primitives/reals.cuh"
#include "cuda/primitives/tile_header.cuh"
#include "rules/quantise.h"

// ---- Widths of the three orders -----------------------------------------------------------------

// Sign into the lowest bit, and differences of neighbouring bits above: the bit length is the
// width.
DEVICE uint32_t fold(int32_t r) {
  return (uint32_t)r ^ (uint32_t)r << 1;
}
DEVICE uint64_t fold(int64_t r) {
  return (uint64_t)r ^ (uint64_t)r << 1;
}

// Bits of the widest residual of a block. No residual is so wide that the shift in fold loses a
// bit.
DEVICE uint32_t width_of(uint32_t folded) {
  return 32u - (uint32_t)__clz((int)folded);
}
DEVICE uint32_t width_of(uint64_t folded) {
  return 64u - (uint32_t)__clzll((long long)folded);
}

// Bytes of an anchor.
DEVICE unsigned bytes_of_anchor(int32_t v) {
  return anchor_size_32(v);
}
DEVICE unsigned bytes_of_anchor(int64_t v) {
  return anchor_size(v);
}

// The widths of all three orders, and the anchors: what the choice of the order needs.
template <class Int> struct order_widths {
  uint32_t widths[3];
  Int anchor, slope;
};

// What an order makes of a tile: a lane has that of one order.
struct order_lead {
  uint32_t size, planes_at;
  anchor_sizes anchors;
  unsigned width_planes;
  int squeezed;

  // Packed, and back.
  METHOD uint32_t numbers() const {
    return planes_at | anchors.anchor << 8 | anchors.slope << 12 | width_planes << 16 |
           (unsigned)squeezed << 20;
  }
  METHOD void open(uint32_t n) {
    planes_at = n & 255;
    anchors = {n >> 8 & 15, n >> 12 & 15};
    width_planes = n >> 16 & 15;
    squeezed = (int)(n >> 20);
  }
};

// Chooses the order, and completes the shape of the tile; returns the size. `anchors` become those
// of the order.
template <class Int>
DEVICE uint32_t choose_shape(const order_widths<Int> &w, int asked, tile_shape &t, anchor_sizes &anchors,
                             int lane) {
  const uint32_t specials = t.lead.special ? special_plane_size(t.plus) + special_plane_size(t.minus) : 0;
  uint32_t used = 0, bytes = 0; // of the orders, one in a byte: planes in use, and bytes of width planes
  UNROLLED for (int o = 0; o < 3; o++) used |= planes_in_use(w.widths[o]) << 8 * o;
  const uint32_t pair = used | __shfl_xor_sync(ALL, used, 1), planes = __reduce_or_sync(ALL, used);
  UNROLLED for (int o = 0; o < 3; o++) bytes |= (uint32_t)__popc(pair >> 8 * o & 255) << 8 * o;
  bytes = __reduce_add_sync(ALL, lane & 1 ? 0u : bytes);
  uint32_t sum[3];
  UNROLLED for (int o = 0; o < 3; o++) sum[o] = __reduce_add_sync(ALL, __dp4a(w.widths[o], EACH_BYTE, 0u));
  const int mine = min(lane & 3, 2); // the order that this lane looks at
  tile_lead lead = {};
  lead.special = t.lead.special;
  lead.width_planes = bit_length_32(planes >> 8 * mine & 255);
  order_lead o;
  o.anchors = {mine ? bytes_of_anchor(w.anchor) : 0, mine == 2 ? bytes_of_anchor(w.slope) : 0};
  o.planes_at = choose_squeezing_of(&lead, o.anchors, bytes >> 8 * mine & 255);
  o.width_planes = lead.width_planes;
  o.squeezed = lead.squeezed;
  o.size = o.planes_at + specials + (mine == 0 ? sum[0] : mine == 1 ? sum[1] : sum[2]);
  unsigned size[3];
  UNROLLED for (int k = 0; k < 3; k++) size[k] = __shfl_sync(ALL, o.size, k);
  const int order = choose_predictor(size, orders_of(1), (planes & 255) == 0, asked);
  o.open(__shfl_sync(ALL, o.numbers(), order));
  anchors = o.anchors;
  t.lead.order = order;
  t.lead.width_planes = o.width_planes;
  t.lead.squeezed = o.squeezed;
  t.lead.coefficients = t.lead.turned = 0;
  t.lead.anchor = order ? w.anchor : 0;
  t.lead.slope = order == 2 ? w.slope : 0;
  t.widths = order == 0 ? w.widths[0] : order == 1 ? w.widths[1] : w.widths[2];
  t.sum = order == 0 ? sum[0] : order == 1 ? sum[1] : sum[2];
  t.planes_at = o.planes_at + specials;
  measure_extremes(t);
  return lead_says_empty(&t.lead) ? 0 : t.planes_at + t.sum;
}

// ---- 32 bits, in registers ----------------------------------------------------------------------

DEVICE order_widths<int32_t> measure_registers(const int32_t q[LANE_VALUES], int lane) {
  order_widths<int32_t> w = {};
  int32_t last = from_before(q[31], q[0], lane), slope = last - from_before(q[30], q[0], lane);
  const int32_t first = __shfl_sync(ALL, q[0], 0), second = __shfl_sync(ALL, q[1], 0);
  w.anchor = first;
  w.slope = second - first;
  UNROLLED for (int b = 0; b < LANE_BLOCKS; b++) {
    uint32_t folded[3] = {0, 0, 0};
    UNROLLED for (int t = 0; t < BLOCK; t++) {
      int32_t v = q[BLOCK * b + t], d = v - last;
      if (b == 0 && t == 1 && lane == 0) // the slope stands for this one
        slope = d;
      folded[0] |= fold(v);
      folded[1] |= fold(d);
      folded[2] |= fold(d - slope);
      last = v;
      slope = d;
    }
    UNROLLED for (int o = 0; o < 3; o++) w.widths[o] |= width_of(folded[o]) << 8 * b;
  }
  return w;
}

// Integers to residuals, in place.
DEVICE void subtract_before(int32_t q[LANE_VALUES], int32_t before) {
  UNROLLED for (int i = LANE_VALUES - 1; i > 0; i--) q[i] -= q[i - 1];
  q[0] -= before;
}

DEVICE void difference_registers(int32_t q[LANE_VALUES], int order, int lane) {
  if (order == 0)
    return;
  // measure_registers has formed these differences too, but to keep them would take 32 more
  // registers.
  UNROLLED for (int i = 0; i < LANE_VALUES; i++) keep_as_it_is(q[i]);
  const int32_t slope_before = from_before(q[31] - q[30], 0, lane);
  subtract_before(q, from_before(q[31], q[0], lane));
  if (order == 2) {
    subtract_before(q, slope_before);
    if (lane == 0)
      q[1] = 0;
  }
}

// Planes 8 k .. 8 k + 7 of residuals.
DEVICE void planes_of_registers(const int32_t r[LANE_VALUES], int k, uint32_t planes[8]) {
  const uint32_t selector = (uint32_t)k | (uint32_t)(k + 4) << 4;
  UNROLLED for (int j = 0; j < 8; j++) planes[j] =
      bytes_of(bytes_of((uint32_t)r[j], (uint32_t)r[j + 8], selector),
               bytes_of((uint32_t)r[j + 16], (uint32_t)r[j + 24], selector), 0x5410);
  transpose_bits(planes);
}

// ---- 64 bits, from the values -------------------------------------------------------------------

// Replaces the fill by NaN among a tile's values in shared memory, of which the lane's columns
// `inside` count.
template <class Real> SELDOM void hide_fill(Real *values, const ghz_lattice l, uint32_t inside, int lane) {
  const fill_test fill = fill_test_of(&l);
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    Real &x = values[value_rows<Real>::place_of_value(LANE_VALUES * lane + i)];
    if ((inside >> i & 1) && is_fill(fill, bits_of(x)))
      x = real_of((typename real_type<Real>::bits)real_type<Real>::NOT_A_NUMBER);
  }
  __syncwarp();
}

// The values of a flat tile: those of the first n columns.
template <class Values> struct first_columns {
  Values values;
  unsigned n;
  METHOD bool has(int column) const {
    return (unsigned)column < n;
  }
  METHOD auto operator()(int column) const {
    return values(column);
  }
};

// Those of a brick: of the lane's columns that are inside.
template <class Values> struct columns_of_lane {
  Values values;
  uint32_t inside;
  METHOD bool has(int column) const {
    return inside >> column % LANE_VALUES & 1;
  }
  METHOD auto operator()(int column) const {
    return values(column);
  }
};

// The integers of a lane's values, one after the other, special ones replaced by the value before
// them (FORMAT.md, "Specials"), and what is to be known of the whole tile.
//
// The order of calls: `begin`; where it returns another mode than RAW, `shape`; then `planes`.
// `Values` says which columns have a value, and gives their bits.
template <class Real, class Values> struct value_integers {
  typedef typename real_type<Real>::bits bits;
  Values values;
  int lane, mode, special, in_float, coefficients;
  uint32_t plus, minus;
  bits hidden; // what stands for special values until the lane's first finite one
  double factor;
  int64_t before, before_that; // the last two integers of the lane before

  METHOD static bool finite(bits b) {
    return (b & real_type<Real>::EXPONENT) != real_type<Real>::EXPONENT;
  }
  // Of the lane's i-th column.
  METHOD bool has(int i) const {
    return values.has(LANE_VALUES * lane + i);
  }
  METHOD bits value(int i) const {
    return has(i) ? values(LANE_VALUES * lane + i) : 0;
  }

  // Returns the mode of the tile; RAW if it lies outside the lattice.
  METHOD int begin(const ghz_lattice &l, const Values &v, int lane_number) {
    values = v;
    lane = lane_number;
    const double largest = look();
    mode = mode_for(&l, largest);
    if (mode == RAW || (is_grid(&l) && !all_on_grid(grid_test_of(&l, largest))))
      return RAW;
    factor = quantising_factor(l.type, l.step, mode);
    in_float = quantises_in_float(&l, largest);
    coefficients = may_have_coefficients(&l, largest);
    find_integers_before();
    return mode;
  }

  // Finds specials and the largest finite magnitude, which it returns.
  METHOD double look() {
    plus = minus = 0;
    in_float = 0;
    factor = 0;
    before = before_that = 0;
    bits largest = 0, first = 0, last = 0;
    bool any = false;
    ROLLED for (int i = 0; i < LANE_VALUES; i++) {
      bits b = value(i), magnitude = b & ~real_type<Real>::SIGN;
      if (finite(b)) {
        first = any ? first : b;
        last = has(i) ? b : last; // padding stands for nothing
        any = any || has(i);
        largest = magnitude > largest ? magnitude : largest;
      } else {
        bool nan = magnitude > real_type<Real>::EXPONENT;
        plus |= (uint32_t)(nan || b == magnitude) << i;
        minus |= (uint32_t)(nan || b != magnitude) << i;
      }
    }
    special = __any_sync(ALL, (plus | minus) != 0);
    uint32_t with = __ballot_sync(ALL, any), earlier = with & ((1u << lane) - 1);
    int source = earlier ? 31 - __clz((int)earlier) : with ? __ffs((int)with) - 1 : 0;
    bits last_there = __shfl_sync(ALL, last, source), first_there = __shfl_sync(ALL, first, source);
    hidden = !with ? 0 : earlier ? last_there : first_there;
    return (double)real_of(largest_of_lanes(largest));
  }

  METHOD int64_t quantise(bits b) const {
    Real x = real_of(b);
    return in_float ? (int64_t)round_f32((float)x * (float)factor) : round_f64((double)x * factor);
  }

  METHOD static int on_grid(grid_test g, float v) {
    return on_grid_f32(g, v);
  }
  METHOD static int on_grid(grid_test g, double v) {
    return on_grid_f64(g, v);
  }

  METHOD bool all_on_grid(grid_test g) const {
    int on = 1;
    bits last = hidden;
    ROLLED for (int i = 0; i < LANE_VALUES; i++) {
      bits b = value(i);
      last = has(i) && finite(b) ? b : last;
      on &= on_grid(g, real_of(last));
    }
    return __all_sync(ALL, on);
  }

  METHOD void find_integers_before() {
    bits last = hidden, last_but_one = hidden;
    ROLLED for (int i = 0; i < LANE_VALUES; i++) {
      bits b = value(i);
      last_but_one = last;
      last = finite(b) ? b : last;
    }
    before = __shfl_up_sync(ALL, quantise(last), 1);
    before_that = __shfl_up_sync(ALL, quantise(last_but_one), 1);
  }

  // Calls use(block, position, integer, difference, second difference) for each of the lane's
  // values of a flat tile. The first differences of the tile, for which the anchors stand, are 0,
  // and so is everything from column n on.
  template <class Use> METHOD void each(Use use) const {
    bits last = hidden;
    uint64_t q_before = (uint64_t)before, d_before = (uint64_t)before - (uint64_t)before_that;
    ROLLED for (int b = 0; b < LANE_BLOCKS; b++) {
      UNROLLED for (int t = 0; t < BLOCK; t++) {
        const int i = LANE_VALUES * lane + BLOCK * b + t;
        const bits x = value(BLOCK * b + t);
        last = finite(x) ? x : last;
        uint64_t q = (uint64_t)quantise(last), d = i == 0 ? 0 : q - q_before;
        uint64_t e = i <= 1 ? 0 : d - d_before;
        const bool in = has(BLOCK * b + t);
        use(b, t, (int64_t)(in ? q : 0), (int64_t)(in ? d : 0), (int64_t)(in ? e : 0));
        q_before = q;
        d_before = d;
      }
    }
  }

  METHOD order_widths<int64_t> measure() const {
    order_widths<int64_t> w = {};
    uint64_t folded[3] = {0, 0, 0};
    int64_t first = 0, second = 0;
    each([&](int b, int t, int64_t q, int64_t d, int64_t e) {
      first = b == 0 && t == 0 ? q : first;
      second = b == 0 && t == 1 ? q : second;
      folded[0] = (t ? folded[0] : 0) | fold(q);
      folded[1] = (t ? folded[1] : 0) | fold(d);
      folded[2] = (t ? folded[2] : 0) | fold(e);
      if (t == BLOCK - 1)
        UNROLLED for (int o = 0; o < 3; o++) w.widths[o] |= width_of(folded[o]) << 8 * b;
    });
    first = __shfl_sync(ALL, first, 0);
    second = __shfl_sync(ALL, second, 0);
    w.anchor = first;
    w.slope = values.has(1) ? (int64_t)((uint64_t)second - (uint64_t)first) : 0;
    return w;
  }

  // Planes 8 k .. 8 k + 7 of the residuals.
  METHOD void planes(int order, int k, uint32_t out[8]) const {
    UNROLLED for (int j = 0; j < 8; j++) out[j] = 0;
    each([&](int b, int t, int64_t q, int64_t d, int64_t e) {
      int64_t r = order == 0 ? q : order == 1 ? d : e;
      out[t] |= (uint32_t)((uint64_t)r >> 8 * k & 255) << 8 * b;
    });
    transpose_bits(out);
  }

  // The integers; 0 where no value is.
  METHOD void all(int64_t q[LANE_VALUES]) const {
    bits last = hidden;
    ROLLED for (int i = 0; i < LANE_VALUES; i++) {
      const bits x = value(i);
      last = has(i) && finite(x) ? x : last;
      q[i] = has(i) ? quantise(last) : 0;
    }
  }

  // Calls put(i, x) for each special value, x being the one that is hidden there.
  template <class Put> METHOD void hide(Put put) const {
    bits last = hidden;
    ROLLED for (int i = 0; i < LANE_VALUES; i++) {
      const bits x = value(i);
      last = has(i) && finite(x) ? x : last;
      if ((plus | minus) >> i & 1)
        put(LANE_VALUES * lane + i, last);
    }
  }

  // Measures a flat tile and chooses its order; returns its size.
  METHOD uint32_t shape(int asked, tile_shape &t) const {
    t.lead.mode = mode;
    t.lead.special = special;
    t.plus = plus;
    t.minus = minus;
    anchor_sizes anchors;
    return choose_shape(measure(), asked, t, anchors, lane);
  }
};

#endif
