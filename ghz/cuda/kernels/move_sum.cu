// move_sum.cu: the second kernel of an addition in place. It moves the tiles of the sum from the
// end of the accumulator to their place behind the index.
// SPDX-License-Identifier: BSD-3-Clause

#include "cuda/kernels/kernels.cuh"
#include "cuda/primitives/stage.cuh"

enum { THREADS = 256, RESIDENT = 4 }; // blocks that a multiprocessor holds

struct move_shared {
  uint32_t piece[PIECE_BYTES / 4 + 8];
  uint64_t number;
};

// Waits until the pieces are read that lie where a piece goes.
DEVICE void wait_for(const unsigned *taken, uint64_t first, uint64_t end) {
  for (uint64_t i = first; i < end; i++)
    while (!watch(taken + i)) {
    }
}

// Moves piece after piece `gap` bytes towards the front. Blocks take them in order: all pieces
// before a piece are moved or being moved.
DEVICE void move_payload(const move_call &c, move_shared &s, uint64_t total) {
  uint8_t *to = c.target.payload, *from = to + (c.target.room - total), *end = from + total;
  const uint64_t gap = c.target.room - total;
  for (;;) {
    if (threadIdx.x == 0)
      s.number = atomicAdd(&c.target.shared->moved, (u64)1);
    __syncthreads();
    const uint64_t i = s.number, at = i * PIECE_BYTES;
    if (at >= total || gap == 0)
      return;
    const uint32_t size = total - at < PIECE_BYTES ? (uint32_t)(total - at) : (uint32_t)PIECE_BYTES;
    const uint32_t start = stage_bytes(s.piece, from + at, size, from, end, (int)threadIdx.x, THREADS);
    copies_arrived();
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(c.taken + i, 1u);
      const uint64_t first = at > gap ? (at - gap) / PIECE_BYTES : 0,
                     last = at + size > gap ? (at + size - gap) / PIECE_BYTES + 1 : 0;
      wait_for(c.taken, first, last < i ? last : i);
      __threadfence();
    }
    __syncthreads();
    unstage_bytes(to + at, s.piece, start, size, (int)threadIdx.x, THREADS); // the next barrier is above
  }
}

// Writes the accumulator's index: the sizes, and the ends of chunks, which were counted from the
// end of all.
DEVICE void move_index(const move_call &c, uint64_t total) {
  const uint64_t step = (uint64_t)gridDim.x * THREADS, me = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
  const uint64_t chunks = chunks_of(c.target.tiles);
  for (uint64_t i = me; i < chunks; i += step)
    c.ends[i] = i + 1 < chunks ? total - c.target.ends[i] : total;
  for (uint64_t i = me; i < c.target.tiles; i += step)
    c.sizes[i] = c.target.sizes[i];
}

__global__ void __launch_bounds__(THREADS) move_sum(ARGUMENT(move_call) c) {
  GHZ_SHARED(move_shared, s);
  const uint64_t total = c.target.shared->total;
  const bool failed = c.target.shared->fault != 0;
  if (!failed) {
    move_payload(c, s, total);
    move_index(c, total);
  }
  if (!is_last_block(c.target.shared, gridDim.x))
    return;
  const result_header h = {lattice_of_header(reinterpret_cast<const uint64_t *>(c.target.header)),
                           c.target.shared->terms, c.target.shared->flags};
  if (!failed)
    put_stream_header(c.target, h, total);
  put_outcome(c.target.shared, c.target.outcome, h.terms, h.flags, c.target.header_and_index + total);
}

const kernel<move_call> ghz_move_kernel = {move_sum, THREADS, 1, sizeof(move_shared), RESIDENT};
