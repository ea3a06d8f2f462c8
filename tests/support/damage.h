/* damage.h: streams damaged in every way that a law names, for tests of the CPU and the device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "streams.h"

/* A damaged stream, and a sound one of the array that it was made of. */
typedef struct damaged {
  ref_bytes bad, good;
  ghz_type type;
  size_t n;
  const char *what;
  unsigned turn; /* cases before this one */
} damaged;

/* Who reads them: `look` gets one in `every` cases. `ctx` makes the sound streams. */
typedef struct reader {
  ghz_context *ctx;
  unsigned every;
  void *self;
  void (*look)(void *self, const damaged *d);
  unsigned cases, turn;
} reader;

void damage_truncated(reader *r);
void damage_bits(reader *r);
/* Steps and bounds that are none; every byte of the header. */
void damage_steps(reader *r);
void damage_fills(reader *r);
void damage_header(reader *r);
/* Counts and payloads of any size. */
void damage_counts(reader *r);
/* The offsets of chunks and the sizes of tiles. */
void damage_index(reader *r, int rounds);
void damage_at_random(reader *r, int rounds);
/* Random bytes, half of them behind a sound header. */
void damage_all(reader *r, int rounds);

/* Tiles made by hand, sound ones among them: each rule of FORMAT.md, also with no terms or no step;
 * every first two bytes; widths up to and beyond the limit min(62, b + order + 1 +
 * bitlength(terms)); short tiles that are larger than any of their length. */
void damage_crafted(reader *r);
void damage_beginnings(reader *r);
void damage_widths(reader *r);
/* Bricks of which no sound one has the sum: 0, an anchor of 64 bits at order 1; 1, zeros at order
 * 2; 2, zeros in mode fine. */
ref_bytes huge_anchor(int which);

void damage_short_tile(reader *r);

/* ---- Bricks (damage_bricks.c) ---- */
/* Streams of bricks with coefficients, Lorenzo residuals, specials and raw ones. */
void damage_brick_bits(reader *r);
void damage_bricks_at_random(reader *r, int rounds);
/* Shapes of any extents, in streams of bricks and flat ones. */
void damage_shapes(reader *r);
/* Bricks made by hand: each rule of FORMAT.md, sound ones among them. */
void damage_crafted_bricks(reader *r);
void damage_brick_beginnings(reader *r);
/* Widths of coefficients up to and beyond the limit min(62, 25 + bitlength(terms)). */
void damage_coefficient_widths(reader *r);

/* ---- For those files alone ---- */
int damage_left_out(reader *r);
void damage_show(reader *r, ref_bytes bad, ref_bytes good, const char *what);
void damage_every_bit(reader *r, ref_bytes good, const char *what);
void damage_by_chance(reader *r, ref_bytes good, int rounds, uint64_t *state, const char *name);
/* A tile as a stream, beside a sound one of the array; also with no terms or no step (check 8). */
void damage_show_tile(reader *r, const ref_header *h, const uint8_t *tile, size_t size, const char *what);
/* Widths and planes of a tile whose one block with a width has its planes filled with a byte. */
size_t damage_wide_block(uint8_t *out, int width, int block, uint8_t fill);
void damage_show_lacking(reader *r, ref_header h, const uint8_t *tile, int bytes, ref_verdict verdict,
                         const char *name);

/* One random change of a stream. */
void damage_once(ref_bytes *stream, uint64_t *state);
/* Gives a tile the mode that does not exist. */
void damage_tile(ref_bytes stream, uint64_t tile);
/* Whole tiles of order 1, the last with a bit in its first value's column: readers ignore it. */
ref_bytes with_ignored_column(ghz_context *ctx, const ghz_lattice *l, size_t n);
