// operand_headers.cuh: the headers of a sum's operands, which every block reads and compares.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_OPERAND_HEADERS_CUH
#define GHZ_OPERAND_HEADERS_CUH

#include "cuda/kernels/kernels.cuh"
#include "cuda/primitives/squeeze.cuh"

// What a block knows of the operands.
struct operand_headers {
  ghz_lattice lattice;
  uint32_t terms[GHZ_CUDA_OPERANDS], terms_of_result, flags;
  uint8_t transform[GHZ_CUDA_OPERANDS]; // whether its bricks may have coefficients
  uint64_t payload[GHZ_CUDA_OPERANDS];
  unsigned counting; // operands whose coefficient is not 0
  int status;
  uint8_t integer_bits[RAW + 1]; // of each mode; of raw tiles nothing
  expansion expand;              // how their planes are un-squeezed
};

DEVICE uint64_t magnitude_of(int64_t c) {
  return c < 0 ? 0 - (uint64_t)c : (uint64_t)c;
}

// Reports a fault to the call, and keeps the gravest for the block.
DEVICE void header_fault(const combine_call &c, operand_headers &s, unsigned i, int status) {
  note_fault(c.target.shared, FAULT_HEADER, 0, i, status);
  atomicMin(&s.status, status); // statuses are negative
}

// Adds up the terms of the result, which must not exceed the limit.
DEVICE void count_terms(const combine_call &c, operand_headers &s) {
  uint64_t terms = 0, limit = terms_limit(s.lattice.cap);
  s.counting = 0;
  for (unsigned i = 0; i < c.k; i++) {
    uint64_t times = magnitude_of(c.coefficient[i]);
    s.counting += times != 0;
    if (s.terms[i] && times > limit / s.terms[i])
      return header_fault(c, s, i, GHZ_ERANGE);
    terms += times * s.terms[i];
    if (terms > limit)
      return header_fault(c, s, i, GHZ_ERANGE);
  }
  s.terms_of_result = (uint32_t)terms;
}

// Reads and compares the headers, one per thread. Every block does so and finds the same; they are
// few bytes.
DEVICE void read_headers(const combine_call &c, operand_headers &s) {
  operand_header h = {};
  const unsigned i = threadIdx.x;
  int status = GHZ_OK;
  make_expansion(s.expand);
  if (i == 0) {
    s.status = GHZ_OK;
    s.flags = 0;
  }
  __syncthreads();
  if (i < c.k) {
    status = read_header(c.from[i], c.kind, h);
    s.terms[i] = h.terms;
    s.payload[i] = h.payload;
    s.transform[i] = (h.flags & FLAG_TRANSFORM) != 0;
    if (i == 0)
      s.lattice = h.lattice;
    if (status == GHZ_OK && c.coefficient[i])
      atomicOr(&s.flags, h.flags);
  }
  __syncthreads();
  if (i < c.k && status == GHZ_OK && !lattices_equal(&h.lattice, &s.lattice))
    status = GHZ_EMISMATCH;
  if (status != GHZ_OK)
    header_fault(c, s, i, status);
  __syncthreads();
  if (i == 0 && s.status == GHZ_OK) {
    ghz_lattice scaled = s.lattice;
    for (int mode = COARSE; mode <= RAW; mode++)
      s.integer_bits[mode] = mode == RAW ? 0 : (uint8_t)integer_bits(&s.lattice, mode);
    count_terms(c, s);
    if (c.scaled && !scale_lattice(&scaled, 1, c.divisor))
      header_fault(c, s, 255, GHZ_EINVAL);
  }
  __syncthreads();
}

#endif
