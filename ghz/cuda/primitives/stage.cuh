// stage.cuh: copies between global and shared memory, 16 bytes at a time where addresses allow it.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_STAGE_CUH
#define GHZ_STAGE_CUH

#include "cuda/primitives/warp.cuh"

// ---- Addresses ----------------------------------------------------------------------------------

// An address in the block's shared memory, whose bits can be changed. Unlike a pointer it says so
// also in functions that are not inlined, and takes one register.
#ifdef __CUDA_ARCH__
typedef uint32_t shared_address;

DEVICE shared_address address_in_shared(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
template <class T> DEVICE T &in_memory(shared_address a) {
  return *static_cast<T *>(__cvta_shared_to_generic(a));
}
#else
typedef uintptr_t shared_address;

DEVICE shared_address address_in_shared(const void *p) {
  return reinterpret_cast<uintptr_t>(p);
}
#endif

// Anywhere.
template <class T> DEVICE T &in_memory(uintptr_t a) {
  return *reinterpret_cast<T *>(a);
}

// The word that begins at any byte of shared memory. Reads the two words around it.
DEVICE uint32_t unaligned_word(shared_address at) {
  const shared_address first = at & ~(shared_address)3;
  return __funnelshift_r(in_memory<uint32_t>(first), in_memory<uint32_t>(first + 4), (uint32_t)at << 3);
}

// ---- Copies of 16 bytes -------------------------------------------------------------------------

// Copies 16 bytes. A device does not wait for them.
DEVICE void copy_16(void *shared, const void *global) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(shared)),
               "l"(global)
               : "memory");
#else
  *static_cast<uint4 *>(shared) = *static_cast<const uint4 *>(global);
#endif
}

// Copies the first bytes of 16, and sets the others to 0. Nothing is read behind them.
DEVICE void copy_first_of_16(shared_address to, const void *global, uint32_t bytes) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(bytes) : "memory");
#else
  for (uint32_t i = 0; i < 16; i++)
    in_memory<uint8_t>(to + i) = i < bytes ? static_cast<const uint8_t *>(global)[i] : 0;
#endif
}

// Waits for this thread's copies. Those of other threads need a barrier, too.
DEVICE void copies_arrived() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// ---- Bytes of tiles -----------------------------------------------------------------------------

// Copies bytes [from, from + size) to shared memory, at the same offset modulo 16, and returns
// where they begin there. Reads nothing outside [low, high). The buffer has room for size + 31
// bytes. `lanes` threads call it together.
DEVICE uint32_t stage_bytes(uint32_t *buffer, const uint8_t *from, uint32_t size, const uint8_t *low,
                            const uint8_t *high, int lane, int lanes = 32) {
  uint32_t skew = (uint32_t)(reinterpret_cast<uintptr_t>(from) & 15), pieces = (skew + size + 15) / 16;
  const uint8_t *g = from - skew;
  uint8_t *s = reinterpret_cast<uint8_t *>(buffer);
  ROLLED for (uint32_t i = (uint32_t)lane; i < pieces; i += (uint32_t)lanes) {
    const uint8_t *piece = g + 16 * i;
    if (piece >= low && piece + 16 <= high)
      copy_16(s + 16 * i, piece);
    else
      for (int b = 0; b < 16; b++)
        if (piece + b >= low && piece + b < high)
          s[16 * i + (uint32_t)b] = piece[b];
  }
  return skew;
}

// Four words that begin at any byte. Reads the five around them.
DEVICE uint4 unaligned_words(const uint32_t *buffer, uint32_t at) {
  const uint32_t *p = buffer + (at >> 2);
  uint32_t w[5], v[4];
  UNROLLED for (int i = 0; i < 5; i++) w[i] = p[i];
  UNROLLED for (int i = 0; i < 4; i++) v[i] = __funnelshift_r(w[i], w[i + 1], at << 3);
  return {v[0], v[1], v[2], v[3]};
}

// Copies bytes from shared to global memory, by 16 where they are aligned there. The buffer has
// four bytes behind them.
DEVICE void unstage_bytes(uint8_t *to, const uint32_t *buffer, uint32_t start, uint32_t size, int lane,
                          int lanes = 32) {
  const uint8_t *s = reinterpret_cast<const uint8_t *>(buffer) + start;
  const uint32_t head = min((uint32_t)(0 - reinterpret_cast<uintptr_t>(to)) & 15, size);
  const uint32_t pieces = (size - head) / 16, tail = head + 16 * pieces;
  ROLLED for (uint32_t i = (uint32_t)lane; i < head; i += (uint32_t)lanes) to[i] = s[i];
  uint4 *piece = reinterpret_cast<uint4 *>(to + head);
  ROLLED for (uint32_t i = (uint32_t)lane; i < pieces; i += (uint32_t)lanes) piece[i] =
      unaligned_words(buffer, start + head + 16 * i);
  ROLLED for (uint32_t i = tail + (uint32_t)lane; i < size; i += (uint32_t)lanes) to[i] = s[i];
}

// ---- Values of tiles ----------------------------------------------------------------------------

// A tile's values stand in shared memory as 32 rows of pieces of 16 bytes, one row per lane. The
// pieces of a row are permuted, so that there are no bank conflicts, whether the lanes read along a
// row or each lane reads its own.
template <class Real> struct value_rows {
  static constexpr int PIECE = 16 / (int)sizeof(Real), PIECES = LANE_VALUES / PIECE;
  struct alignas(16) piece {
    Real value[PIECE];
  };
  static METHOD constexpr int place(int row, int p) {
    return row * PIECES + (p ^ (row & 7));
  }
  static METHOD constexpr int place_of_value(int i) {
    return place(i / LANE_VALUES, i % LANE_VALUES / PIECE) * PIECE + i % PIECE;
  }
};

// Where the lane's k-th piece stands, if the lanes copy 32 neighbours of an array at a time.
// Constants lead from one piece to the others: a place is linear in the bits of lane and k.
template <class Real> DEVICE int place_of_neighbour(int k, int lane) {
  typedef value_rows<Real> rows;
  const int first = rows::place(lane / rows::PIECES, lane % rows::PIECES);
  return 32 * k + (first ^ (32 / rows::PIECES * k & 7));
}

// Copies n <= 1024 values to shared memory, and fills the rest of the tile with zeros.
template <class Real> DEVICE void stage_values(uint32_t *buffer, const Real *x, unsigned n, int lane) {
  typedef value_rows<Real> rows;
  typedef typename rows::piece piece;
  if (n == TILE && reinterpret_cast<uintptr_t>(x) % 16 == 0) {
    piece *s = reinterpret_cast<piece *>(buffer);
    UNROLLED for (int k = 0; k < rows::PIECES; k++)
        copy_16(s + place_of_neighbour<Real>(k, lane), x + (32 * k + lane) * rows::PIECE);
    copies_arrived();
  } else {
    Real *s = reinterpret_cast<Real *>(buffer);
    ROLLED for (int k = 0; k < TILE / 32; k++) {
      int i = 32 * k + lane;
      s[rows::place_of_value(i)] = (unsigned)i < n ? x[i] : (Real)0;
    }
  }
  __syncwarp();
}

// The lane's values 4 k to 4 k + 3 in shared memory.
template <class Real> DEVICE void take_four(const Real *values, int lane, int k, Real x[4]) {
  typedef value_rows<Real> rows;
  const typename rows::piece *s = reinterpret_cast<const typename rows::piece *>(values);
  UNROLLED for (int i = 0; i < 4; i += rows::PIECE) {
    const typename rows::piece y = s[rows::place(lane, (4 * k + i) / rows::PIECE)];
    UNROLLED for (int j = 0; j < rows::PIECE; j++) x[i + j] = y.value[j];
  }
}

// Calls use(i, x) for the lane's i-th value in shared memory.
template <class Real, class Use> DEVICE void each_staged(const Real *values, int lane, Use use) {
  keep_as_it_is(lane); // or addresses stay in registers from one loop to the next
  UNROLLED for (int k = 0; k < LANE_VALUES / 4; k++) {
    Real x[4];
    take_four(values, lane, k, x);
    UNROLLED for (int i = 0; i < 4; i++) use(4 * k + i, x[i]);
  }
}

// Calls use(i, x, y) for the values of two arrays. No more of them are read at once than registers
// have room for.
template <class Real, class Other, class Use>
DEVICE void each_staged_pair(const Real *values, const Other *others, int lane, Use use) {
  keep_as_it_is(lane);
  UNROLLED for (int k = 0; k < LANE_VALUES / 4; k++) {
    Real x[4];
    Other y[4];
    take_four(values, lane, k, x);
    take_four(others, lane, k, y);
    UNROLLED for (int i = 0; i < 4; i++) use(4 * k + i, x[i], y[i]);
    one_after_the_other();
  }
}

// Copies values first .. end - 1 of a tile in shared memory to y on.
template <class Real>
DEVICE void unstage_values(Real *y, const uint32_t *buffer, unsigned first, unsigned end, int lane) {
  typedef value_rows<Real> rows;
  typedef typename rows::piece piece;
  if (first == 0 && end == TILE && reinterpret_cast<uintptr_t>(y) % 16 == 0) {
    const piece *s = reinterpret_cast<const piece *>(buffer);
    UNROLLED for (int k = 0; k < rows::PIECES; k++) *
        reinterpret_cast<uint4 *>(y + (32 * k + lane) * rows::PIECE) =
        *reinterpret_cast<const uint4 *>(s + place_of_neighbour<Real>(k, lane));
  } else {
    const Real *s = reinterpret_cast<const Real *>(buffer);
    ROLLED for (int k = 0; k < TILE / 32; k++) {
      unsigned i = 32 * (unsigned)k + (unsigned)lane;
      if (i >= first && i < end)
        y[i - first] = s[rows::place_of_value((int)i)];
    }
  }
}

// Writes n zeros from y on.
template <class Real> DEVICE void put_zeros(Real *y, unsigned n, int lane) {
  if (n == TILE && reinterpret_cast<uintptr_t>(y) % 16 == 0)
    UNROLLED for (int k = 0; k < value_rows<Real>::PIECES;
                  k++) reinterpret_cast<uint4 *>(y)[32 * k + lane] = {};
  else
    ROLLED for (unsigned i = (unsigned)lane; i < n; i += 32) y[i] = 0;
}

#endif
