// add_any.cuh: what rules of combinations do to flat tiles: to common pairs by teams, to any others
// by a warp, on bit planes in local memory.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_ADD_ANY_CUH
#define GHZ_ADD_ANY_CUH

#include "cuda/kernels/add_pair.cuh"
#include "cuda/kernels/combine_rules.cuh"
#include "cuda/primitives/plane_sum.cuh"

struct flat_tiles {
  static constexpr int RESIDENT = 3; // blocks that a multiprocessor holds

  struct result : tile_result {
    tile_shape shape; // RESULT_SUM
    union {
      plane_tile sum;
      lane_values values; // RESULT_RAW
    };
  };

  template <class Real>
  static METHOD enum opened_tile open(const combine_job &j, unsigned i, const stored_tile &p, plane_tile &x) {
    return open_tile<Real>(j.s.lattice, j.s.terms[i], p.data, p.size, j.extent.n, &j.s.expand, x, j.lane);
  }
  // Adds the two tiles of each team, and squeezes the sum where it is wanted; returns 0 where it is
  // not common.
  static METHOD int add_pair(const combine_call &c, const operand_headers &s, const team::tile_bytes from[2],
                             team_room &room, bool wanted, uint32_t &sum_size) {
    team::team_shape shape;
    const int added = ::add_pair(c, s, from, room, shape, sum_size);
    sum_size = added && wanted ? sum_size : 0;
    squeeze_sum(shape, sum_size, room);
    return added;
  }
  static METHOD bool is_whole(const ghz_shape &shape, uint64_t tile) {
    return shape.extent[2] - tile * TILE >= TILE;
  }
  static METHOD lane_values &raw(result &r) {
    return r.values;
  }
  static METHOD void clear(result &r) {
    clear_tile(&r.sum);
  }
  template <class Real>
  static METHOD enum opened_tile add(const combine_job &j, unsigned i, const stored_tile &p, result &r) {
    plane_tile x;
    const tile_extent e = {1, j.extent.n, 1, 1, j.extent.n};
    const enum opened_tile opened = open<Real>(j, i, p, x);
    if (opened == ON_LATTICE)
      add_tile(&j.s.lattice, j.s.terms_of_result, &e, &r.sum, &x, j.c.coefficient[i]);
    return opened;
  }
  static METHOD int finish(result &r, int lane) {
    return shape_of_sum(r.sum, r.shape, r.size, lane);
  }
  template <class Real> static METHOD int undamaged(const combine_job &j, unsigned i, const stored_tile &p) {
    plane_tile x;
    return open<Real>(j, i, p, x) != DAMAGED;
  }
  template <class Real>
  static METHOD int add_values(const combine_job &j, unsigned i, const stored_tile &p, double factor,
                               result &r) {
    return ::add_values<Real>(j.s.lattice, j.s.terms[i], p.data, p.size, j.extent.n, &j.s.expand, factor,
                              r.values.values, j.lane);
  }
  static METHOD int place_among(const tile_extent &e, int column) {
    return column < (int)e.n ? column : -1;
  }
  static METHOD void write(const result &r, uint8_t *out, int lane) {
    put_header(out, r.shape, lane);
    write_planes(r.sum, r.shape, out, lane);
  }
};

#endif
