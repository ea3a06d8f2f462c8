// operand.cuh: streams and messages in device memory as operands. Every block checks their headers;
// the index is checked chunk by chunk (FORMAT.md, "Reading hostile input").
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_OPERAND_CUH
#define GHZ_OPERAND_CUH

#include "cuda/kernels/target.cuh"
#include "rules/lattice_rules.h"
#include "rules/shape.h"

// What the caller says of the operands.
struct stream_kind {
  ghz_type type;
  ghz_shape shape;
  uint64_t first, tiles; // a stream has all tiles of the shape
  int message;
};

struct operand {
  const uint8_t *header; // a multiple of 16
  uint64_t size;         // bytes that may be read from there, at least those of header and index
  const uint64_t *ends;  // of chunks: in the stream; of a message, in scratch
  const uint16_t *sizes;
  const uint8_t *payload;
};

// What the header of an operand says.
struct operand_header {
  ghz_lattice lattice;
  uint32_t terms;
  uint32_t flags;
  uint64_t payload; // bytes
};

// What the first bytes say of the version that wrote them. Returns a status.
DEVICE int check_version(uint64_t first, uint64_t terms, int message) {
  const uint32_t magic = (uint32_t)first;
  if (magic == (message ? MESSAGE_MAGIC_1 : STREAM_MAGIC_1) ||
      magic == (message ? MESSAGE_MAGIC_2 : STREAM_MAGIC_2))
    return GHZ_EVERSION;
  if (magic != (message ? MESSAGE_MAGIC : STREAM_MAGIC))
    return GHZ_ECORRUPT;
  const unsigned type = (unsigned)(first >> 32 & 255), flags = (unsigned)(first >> 40 & 255);
  const bool known =
      type_known((ghz_type)type) && flags <= FLAGS_KNOWN && !(terms >> 32) && dims_known((int)(first >> 56));
  return known ? GHZ_OK : GHZ_EVERSION;
}

// The lattice that a header says.
DEVICE ghz_lattice lattice_of_header(const uint64_t *w) {
  ghz_lattice l;
  l.type = (ghz_type)(w[0] >> 32 & 255);
  l.cap = (int)(w[0] >> 48 & 255);
  l.step = __longlong_as_double((long long)w[4]);
  l.eb = __longlong_as_double((long long)w[5]);
  l.has_fill = (w[0] >> 40 & FLAG_FILL) != 0;
  l.fill = __longlong_as_double((long long)w[8]);
  return l;
}

// Reads and checks a header. Returns a status.
DEVICE int read_header(const operand &o, const stream_kind &kind, operand_header &h) {
  const uint64_t *w = reinterpret_cast<const uint64_t *>(o.header);
  const uint64_t first = w[0], index = (uint64_t)(o.payload - o.header);
  const ghz_shape shape = {(int)(first >> 56), {w[1], w[2], w[3]}};
  const int status = check_version(first, w[6], kind.message);
  if (status != GHZ_OK)
    return status;
  h.lattice = lattice_of_header(w);
  h.terms = (uint32_t)w[6];
  h.flags = (uint32_t)(first >> 40 & 255);
  h.payload = w[7];
  if (!shape_valid(&shape) || ((h.flags & FLAG_TRANSFORM) && shape.dims == 1) || !lattice_valid(&h.lattice) ||
      h.terms > terms_limit(h.lattice.cap) || (!h.lattice.has_fill && w[8]))
    return GHZ_ECORRUPT;
  if (h.lattice.type != kind.type || !shapes_equal(&shape, &kind.shape) ||
      (kind.message && (w[9] != kind.first || w[10] != kind.tiles)))
    return GHZ_EMISMATCH;
  return h.payload > o.size - index || (kind.tiles == 0 && h.payload) ? GHZ_ECORRUPT : GHZ_OK;
}

// The header of a call's only operand, for a block. Returns its status.
template <class Call, class Shared> DEVICE int open_operand(const Call &c, Shared &s) {
  if (threadIdx.x == 0) {
    s.status = read_header(c.from, c.kind, s.header);
    if (s.status != GHZ_OK)
      note_fault(c.shared, FAULT_HEADER, 0, 0, s.status);
  }
  __syncthreads();
  return s.status;
}

// Ends a kernel that wrote so many bytes of such an operand's values.
template <class Call> DEVICE void finish_values(const Call &c, const operand_header &h, uint64_t size) {
  if (!is_last_block(c.shared, gridDim.x))
    return;
  __threadfence();
  put_outcome(c.shared, c.outcome, h.terms, h.flags, size);
}

// A tile of an operand.
struct stored_tile {
  const uint8_t *data;
  uint32_t size;
};

// What the index says of a chunk. Chunks that are right fill the payload without gaps.
struct chunk_place {
  uint64_t offset, end; // of the chunk before, and of this one
  int last;

  METHOD void find(const operand &o, const stream_kind &kind, uint64_t chunk) {
    offset = chunk ? o.ends[chunk - 1] : 0;
    end = o.ends[chunk];
    last = chunk + 1 >= chunks_of(kind.tiles);
  }
  // `sum`: of the sizes of its tiles; `largest` of them.
  METHOD int right(uint64_t payload, uint32_t sum, uint32_t largest) const {
    return largest <= TILE_BYTES_MAX && offset <= payload && sum <= payload - offset && end - offset == sum &&
           (!last || end == payload);
  }
};

// A warp finds tile t, from the end of the chunk before and the sizes of the chunk's tiles. Returns
// 0 if these contradict each other, the payload or the chunk's end.
DEVICE int place_tile(const operand &o, const stream_kind &kind, uint64_t payload, uint64_t t,
                      stored_tile &place, int lane) {
  const uint64_t chunk = t / TILES_PER_CHUNK;
  const int in_chunk = (int)(t % TILES_PER_CHUNK);
  const uint64_t left = kind.tiles - chunk * TILES_PER_CHUNK;
  uint32_t size =
      lane < TILES_PER_CHUNK && (uint64_t)lane < left ? o.sizes[chunk * TILES_PER_CHUNK + (uint64_t)lane] : 0u;
  uint32_t sum = __reduce_add_sync(ALL, size), before = __reduce_add_sync(ALL, lane < in_chunk ? size : 0u);
  uint32_t largest = __reduce_max_sync(ALL, size);
  chunk_place c;
  c.find(o, kind, chunk);
  place.size = __shfl_sync(ALL, size, in_chunk);
  const int right = c.right(payload, sum, largest);
  place.data = o.payload + (right ? c.offset + before : 0);
  return right;
}

#endif
