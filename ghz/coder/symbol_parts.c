/* symbol_parts.c: owns what the bytes of a page of symbols are for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "coder/symbol_parts.h"

#include "coder/heads.h"
#include "coder/tables.h"

typedef struct weighted_part {
  enum stream_part part;
  uint64_t weight;
} weighted_part;

/* Adds the bytes to the parts, in proportion to the weights, and not one of them is lost: states of
 * no symbols count as tables. */
static void share_out(uint64_t bytes, const weighted_part *w, int n, uint64_t *parts) {
  uint64_t sum = 0, before = 0, given = 0;
  for (int i = 0; i < n; i++)
    sum += w[i].weight;
  if (sum == 0)
    parts[IN_TABLES] += bytes;
  for (int i = 0; i < n && sum; i++) {
    before += w[i].weight;
    const uint64_t end = bytes * before / sum; /* of a page: no overflow */
    parts[w[i].part] += end - given;
    given = end;
  }
}

static void share_side(page_model *p, side_writer *side, uint64_t bytes, uint64_t *parts) {
  const uint8_t *begin = side->to;
  ghz_heads_write(p, side);
  const uint8_t *middle = side->to;
  ghz_tables_write(p, side);
  const weighted_part w[] = {{IN_HEADS, (uint64_t)(middle - begin)},
                             {IN_FREQUENCIES, (uint64_t)(side->to - middle)}};
  share_out(bytes, w, 2, parts);
}

/* Contexts of residuals, beside coefficients or not, stand behind those of coefficients. */
static void share_words(const page_model *p, uint64_t bytes, uint64_t *parts) {
  enum { OF_WIDTHS = WIDTH_CONTEXTS / LAYERS, OF_VALUES = VALUE_CONTEXTS / LAYERS };
  _Static_assert(COEFFICIENTS == 0 && RESIDUALS == LAYERS - 1, "contexts are ordered by layer");
  const weighted_part w[] = {
      {IN_WIDTHS_C, ghz_tables_bits(p, 0, OF_WIDTHS)},
      {IN_WIDTHS_R, ghz_tables_bits(p, OF_WIDTHS, WIDTH_CONTEXTS)},
      {IN_VALUES_C, ghz_tables_bits(p, WIDTH_CONTEXTS, WIDTH_CONTEXTS + OF_VALUES)},
      {IN_VALUES_R, ghz_tables_bits(p, WIDTH_CONTEXTS + OF_VALUES, CONTEXTS)},
  };
  share_out(bytes, w, 4, parts);
}

/* Bytes of a layer that are no symbols. */
static uint64_t bytes_of_layer(const page_model *p, unsigned tile, int coefficients) {
  const page_tile *t = &p->tile[tile];
  uint8_t low[BLOCKS];
  uint64_t sum = 0;
  if (t->kind != TILE_CODED || t->widths[coefficients] == NO_WIDTHS)
    return 0;
  low_planes(p, p->width[tile][coefficients], low);
  for (int k = 0; k < BLOCKS; k++)
    sum += low[k];
  return sum;
}

static void share_bytes(const page_model *p, uint64_t bytes, uint64_t *parts) {
  weighted_part w[] = {{IN_SPECIALS, p->bytes}, {IN_RAW, 0}, {IN_VALUES_C, 0}, {IN_VALUES_R, 0}};
  for (unsigned i = 0; i < p->tiles; i++) {
    w[1].weight += p->tile[i].kind == TILE_AS_IS ? p->tile[i].size : 0;
    w[2].weight += bytes_of_layer(p, i, 1);
    w[3].weight += bytes_of_layer(p, i, 0);
  }
  w[0].weight -= w[1].weight + w[2].weight + w[3].weight;
  share_out(bytes, w, 4, parts);
}

void ghz_symbol_parts(page_model *p, side_writer *side, const symbol_bytes *page, uint64_t *parts) {
  share_side(p, side, page->side, parts);
  share_words(p, page->words, parts);
  share_bytes(p, page->bytes, parts);
}
