// add_any.cuh: any combination of any tiles, by a warp.
#ifndef GHZ_ADD_ANY_CUH
#define GHZ_ADD_ANY_CUH

#include "operand_headers.cuh"
#include "plane_total.cuh"

// A tile of a result. Its bytes come from the place that its kind names.
enum result_kind { NOTHING, FROM_TOTAL, FROM_BITS, FROM_TILE };

// A result that a whole warp formed, in local memory.
struct warp_result {
  result_kind kind;
  uint32_t size;
  unsigned damaged; // an operand whose tile is damaged; GHZ_CUDA_OPERANDS if none is
  int inexact;
  tile_shape shape;
  tile_place copied;
  union {
    plane_total total;
    double sum[LANE_VALUES];    // while values are added
    uint64_t bits[LANE_VALUES]; // of a raw tile's values
  };
};

// The combination in floating point, where an operand lies outside the lattice.
template <class Real>
SELDOM void combine_values(const combine_call &c, const operand_headers &s, uint64_t t, unsigned n,
                           warp_result &r, int lane) {
  ROLLED for (int i = 0; i < LANE_VALUES; i++) r.sum[i] = 0;
  r.inexact = 1;
  ROLLED for (unsigned i = 0; i < c.k; i++) {
    tile_place place;
    place_tile(c.from[i], c.kind, s.payload[i], t, place, lane);
    if (c.coefficient[i] && place.size &&
        !add_values<Real>(s.lattice, s.terms[i], place.data, place.size, n, &s.expand, (double)c.coefficient[i],
                          r.sum, lane))
      r.damaged = i;
  }
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    const double v = c.scaled ? r.sum[i] / c.divisor : r.sum[i];
    r.bits[i] = bits_of(canonical((Real)v));
  }
  r.kind = FROM_BITS;
  r.size = 1 + n * (uint32_t)sizeof(Real);
}

// Any combination of tiles, of which at least one is not empty.
template <class Real>
SELDOM void combine_planes(const combine_call &c, const operand_headers &s, uint64_t t, unsigned n,
                           warp_result &r, int lane) {
  plane_total x;
  clear_total(r.total);
  ROLLED for (unsigned i = 0; i < c.k; i++) {
    tile_place place;
    place_tile(c.from[i], c.kind, s.payload[i], t, place, lane);
    if (!place.size || !c.coefficient[i])
      continue;
    const outcome_of_opening o =
        open_tile<Real>(s.lattice, s.terms[i], place.data, place.size, n, &s.expand, x, lane);
    if (o == OUTSIDE) {
      combine_values<Real>(c, s, t, n, r, lane);
      return;
    }
    if (o == DAMAGED) {
      r.damaged = i;
      return;
    }
    add_multiple(s.lattice, s.terms_of_result, r.total, x, c.coefficient[i], n, lane);
  }
  if (!shape_of_total(r.total, r.shape, r.size))
    r.damaged = c.k - 1;
  r.kind = r.size ? FROM_TOTAL : NOTHING;
}

// Whether the only tile that is not empty may be copied as it is (FORMAT.md, "Computing", rules 2 to 4). It need not be looked
// at, unless it is raw, or short.
template <class Real>
SELDOM int may_copy(const combine_call &c, const operand_headers &s, unsigned i, unsigned n, warp_result &r,
                    int lane) {
  const bool raw = is_raw(r.copied.data, r.copied.size);
  plane_total x;
  if (c.coefficient[i] != 1 || (c.scaled && raw))
    return 0;
  if (r.copied.size > tile_bound(s.lattice.type, TILE, s.terms_of_result, 0))
    r.damaged = i;
  if (!raw && n == TILE)
    return 1;
  const outcome_of_opening o =
      open_tile<Real>(s.lattice, s.terms[i], r.copied.data, r.copied.size, n, &s.expand, x, lane);
  r.damaged = o == DAMAGED ? i : r.damaged;
  r.inexact = o == OUTSIDE && s.counting > 1;
  return o != ON_LATTICE || !raw;
}

// Tile t of the result, any case.
template <class Real>
SELDOM void combine_any(const combine_call &c, const operand_headers &s, uint64_t t, unsigned n, warp_result &r,
                        int lane) {
  unsigned count = 0, first = 0;
  r.kind = NOTHING;
  r.size = 0;
  r.inexact = 0;
  r.damaged = GHZ_CUDA_OPERANDS;
  ROLLED for (unsigned i = 0; i < c.k; i++) {
    tile_place place;
    if (!place_tile(c.from[i], c.kind, s.payload[i], t, place, lane)) {
      r.damaged = i;
      return;
    }
    if (place.size && c.coefficient[i] && count++ == 0) {
      first = i;
      r.copied = place;
    }
  }
  if (count == 1 && may_copy<Real>(c, s, first, n, r, lane)) {
    r.kind = FROM_TILE;
    r.size = r.copied.size;
  } else if (count) {
    combine_planes<Real>(c, s, t, n, r, lane);
  }
}

template <class Real> SELDOM void write_result(const warp_result &r, unsigned n, uint8_t *out, int lane) {
  if (r.kind == FROM_TILE) {
    ROLLED for (uint32_t i = (uint32_t)lane; i < r.size; i += 32) out[i] = r.copied.data[i];
    return;
  }
  if (r.kind == FROM_BITS) {
    if (lane == 0)
      out[0] = RAW_TILE;
    out += 1 + LANE_VALUES * sizeof(Real) * (unsigned)lane;
    for (int i = 0; i < LANE_VALUES && LANE_VALUES * lane + i < (int)n; i++)
      for (unsigned k = 0; k < sizeof(Real); k++)
        *out++ = (uint8_t)(r.bits[i] >> 8 * k);
    return;
  }
  plane_writer<false> writer;
  put_header(out, r.shape, lane);
  writer.begin(out, r.shape.widths, 0, r.shape.height, r.shape.planes_at, lane);
  ROLLED for (int p = 0; p < r.shape.height; p += 4) writer.put(r.total.planes + p);
}

#endif
