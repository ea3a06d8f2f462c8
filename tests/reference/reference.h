/* reference.h: a second implementation of the format, slow and obvious, that the tests hold libghz
 * against.
 *
 * It works on one integer per value and shares no code with the library. Memory runs out: it
 * aborts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { REF_F32 = 0, REF_F64 = 1, REF_I8, REF_I16, REF_I32, REF_I64, REF_U8, REF_U16, REF_U32 };
enum { REF_TILE = 1024, REF_BLOCKS = 128, REF_TILE_ROOM = 20480 };
enum { REF_COARSE = 0, REF_FINE = 1, REF_WIDE = 2 };
enum { REF_BEST = -1, REF_LORENZO = -2 }; /* orders: the smallest tile, with coefficients and without */

/* GOOD must be accepted and BAD refused. ODD is a stream that no encoder writes and no rule forbids
 * (a width that is not the least, a bit in the padding): it may be accepted or refused, but alike
 * on every machine. */
typedef enum ref_verdict { REF_GOOD, REF_ODD, REF_BAD } ref_verdict;

/* The fields of a stream's header that a caller chooses. With dims 0 or 1 the array is flat, and n
 * alone counts; otherwise n is the product of the extents z, y, x. */
typedef struct ref_header {
  int type;     /* of the values in tiles: of integers their storage type */
  int integers; /* 0, or an integer type: REF_I8 to REF_U32 */
  int inexact;
  int transform;
  int cap;
  int dims;
  uint64_t extent[3];
  uint64_t n;
  double step;
  double eb;      /* of integers that of the grid of the storage type, */
  double said_eb; /* and this stands in the header */
  uint32_t terms;
  int has_fill;
  double fill; /* what stands for "missing"; 0 without */
} ref_header;

/* One tile as numbers, by column: raw, bits are the values as they are stored; else q, plus and
 * minus hold, and c if there are coefficients: c(uz, uy, ux) stands where a value (z, y, x) would.
 * n values lie inside; of bricks (dims 2 or 3) those before z, y, x, of flat tiles the first n. */
typedef struct ref_tile {
  int dims;
  int z, y, x;
  int n;
  int raw;
  int mode;
  int order;
  int turned; /* how residuals are stored: ref_stored_at */
  int coefficients;
  int one; /* bits[0] stands before the tile, and is each value that is not special */
  int64_t q[REF_TILE];
  uint8_t plus[REF_TILE];
  uint8_t minus[REF_TILE];
  uint64_t bits[REF_TILE];
  int64_t c[REF_TILE];
} ref_tile;

/* Bytes in scratch memory (common.h). */
typedef struct ref_bytes {
  uint8_t *data;
  size_t size;
} ref_bytes;

/* What a combination does after the integers are summed. */
typedef enum ref_after { REF_PLAIN, REF_SCALE, REF_MEAN } ref_after;

/* ---- values and integers (reference_values.c) ---- */
/* Sets the type of the values, and what follows for integers: the header says type and eb. */
void ref_set_type(ref_header *header, int type, double eb);
/* Bytes of a value of any type, and a value by its bits. */
size_t ref_any_size(int type);
double ref_any_value(int type, uint64_t bits);
/* Whether a number is a value of an integer type. */
int ref_is_integer(int type, double value);
size_t ref_value_size(int type);
double ref_value(int type, uint64_t bits);
uint64_t ref_bits(int type, double value); /* rounded to the type, NaN canonical */
/* Whether tiles lie on the lattice only where all values are multiples of the step. */
int ref_is_grid(const ref_header *header);
/* |q| is at most 2^this in a tile of one term and this mode. */
int ref_mode_bits(const ref_header *header, int mode);
double ref_unit(const ref_header *header, int mode);
/* Puts tile->bits on the lattice of the header; 0 if they lie outside. */
int ref_tile_quantise(const ref_header *header, ref_tile *tile);
/* The same, in no mode below `least` unless all values are 0. */
int ref_tile_quantise_in(const ref_header *header, int least, ref_tile *tile);
/* Whether bits are those of a missing value: of NaN or the fill. */
int ref_missing(const ref_header *header, uint64_t bits);
/* The value of column i, NaN where it is missing; the first call for a tile with coefficients after
 * another tile takes its time. */
double ref_tile_value(const ref_header *header, const ref_tile *tile, int i);
/* The bits that it decodes to, in the stream's type or in binary64; in an integer type that holds
 * it. */
uint64_t ref_tile_decode(const ref_header *header, const ref_tile *tile, int i, int out_type);
/* Moves what coefficients can say from the integers to the coefficients; 0 if they say nothing. */
int ref_tile_transform(const ref_header *header, ref_tile *tile);

/* ---- one tile (reference_tile.c) ---- */
int ref_bit_length(uint64_t x);
int ref_width(int64_t r);
/* Whether column i lies inside the array. */
int ref_inside(const ref_tile *tile, int i);

/* Sets tile->order: the one given, or that of the smallest encoding for REF_BEST and
 * REF_LORENZO. */
void ref_tile_choose_order(const ref_header *header, ref_tile *tile, int order);
/* Encodes; returns the size, at most REF_TILE_ROOM. */
size_t ref_tile_encode(int type, const ref_tile *tile, uint8_t *out);
/* From tile->bits to bytes, with coefficients or raw where the rules say so. */
size_t ref_tile_compress(const ref_header *header, int order, ref_tile *tile, uint8_t *out);
/* Tile `number` of a stream. */
ref_verdict ref_tile_parse(const ref_header *header, uint64_t number, const uint8_t *data, size_t size,
                           ref_tile *tile);

/* ---- streams (reference_stream.c) ---- */
/* Of an array of that shape. */
ref_bytes ref_compress(const ref_header *header, int order, const void *x);
/* Joins tiles, packed in payload with the sizes given, to a stream. */
ref_bytes ref_assemble(const ref_header *header, const uint16_t *sizes, const uint8_t *payload);
/* An empty tile of a stream of one, and the stream; the tile of such, which must be GOOD. */
ref_tile *ref_tile_new(const ref_header *header);
ref_bytes ref_stream_of(const ref_header *header, const ref_tile *tile);
ref_tile *ref_tile_of(ref_bytes stream);
ref_verdict ref_check(const uint8_t *data, size_t size);
/* For the next three the stream must not be BAD. */
ref_header ref_header_read(const uint8_t *data);
const uint8_t *ref_tile_at(const uint8_t *data, uint64_t tile, size_t *size);
void ref_decode(const uint8_t *data, int out_type, void *dst);

/* The header of an array with a shape. */
ref_header ref_shaped(ref_header header, int dims, uint64_t z, uint64_t y, uint64_t x);
uint64_t ref_tile_total(const ref_header *header);
uint64_t ref_tiles(uint64_t n); /* of a flat array */
/* Sets dims, z, y, x and n of tile `number`. */
void ref_tile_shape(const ref_header *header, uint64_t number, ref_tile *tile);
int ref_tile_count(const ref_header *header, uint64_t number);
/* Where in the array the value of column i of a tile stands. */
uint64_t ref_place(const ref_header *header, uint64_t number, int i);

/* ---- operations (reference_ops.c) ---- */
ref_bytes ref_combine(size_t k, const ref_bytes *streams, const int64_t *coefficients, ref_after after,
                      double factor);
ref_bytes ref_sum(size_t k, const ref_bytes *streams);
ref_bytes ref_scale(ref_bytes stream, double factor);
ref_bytes ref_mean(size_t k, const ref_bytes *streams);
/* (sum of weights[i] * streams[i]) / divisor, of lattices that are multiples of the finest one, by
 * less than 5000. */
ref_bytes ref_linear(size_t k, const ref_bytes *streams, const int64_t *weights, uint64_t divisor);
/* The f < 5000 that divides a's step and bound to b's, as a mean of f streams; 0 without one. */
int64_t ref_multiple(const ref_header *a, const ref_header *b);
ref_bytes ref_extremum(ref_bytes a, ref_bytes b, int larger);

/* ---- updates (reference_update.c) ---- */
/* An array x that is what a stream decompresses to, but for changes, on the lattice that becomes of
 * the stream's and the header's. */
ref_bytes ref_update(ref_bytes old, const ref_header *asked, const void *x);

/* The step that belongs to an absolute bound. */
double ref_step(int type, double eb);
