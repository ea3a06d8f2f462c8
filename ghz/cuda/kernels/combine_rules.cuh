// combine_rules.cuh: any combination of any tiles, by a warp: the rules 1 to 6 of FORMAT.md,
// "Computing", in their order. What they do to a tile is the business of its kind: a flat one, or a
// brick.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_COMBINE_RULES_CUH
#define GHZ_COMBINE_RULES_CUH

#include <ghz/cuda.h>

#include "cuda/kernels/operand_headers.cuh"
#include "cuda/primitives/decode.cuh"
#include "rules/op.h"
#include "rules/parse.h"

// What a tile of a result is made from.
struct combine_job {
  const combine_call &c;
  const operand_headers &s;
  uint64_t tile;
  tile_extent extent;
  double *numbers; // room for TILE of them
  int lane;

  // Finds operand i's tile, without the value of one of one value. Returns 0 if its chunk or that
  // value is damaged.
  METHOD int place(unsigned i, stored_tile &p) const {
    uint64_t bits;
    if (!place_tile(c.from[i], c.kind, s.payload[i], tile, p, lane))
      return 0;
    if (!p.size || !first_says_constant(p.data[0]))
      return 1;
    if (!open_constant(&s.lattice, s.terms[i], p.data, p.size, &bits))
      return 0;
    p.data += constant_head(s.lattice.type);
    p.size -= constant_head(s.lattice.type);
    return 1;
  }
};

// A tile of a result. The rest of it is the kind's.
struct tile_result {
  result_kind kind;
  uint32_t size;
  unsigned damaged; // an operand whose tile is damaged; GHZ_CUDA_OPERANDS if none is
  int inexact;
  stored_tile copied;
};

// The lane's values of a raw result: while they are added, and then.
union lane_values {
  double values[LANE_VALUES];
  uint64_t bits[LANE_VALUES];
};

// The combination in floating point, where an operand lies outside the lattice.
template <class Kind, class Real> SELDOM void combine_values(const combine_job &j, typename Kind::result &r) {
  lane_values &raw = Kind::raw(r);
  double *sum = raw.values;
  ROLLED for (int i = 0; i < LANE_VALUES; i++) sum[i] = 0;
  ROLLED for (unsigned i = 0; i < j.c.k; i++) {
    stored_tile place;
    j.place(i, place);
    if (j.c.coefficient[i] && place.size &&
        !Kind::template add_values<Real>(j, i, place, (double)j.c.coefficient[i], r))
      r.damaged = i;
  }
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    const double v = j.c.scaled ? sum[i] / j.c.divisor : sum[i];
    raw.bits[i] = bits_of(canonical((Real)v));
  }
  r.size = 1 + j.extent.n * (uint32_t)sizeof(Real);
}

// The sum on bit planes. Where an operand turns out to lie outside the lattice, the result is what
// rule 3 says.
template <class Kind, class Real>
SELDOM void add_tiles(const combine_job &j, const participants &p, typename Kind::result &r) {
  Kind::clear(r);
  ROLLED for (unsigned i = 0; i < j.c.k; i++) {
    stored_tile place;
    j.place(i, place);
    if (!place.size || !j.c.coefficient[i])
      continue;
    const enum opened_tile opened = Kind::template add<Real>(j, i, place, r);
    if (opened == OUTSIDE)
      r.kind = result_of(&p, 1, &r.inexact);
    if (opened == DAMAGED)
      r.damaged = i;
    if (opened != ON_LATTICE)
      return;
  }
  if (!Kind::finish(r, j.lane))
    r.damaged = j.c.k - 1;
}

// A short tile is looked at before it is copied: its bound is smaller than the one of full tiles.
template <class Kind, class Real>
SELDOM void copy_tile(const combine_job &j, unsigned i, typename Kind::result &r) {
  const tile_extent whole = whole_tile(j.c.kind.shape.dims);
  if (r.copied.size > extent_bound(j.s.lattice.type, &whole, j.s.terms_of_result, 0) ||
      (j.extent.n < TILE && !Kind::template undamaged<Real>(j, i, r.copied)))
    r.damaged = i;
  r.size = r.copied.size;
}

// Forms the tile, in any case.
template <class Kind, class Real> SELDOM void combine_any(const combine_job &j, typename Kind::result &r) {
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
    add_tiles<Kind, Real>(j, p, r);
  if (r.kind == RESULT_RAW)
    combine_values<Kind, Real>(j, r);
  if (r.kind == RESULT_COPIED)
    copy_tile<Kind, Real>(j, first, r);
}

// Writes the bytes of a result that has some.
template <class Kind, class Real>
SELDOM void write_result(typename Kind::result &r, const tile_extent &e, uint8_t *out, int lane) {
  if (r.kind == RESULT_COPIED)
    ROLLED for (uint32_t i = (uint32_t)lane; i < r.size; i += 32) out[i] = r.copied.data[i];
  if (r.kind == RESULT_SUM)
    Kind::write(r, out, lane);
  if (r.kind != RESULT_RAW)
    return;
  if (lane == 0)
    out[0] = RAW_TILE;
  ROLLED for (int i = 0; i < LANE_VALUES; i++) {
    const int at = Kind::place_among(e, LANE_VALUES * lane + i);
    for (unsigned k = 0; at >= 0 && k < sizeof(Real); k++)
      out[1 + (unsigned)at * sizeof(Real) + k] = (uint8_t)(Kind::raw(r).bits[i] >> 8 * k);
  }
}

#endif
