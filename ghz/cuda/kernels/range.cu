// range.cu: what CUB does: the range of finite values, and the offsets of a message's chunks.
// SPDX-License-Identifier: BSD-3-Clause

#include <cstddef>
#include <iterator>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda/kernels/kernels.cuh"
#include "cuda/primitives/integers.cuh"

// ---- Range --------------------------------------------------------------------------------------

// Floating-point numbers of either sign in the order of integers (tile/reals_impl.h).
DEVICE int64_t order_key(uint32_t b) {
  int32_t s = (int32_t)b;
  return s ^ (int32_t)((uint32_t)(s >> 31) & 0x7fffffffu);
}
DEVICE int64_t order_key(uint64_t b) {
  int64_t s = (int64_t)b;
  return s ^ (int64_t)((uint64_t)(s >> 63) & 0x7fffffffffffffffu);
}

struct key_range {
  int64_t low, high;
};

struct wider_range {
  __host__ __device__ key_range operator()(const key_range &a, const key_range &b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

// The keys of values, as an iterator that CUB reads.
template <class Real> struct value_ranges {
  typedef std::random_access_iterator_tag iterator_category;
  typedef key_range value_type;
  typedef ptrdiff_t difference_type;
  typedef const key_range *pointer;
  typedef key_range reference;
  const Real *x;
  __host__ __device__ value_ranges operator+(ptrdiff_t i) const {
    return {x + i};
  }
  METHOD key_range operator[](ptrdiff_t i) const {
    typedef real_type<Real> type;
    typename type::bits b = bits_of(x[i]);
    if ((b & type::EXPONENT) == type::EXPONENT)
      return {order_key((typename type::bits)type::EXPONENT),
              order_key((typename type::bits)(type::EXPONENT | type::SIGN))};
    return {order_key(b), order_key(b)};
  }
  METHOD key_range operator*() const {
    return (*this)[0];
  }
};

template <class Real> DEVICE double value_of_key(int64_t key) {
  typedef typename real_type<Real>::bits bits;
  typedef typename std::conditional<sizeof(Real) == 4, int32_t, int64_t>::type Signed;
  Signed s = (Signed)key;
  bits b = (bits)s ^ ((bits)(s >> (8 * sizeof(Real) - 1)) & ~real_type<Real>::SIGN);
  return (double)real_of(b);
}

// Where the result is to go.
struct range_place {
  const key_range *keys;
  uint64_t n;
  double *range;
};

template <class Real> __global__ void put_range(ARGUMENT(range_place) p) {
  p.range[0] = p.n ? value_of_key<Real>(p.keys->low) : HUGE_VAL;
  p.range[1] = p.n ? value_of_key<Real>(p.keys->high) : -HUGE_VAL;
  __threadfence_system();
}

// The result of the reduction stands before CUB's own room.
enum { KEYS_ROOM = 256 };

template <class Real>
static cudaError_t find_range(const Real *x, uint64_t n, double *range, void *room, size_t *room_size,
                              cudaStream_t stream) {
  const key_range none = {INT64_MAX, INT64_MIN};
  key_range *keys = static_cast<key_range *>(room);
  void *rest = room ? static_cast<uint8_t *>(room) + KEYS_ROOM : NULL;
  size_t size = room ? *room_size - KEYS_ROOM : 0;
  cudaError_t error =
      cub::DeviceReduce::Reduce(rest, size, value_ranges<Real>{x}, keys, n, wider_range{}, none, stream);
  if (!room)
    *room_size = size + KEYS_ROOM;
  if (!room || error != cudaSuccess)
    return error;
  const range_place place = {keys, n, range};
  return ghz_start(put_range<Real>, 1, 1, 0, stream, place);
}

cudaError_t ghz_launch_range(ghz_type type, const void *x, uint64_t n, double *range, void *room,
                             size_t *room_size, cudaStream_t stream) {
  return type == GHZ_F32 ? find_range(static_cast<const float *>(x), n, range, room, room_size, stream)
                         : find_range(static_cast<const double *>(x), n, range, room, room_size, stream);
}

// ---- Offsets ------------------------------------------------------------------------------------

// The bytes of each chunk, as an iterator that CUB reads; the one after the last has none.
struct chunk_sizes {
  typedef std::random_access_iterator_tag iterator_category;
  typedef uint64_t value_type;
  typedef ptrdiff_t difference_type;
  typedef const uint64_t *pointer;
  typedef uint64_t reference;
  const uint16_t *sizes;
  uint64_t tiles, chunk;
  __host__ __device__ chunk_sizes operator+(ptrdiff_t i) const {
    return {sizes, tiles, chunk + (uint64_t)i};
  }
  __host__ __device__ uint64_t operator[](ptrdiff_t i) const {
    uint64_t first = (chunk + (uint64_t)i) * TILES_PER_CHUNK, sum = 0;
    for (uint64_t t = first; t < first + TILES_PER_CHUNK && t < tiles; t++)
      sum += sizes[t];
    return sum;
  }
  __host__ __device__ uint64_t operator*() const {
    return (*this)[0];
  }
};

struct plus {
  __host__ __device__ uint64_t operator()(uint64_t a, uint64_t b) const {
    return a + b;
  }
};

cudaError_t ghz_launch_locate(const uint16_t *sizes, uint64_t tiles, uint64_t *offsets, void *room,
                              size_t *room_size, cudaStream_t stream) {
  const uint64_t chunks = tiles / TILES_PER_CHUNK + (tiles % TILES_PER_CHUNK != 0);
  return cub::DeviceScan::ExclusiveScan(room, *room_size, chunk_sizes{sizes, tiles, 0}, offsets, plus{},
                                        UINT64_C(0), chunks + 1, stream);
}
