// range.cu: what CUB's algorithms do for the calls: the range of values, and where the chunks of a
// message begin.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <iterator>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda/kernels/kernels.cuh"
#include "cuda/primitives/reals.cuh"

// What a function makes of 0, 1, 2 and so on, as an iterator that CUB reads.
template <class Value, class Function> struct computed {
  typedef std::random_access_iterator_tag iterator_category;
  typedef Value value_type;
  typedef ptrdiff_t difference_type;
  typedef const Value *pointer;
  typedef Value reference;
  Function of;
  uint64_t i;
  __host__ __device__ computed operator+(ptrdiff_t n) const {
    return {of, i + (uint64_t)n};
  }
  METHOD Value operator[](ptrdiff_t n) const {
    return of(i + (uint64_t)n);
  }
  METHOD Value operator*() const {
    return of(i);
  }
};

// ---- Range --------------------------------------------------------------------------------------

// The least and the greatest of finite values; without any, +Inf and -Inf.
template <class Real> struct extremes { Real low, high; };

template <class Real> struct wider {
  __host__ __device__ extremes<Real> operator()(const extremes<Real> &a, const extremes<Real> &b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

template <class Real> struct one_value {
  const Real *x;
  METHOD extremes<Real> operator()(uint64_t i) const {
    const bool finite = (bits_of(x[i]) & real_type<Real>::EXPONENT) != real_type<Real>::EXPONENT;
    return {finite ? x[i] : (Real)HUGE_VAL, finite ? x[i] : (Real)-HUGE_VAL};
  }
};

// Where CUB puts the result.
struct range_place {
  double *range;
  METHOD const range_place &operator*() const {
    return *this;
  }
  template <class Real> METHOD void operator=(const extremes<Real> &e) const {
    range[0] = e.low;
    range[1] = e.high;
  }
};

template <class Real>
static cudaError_t find_range(const void *x, uint64_t n, double *range, void *room, size_t *room_size,
                              cudaStream_t stream) {
  const computed<extremes<Real>, one_value<Real>> values = {{static_cast<const Real *>(x)}, 0};
  const extremes<Real> none = {(Real)HUGE_VAL, (Real)-HUGE_VAL};
  return cub::DeviceReduce::Reduce(room, *room_size, values, range_place{range}, n, wider<Real>{}, none,
                                   stream);
}

cudaError_t ghz_launch_range(ghz_type type, const void *x, uint64_t n, double *range, void *room,
                             size_t *room_size, cudaStream_t stream) {
  return type == GHZ_F32 ? find_range<float>(x, n, range, room, room_size, stream)
                         : find_range<double>(x, n, range, room, room_size, stream);
}

// ---- Offsets ------------------------------------------------------------------------------------

// The bytes of a chunk; the one after the last has none.
struct chunk_size {
  const uint16_t *sizes;
  uint64_t tiles;
  METHOD uint64_t operator()(uint64_t chunk) const {
    const uint64_t first = chunk * TILES_PER_CHUNK;
    uint64_t sum = 0;
    for (uint64_t t = first; t < first + TILES_PER_CHUNK && t < tiles; t++)
      sum += sizes[t];
    return sum;
  }
};

struct plus {
  __host__ __device__ uint64_t operator()(uint64_t a, uint64_t b) const {
    return a + b;
  }
};

cudaError_t ghz_launch_locate(const uint16_t *sizes, uint64_t tiles, uint64_t *offsets, void *room,
                              size_t *room_size, cudaStream_t stream) {
  const computed<uint64_t, chunk_size> chunks = {{sizes, tiles}, 0};
  return cub::DeviceScan::ExclusiveScan(room, *room_size, chunks, offsets, plus{}, UINT64_C(0),
                                        chunks_of(tiles) + 1, stream);
}
