/* reference.h: a second implementation of the format, slow and obvious, that the tests hold libghz
 * against.
 *
 * It works on one integer per value and shares no code with the library. Memory runs out: it
 * aborts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { REF_F32 = 0, REF_F64 = 1 };
enum { REF_TILE = 1024, REF_BLOCKS = 128, REF_TILE_ROOM = 16384 };
enum { REF_COARSE = 0, REF_FINE = 1, REF_WIDE = 2 };

/* GOOD must be accepted and BAD refused. ODD is a stream that no encoder writes and no rule forbids
 * (a width that is not the least, a bit in the padding): it may be accepted or refused, but alike
 * on every machine. */
typedef enum ref_verdict { REF_GOOD, REF_ODD, REF_BAD } ref_verdict;

/* The fields of a stream's header that a caller chooses. */
typedef struct ref_header {
  int type;
  int inexact;
  int cap;
  uint64_t n;
  double step;
  double eb;
  uint32_t terms;
} ref_header;

/* One tile as numbers: raw, bits are the values as they are stored; else q, plus and minus hold. */
typedef struct ref_tile {
  int n;
  int raw;
  int mode;
  int order;
  int64_t q[REF_TILE];
  uint8_t plus[REF_TILE];
  uint8_t minus[REF_TILE];
  uint64_t bits[REF_TILE];
} ref_tile;

/* Bytes in scratch memory (common.h). */
typedef struct ref_bytes {
  uint8_t *data;
  size_t size;
} ref_bytes;

/* What a combination does after the integers are summed. */
typedef enum ref_after { REF_PLAIN, REF_SCALE, REF_MEAN } ref_after;

/* ---- one tile (reference_tile.c) ---- */
size_t ref_value_size(int type);
double ref_value(int type, uint64_t bits);
uint64_t ref_bits(int type, double value); /* rounded to the type, NaN canonical */
int ref_mode_bits(int type, int cap, int mode);
int ref_bit_length(uint64_t x);
int ref_width(int64_t r);

/* Puts tile->bits on the lattice of the header; 0 if they lie outside. */
int ref_tile_quantise(const ref_header *header, ref_tile *tile);
/* Sets tile->order: the one given, or the smallest encoding for -1. */
void ref_tile_choose_order(const ref_header *header, ref_tile *tile, int order);
/* Encodes; returns the size, at most REF_TILE_ROOM. */
size_t ref_tile_encode(int type, const ref_tile *tile, uint8_t *out);
/* From tile->bits to bytes, raw where the rules say so. */
size_t ref_tile_compress(const ref_header *header, int order, ref_tile *tile, uint8_t *out);
ref_verdict ref_tile_parse(const ref_header *header, int n, const uint8_t *data, size_t size, ref_tile *tile);
/* The bits that value i decodes to, in the stream's type or in binary64. */
uint64_t ref_tile_decode(const ref_header *header, const ref_tile *tile, int i, int out_type);

/* ---- streams (reference_stream.c) ---- */
ref_bytes ref_compress(const ref_header *header, int order, const void *x);
/* Joins tiles, packed in payload with the sizes given, to a stream. */
ref_bytes ref_assemble(const ref_header *header, const uint16_t *sizes, const uint8_t *payload);
ref_verdict ref_check(const uint8_t *data, size_t size);
/* For the next three the stream must not be BAD. */
ref_header ref_header_read(const uint8_t *data);
const uint8_t *ref_tile_at(const uint8_t *data, uint64_t tile, size_t *size);
void ref_decode(const uint8_t *data, int out_type, void *dst);
int ref_tile_count(const ref_header *header, uint64_t tile);
uint64_t ref_tiles(uint64_t n);

/* ---- operations (reference_ops.c) ---- */
ref_bytes ref_combine(size_t k, const ref_bytes *streams, const int64_t *coefficients, ref_after after,
                      double factor);
ref_bytes ref_sum(size_t k, const ref_bytes *streams);
ref_bytes ref_scale(ref_bytes stream, double factor);
ref_bytes ref_mean(size_t k, const ref_bytes *streams);
ref_bytes ref_extremum(ref_bytes a, ref_bytes b, int larger);

/* The step that belongs to an absolute bound. */
double ref_step(int type, double eb);
