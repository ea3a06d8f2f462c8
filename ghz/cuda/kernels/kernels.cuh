// kernels.cuh: the kernels' arguments, and how the host starts them.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_KERNELS_CUH
#define GHZ_KERNELS_CUH

#include <ghz/cuda.h>

#include "cuda/kernels/operand.cuh"
#include "cuda/kernels/target.cuh"

// Compression: of an array that begins at x.
struct compress_call {
  const void *x;
  ghz_lattice lattice;
  double factor; // that coarse tiles are quantised by
  int order;
  // Narrow integers do not prove that a tile is coarse: every tile is looked at value by value.
  int slow_path;
  tile_target target;
};

// Decompression: values first .. first + count - 1 of the tiles of an operand, counted from its
// first tile.
struct decompress_call {
  operand from;
  stream_kind kind;
  void *y; // where value `first` goes
  uint64_t first, count;
  progress *shared;
  ghz_cuda_outcome *outcome;
};

// The same of bricks: those that a box meets, or those of a slice.
struct decompress_bricks_call {
  operand from;
  stream_kind kind;
  void *y;                       // where the box's first value goes
  uint64_t origin[3], extent[3]; // of the box
  uint64_t row, plane;           // values from line to line of y, and from plane to plane
  uint64_t low[3], count[3];     // of a stream: the bricks that the box meets, along z, y and x
  uint64_t bricks, values;
  progress *shared;
  ghz_cuda_outcome *outcome;
};

// The sum of coefficient * operand, divided by `divisor` where that is not 1.
struct combine_call {
  operand from[GHZ_CUDA_OPERANDS];
  int64_t coefficient[GHZ_CUDA_OPERANDS];
  unsigned k;
  int pair;   // a + b, a - b or b - a
  int scaled; // the result has another step: that of the operands by the divisor
  double divisor;
  stream_kind kind;
  tile_target target;
  uint8_t *spill; // room for tiles that are too large for shared memory, ghz_combine_spill bytes
};

enum { SPILL_TILE = (TILE_BYTES_MAX + 16 + 127) / 128 * 128 }; // with a few bytes behind

// Moves the sum that combine_tiles left at the end of an accumulator to the front, and completes
// header and index.
struct move_call {
  tile_target target; // that of combine: its index is in scratch
  uint64_t *ends;     // the accumulator's own
  uint16_t *sizes;
  unsigned *taken; // of each piece: whether it was read; 0 when the kernel starts
};

enum { PIECE_BYTES = 16384 };

// The multiprocessors of a device.
struct multiprocessors {
  unsigned count;
  size_t shared;    // bytes of shared memory that the blocks on each may have; 0 if CUDA does not say
  int architecture; // that the kernels were compiled for, 80 or more: it decides what registers they need

  // Blocks that run at once: of those that each can hold by their registers, as many as have room.
  // Kernels whose blocks share the work evenly take longer with one block more than that.
  unsigned blocks(unsigned most, size_t shared_of_block) const {
    const size_t fit = shared / (shared_of_block + RESERVED_SHARED);
    return count * (!shared || fit >= most ? most : fit ? (unsigned)fit : 1);
  }

private:
  static constexpr size_t RESERVED_SHARED = 1024; // of each block, by CUDA
};

// Each starts a kernel of as many blocks as the device holds, or fewer.
cudaError_t ghz_launch_compress(const compress_call &c, const multiprocessors &m, cudaStream_t stream);
cudaError_t ghz_launch_compress_bricks(const compress_call &c, const multiprocessors &m, cudaStream_t stream);
cudaError_t ghz_launch_decompress(const decompress_call &c, ghz_type out, const multiprocessors &m,
                                  cudaStream_t stream);
cudaError_t ghz_launch_decompress_bricks(const decompress_bricks_call &c, ghz_type out,
                                         const multiprocessors &m, cudaStream_t stream);
cudaError_t ghz_launch_combine(const combine_call &c, const multiprocessors &m, cudaStream_t stream);
cudaError_t ghz_launch_combine_bricks(const combine_call &c, const multiprocessors &m, cudaStream_t stream);
size_t ghz_combine_spill(uint64_t tiles, const multiprocessors &m);
cudaError_t ghz_launch_move(const move_call &c, const multiprocessors &m, cudaStream_t stream);

// To be called once, before all others: loads the kernels, if the device can run them, and sets
// their shared memory.
cudaError_t ghz_prepare_compress();
cudaError_t ghz_prepare_compress_bricks(int *architecture); // of its code
cudaError_t ghz_prepare_decompress();
cudaError_t ghz_prepare_decompress_bricks();
cudaError_t ghz_prepare_combine();
cudaError_t ghz_prepare_combine_bricks();
cudaError_t ghz_prepare_move();

// `architecture`: NULL, or where that of the kernel's code goes.
template <class Kernel> cudaError_t ghz_prepare(Kernel *kernel, size_t shared, int *architecture = NULL) {
  cudaFuncAttributes attributes;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error == cudaSuccess && architecture)
    *architecture = attributes.ptxVersion;
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
  // Shared memory takes all that it may of the memory that is cache otherwise: it decides how many
  // blocks a multiprocessor holds, and what they read from global memory goes there.
  return error == cudaSuccess
             ? cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100)
             : error;
}

// The number of blocks for so many tiles, of which each takes a group at a time.
inline unsigned blocks_for(uint64_t tiles, unsigned group, unsigned most) {
  const uint64_t groups = tiles / group + (tiles % group != 0);
  return groups == 0 ? 1 : groups < most ? (unsigned)groups : most;
}

// Finds the range of finite values. With room = NULL it only sets *room_size to the bytes that it
// needs.
cudaError_t ghz_launch_range(ghz_type type, const void *x, uint64_t n, double *range, void *room,
                             size_t *room_size, cudaStream_t stream);

// Finds where a message's chunks begin, and the end, from the sizes of its tiles. room as above.
cudaError_t ghz_launch_locate(const uint16_t *sizes, uint64_t tiles, uint64_t *offsets, void *room,
                              size_t *room_size, cudaStream_t stream);

#endif
