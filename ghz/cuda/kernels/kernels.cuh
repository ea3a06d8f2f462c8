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

// Decompression: the box of an array; of flat tiles along x alone, counted from the operand's first
// one. Of a message of bricks, the array that these go to.
struct decompress_call {
  operand from;
  stream_kind kind;
  void *y;                       // where the box's first value goes
  uint64_t origin[3], extent[3]; // of the box
  uint64_t row, plane;           // values from line to line of y, and from plane to plane
  uint64_t low[3], count[3];     // tiles that the box meets, along z, y and x
  uint64_t tiles, values;
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
  uint8_t *spill; // room for tiles that are too large for shared memory: SPILL_TILE for each of a block's
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
};

// A kernel, and how it is started.
template <class Call> struct kernel {
  void (*function)(Call);
  unsigned threads, group;   // of a block; tiles that it takes at a time
  size_t shared;             // bytes of shared memory of a block
  unsigned resident;         // blocks that a multiprocessor holds by their registers,
  unsigned older = resident; // and in code for an architecture before sm_90

  // As many blocks as the device holds, or fewer. Kernels whose blocks share the work evenly take
  // longer with one block more than run at once.
  unsigned blocks(uint64_t tiles, const multiprocessors &m) const {
    const size_t reserved = 1024; // of each block, by CUDA
    const size_t most = m.architecture < 90 ? older : resident, fit = m.shared / (shared + reserved);
    const size_t held = m.count * (!m.shared || fit >= most ? most : fit ? fit : 1);
    const uint64_t groups = tiles / group + (tiles % group != 0);
    return groups == 0 ? 1 : (unsigned)(groups < held ? groups : held);
  }
  cudaError_t launch(const Call &c, uint64_t tiles, const multiprocessors &m, cudaStream_t stream) const {
    return ghz_start(function, blocks(tiles, m), threads, shared, stream, c);
  }
  // To be called once, before launch: loads the kernel, if the device can run it, sets its shared
  // memory, and says what it was compiled for.
  cudaError_t prepare(int *architecture) const {
    cudaFuncAttributes attributes;
    GHZ_TRY(cudaFuncGetAttributes(&attributes, function));
    *architecture = attributes.ptxVersion;
    GHZ_TRY(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    // Shared memory takes all that it may of the memory that is cache otherwise: it decides how
    // many blocks a multiprocessor holds, and what they read from global memory goes there.
    return cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
  }
};

extern const kernel<compress_call> ghz_compress_kernels[2];            // by type
extern const kernel<compress_call> ghz_compress_bricks_kernels[4];     // by dimensions, then type
extern const kernel<decompress_call> ghz_decompress_kernels[3];        // by the sum of both types
extern const kernel<decompress_call> ghz_decompress_bricks_kernels[4]; // by dimensions, then type of values
extern const kernel<combine_call> ghz_combine_kernels[6];              // by dimensions, then type
extern const kernel<move_call> ghz_move_kernel;

// Finds the range of finite values. With room = NULL it only sets *room_size to the bytes that it
// needs.
cudaError_t ghz_launch_range(ghz_type type, const void *x, uint64_t n, double *range, void *room,
                             size_t *room_size, cudaStream_t stream);

// Finds where a message's chunks begin, and the end, from the sizes of its tiles. room as above.
cudaError_t ghz_launch_locate(const uint16_t *sizes, uint64_t tiles, uint64_t *offsets, void *room,
                              size_t *room_size, cudaStream_t stream);

#endif
