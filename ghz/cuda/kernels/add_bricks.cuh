// add_bricks.cuh: what rules of combinations do to bricks: to common pairs by teams, to any others
// by a warp, on bit planes in local memory.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_ADD_BRICKS_CUH
#define GHZ_ADD_BRICKS_CUH

#include "cuda/kernels/add_brick_pair.cuh"
#include "cuda/kernels/combine_rules.cuh"
#include "cuda/primitives/brick_planes.cuh"

template <int DIMS> struct bricks {
  // Blocks that a multiprocessor holds: the transform of planes takes more registers.
  static constexpr int RESIDENT = DIMS == 3 ? 3 : 2;

  // What is never needed together shares memory.
  struct sum_of_planes {
    brick_shape shape;
    tile_sum sum;
    plane_tile operand;
  };
  struct sum_of_values {
    lane_values values;
    wide_room room;
  };
  struct result : tile_result {
    union {
      sum_of_planes planes; // RESULT_SUM
      sum_of_values reals;  // RESULT_RAW
    };
  };

  static METHOD int add_pair(const combine_call &c, const operand_headers &s, const team::tile_bytes from[2],
                             team_room &room, bool wanted, uint32_t &sum_size) {
    team_brick_sum sum;
    const int added = add_brick_pair(c, s, from, room, sum);
    sum_size = added && wanted ? sum.size : 0;
    squeeze_brick_sum(sum, sum_size, room);
    return added;
  }
  static METHOD bool is_whole(const ghz_shape &shape, uint64_t tile) {
    return tile_extent_of(&shape, tile).n == TILE;
  }
  static METHOD lane_values &raw(result &r) {
    return r.reals.values;
  }

  static METHOD brick_context context(const combine_job &j, unsigned i) {
    return {j.s.lattice, j.s.terms[i], j.s.transform[i], j.extent, &j.s.expand, j.numbers, j.lane};
  }
  static METHOD void clear(result &r) {
    clear_tile(&r.planes.sum.lattice);
    r.planes.sum.transformed = 0;
  }
  template <class Real>
  static METHOD enum opened_tile add(const combine_job &j, unsigned i, const stored_tile &p, result &r) {
    return add_operand_brick<Real, DIMS>(context(j, i), j.s.terms_of_result, p.data, p.size, j.c.coefficient[i],
                                         r.planes.operand, r.planes.sum);
  }
  static METHOD int finish(result &r, int lane) {
    return shape_of_brick_sum(r.planes.sum, r.planes.shape, r.size, lane);
  }
  template <class Real> static METHOD int undamaged(const combine_job &j, unsigned i, const stored_tile &p) {
    brick_shape t;
    if (is_raw(p.data, p.size))
      return raw_tile_valid(real_type<Real>::type, j.s.terms[i], p.data[0], p.size, j.extent.n);
    return parse_brick(j.s.lattice, j.s.terms[i], j.s.transform[i], global_bytes{p.data}, p.size, j.extent,
                       columns_inside(j.extent, j.lane), t, j.lane);
  }
  template <class Real>
  static METHOD int add_values(const combine_job &j, unsigned i, const stored_tile &p, double factor,
                               result &r) {
    double *sum = r.reals.values.values;
    if (!is_raw(p.data, p.size))
      return each_value<DIMS, Real>(context(j, i), global_bytes{p.data}, p.size, r.reals.room,
                                    [=](int k, Real y) { sum[k] += factor * (double)y; });
    const raw_values<Real> values = raw_values_at<Real>(p.data + 1, j.s.lattice);
    if (!undamaged<Real>(j, i, p))
      return 0;
    ROLLED for (int k = 0; k < LANE_VALUES; k++) {
      const int at = place_among(j.extent, LANE_VALUES * j.lane + k);
      if (at >= 0)
        sum[k] += factor * (double)real_of(values(at));
    }
    return 1;
  }
  static METHOD int place_among(const tile_extent &e, int column) {
    const column_place p = place_of_column<DIMS>((unsigned)column);
    return is_inside(e, p) ? (int)::place_among(e, p) : -1;
  }
  static METHOD void write(const result &r, uint8_t *out, int lane) {
    const sum_of_planes &s = r.planes;
    put_brick_header(out, s.shape, lane);
    write_planes(s.sum.lattice, s.shape.lattice, out, lane);
    if (s.sum.transformed)
      write_planes(s.sum.coefficients, s.shape.coefficients, out, lane);
  }
};

#endif
