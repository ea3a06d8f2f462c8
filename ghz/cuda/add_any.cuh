// add_any.cuh: any combination of any tiles, by a warp (FORMAT.md, "Computing", rules 1 to 6).
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_ADD_ANY_CUH
#define GHZ_ADD_ANY_CUH

#include "cuda/operand_headers.cuh"
#include "cuda/primitives/plane_sum.cuh"
#include "rules/combination.h"

// A tile of a result that a whole warp formed, in local memory.
struct warp_result {
  result_kind kind;
  uint32_t size;
  unsigned damaged; // an operand whose tile is damaged; GHZ_CUDA_OPERANDS if none is
  int inexact;
  tile_shape shape; // RESULT_SUM
  stored_tile copied;
  union {
    plane_tile sum;
    double values[LANE_VALUES]; // while they are added
    uint64_t bits[LANE_VALUES]; // RESULT_RAW
  };
};

// What a tile of a result is made from.
struct combine_job {
  const combine_call &c;
  const operand_headers &s;
  uint64_t tile;
  unsigned n; // its values
  int lane;

  // Finds operand i's tile. Returns 0 if its chunk is damaged.
  METHOD int place(unsigned i, stored_tile &p) const {
    return place_tile(c.from[i], c.kind, s.payload[i], tile, p, lane);
  }
  template <class Real> METHOD enum opened_tile open(unsigned i, const stored_tile &p, plane_tile &x) const {
    return open_tile<Real>(s.lattice, s.terms[i], p.data, p.size, n, &s.expand, x, lane);
  }
};

// The combination in floating point, where an operand lies outside the lattice.
template <class Real> SELDOM void combine_values(const combine_job &j, warp_result &r) {
  ROLLED for (int i = 0; i < LANE_VALUES; i++) r.values[i] = 0;
  ROLLED for (unsigned i = 0; i < j.c.k; i++) {
    stored_tile place;
    j.place(i, place);
    if (j.c.coefficient[i] && place.size &&
        !add_values<Real>(j.s.lattice, j.s.terms[i], place.data, place.size, j.n, &j.s.expand,
                          (double)j.c.coefficient[i], r.values, j.lane))
      r.damaged = i;
  }
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    const double v = j.c.scaled ? r.values[i] / j.c.divisor : r.values[i];
    r.bits[i] = bits_of(canonical((Real)v));
  }
  r.size = 1 + j.n * (uint32_t)sizeof(Real);
}

// The sum on bit planes. Where an operand turns out to lie outside the lattice, the result is what
// rule 3 says.
template <class Real> SELDOM void add_tiles(const combine_job &j, const participants &p, warp_result &r) {
  plane_tile x;
  clear_tile(&r.sum);
  ROLLED for (unsigned i = 0; i < j.c.k; i++) {
    stored_tile place;
    j.place(i, place);
    if (!place.size || !j.c.coefficient[i])
      continue;
    const enum opened_tile opened = j.open<Real>(i, place, x);
    if (opened == OUTSIDE)
      r.kind = result_of(&p, 1, &r.inexact);
    if (opened == DAMAGED)
      r.damaged = i;
    if (opened != ON_LATTICE)
      return;
    add_tile(&j.s.lattice, j.s.terms_of_result, j.n, &r.sum, &x, j.c.coefficient[i]);
  }
  if (!shape_of_sum(r.sum, r.shape, r.size, j.lane))
    r.damaged = j.c.k - 1;
}

// A short tile is looked at before it is copied: its bound is smaller than the one of full tiles.
template <class Real> SELDOM void copy_tile(const combine_job &j, unsigned i, warp_result &r) {
  plane_tile x;
  if (r.copied.size > tile_bound(j.s.lattice.type, TILE, j.s.terms_of_result, 0) ||
      (j.n < TILE && j.open<Real>(i, r.copied, x) == DAMAGED))
    r.damaged = i;
  r.size = r.copied.size;
}

// Forms the tile, in any case.
template <class Real> SELDOM void combine_any(const combine_job &j, warp_result &r) {
  participants p = {0, 0, 0, j.c.scaled, j.s.counting > 1};
  unsigned first = 0;
  r.kind = RESULT_EMPTY;
  r.size = 0;
  r.inexact = 0;
  r.damaged = GHZ_CUDA_OPERANDS;
  ROLLED for (unsigned i = 0; i < j.c.k; i++) {
    stored_tile place;
    if (!j.place(i, place)) {
      r.damaged = i;
      return;
    }
    if (place.size && j.c.coefficient[i] && p.count++ == 0) {
      p.coefficient = j.c.coefficient[i];
      p.raw = is_raw(place.data, place.size);
      first = i;
      r.copied = place;
    }
  }
  r.kind = result_of(&p, 0, &r.inexact);
  if (r.kind == RESULT_SUM)
    add_tiles<Real>(j, p, r);
  if (r.kind == RESULT_RAW)
    combine_values<Real>(j, r);
  if (r.kind == RESULT_COPIED)
    copy_tile<Real>(j, first, r);
}

// Writes the bytes of a result that has some.
template <class Real> SELDOM void write_result(const warp_result &r, unsigned n, uint8_t *out, int lane) {
  if (r.kind == RESULT_COPIED) {
    ROLLED for (uint32_t i = (uint32_t)lane; i < r.size; i += 32) out[i] = r.copied.data[i];
    return;
  }
  if (r.kind == RESULT_RAW) {
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
  ROLLED for (int p = 0; p < r.shape.height; p += 4) writer.put(r.sum.planes[p]);
}

#endif
