/* tiles_impl.h: the tiles of a page to symbols and bytes, and back. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Layer 0 or 1 of tile i: what contexts see of the tiles before it. */
static coded_layer begin_layer_of(const page_model *p, const page_walk *w, unsigned i, int coefficients) {
  coded_layer l = {.by = coefficients ? BY_FREQUENCY : p->shape.dims,
                   .layer = coefficients             ? COEFFICIENTS
                            : p->tile[i].transformed ? RESIDUALS_BESIDE
                                                     : RESIDUALS};
  l.first_value = WIDTH_CONTEXTS + l.layer * WIDTH_CLASSES * SIZE_CLASSES;
  for (int a = 0; a < 3; a++) {
    const unsigned n = i - steps_back(w, i, a);
    const int has = n < i && p->tile[n].kind == TILE_CODED && p->tile[n].widths[coefficients] != NO_WIDTHS;
    l.width[a] = has ? p->width[n][coefficients] : no_sizes;
    l.sizes[a] = has && coefficients && p->values ? p->sizes[n] + SIZES_BEFORE : no_sizes;
  }
  return l;
}

/* The blocks of a layer, by their numbers in the order of coding: those of a width, those with
 * planes that are no symbols, and how many these are. */
typedef struct layer_blocks {
  unsigned live, deeper;
  ALIGNED uint8_t low[BLOCKS];
  uint8_t at[BLOCKS], deep[BLOCKS];
} layer_blocks;

/* Whose low planes are known. */
static void find_blocks(const page_model *p, const uint8_t width[BLOCKS], layer_blocks *l) {
  l->live = p->values ? live_blocks(width, l->at) : 0;
  l->deeper = live_blocks(l->low, l->deep);
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* Four arrays of counts, so that equal tokens in a row do not wait for each other. */
GHZ_INLINE void put_tokens(page_model *p, uint16_t *token, lanes_16 v) {
  uint64_t half[2];
  memcpy(token, &v, sizeof v);
  memcpy(half, &v, sizeof v);
  for (int i = 0; i < 4; i++) {
    p->count[i][half[0] >> 16 * i & 0xffff]++;
    p->count[i][half[1] >> 16 * i & 0xffff]++;
  }
}

GHZ_INLINE uint16_t *width_tokens(int by, page_model *p, const coded_layer *l, const uint8_t width[BLOCKS],
                                  uint16_t *token) {
  lanes_16 last = {0}, before = {0};
  uint8_t context[BLOCKS];
  width_contexts(l, context);
  for (int t = 0; t < BLOCKS / LANES; t++, token += LANES) {
    const lanes_16 w = eight_of(width + LANES * t), near = near_classes(near_widths(by, t, last, before));
    put_tokens(p, token, (eight_of(context + LANES * t) + near) * SYMBOLS + w);
    before = last;
    last = w;
  }
  return token;
}

/* Fills up the turns. */
static inline uint16_t *idle_tokens(uint16_t *token, unsigned steps) {
  for (; steps % TURNS; steps++, token += LANES)
    for (int i = 0; i < LANES; i++)
      token[i] = CONTEXTS * SYMBOLS;
  return token;
}

/* By a call: where a compiler knows the size it takes an instruction that is slow to begin. */
GHZ_INLINE void clear_sizes(uint8_t *sizes) {
  memset(sizes, 0, (size_t)not_guessed(TILE));
}

/* The upper planes of blocks as values; those of blocks that have planes below stand elsewhere. */
GHZ_INLINE void parse_values(int by, const layer_blocks *l, unsigned height, const bit_plane *planes,
                             int8_t value[TILE]) {
  if (l->deeper < l->live)
    values_of_planes(planes, height < TOP_PLANES ? height : TOP_PLANES, value);
  for (unsigned i = 0; i < l->deeper; i++) {
    const unsigned k = l->deep[i], b = coding_order[by][k];
    parse_top(planes, b, l->low[k], value + LANES * b);
  }
}

/* Values as tokens. */
GHZ_INLINE void value_tokens(int by, page_model *p, const coded_layer *l, const layer_blocks *blocks,
                             const uint8_t width[BLOCKS], const int8_t value[TILE], uint8_t *sizes) {
  uint16_t *token = p->token + p->tokens;
  clear_sizes(sizes);
  for (unsigned i = 0; i < blocks->live; i++, token += LANES) {
    const unsigned k = blocks->at[i], b = coding_order[by][k];
    const width_rule *w = &width_rules[width[k]];
    const lanes_16 values = signed_eight_of(value + LANES * b);
    put_tokens(p, token, value_contexts(by, l, k, w, sizes + 8 * k) * SYMBOLS + (values + (int16_t)w->half));
    store_sizes(values, w, sizes + 8 * k);
  }
  p->tokens = (size_t)(idle_tokens(token, blocks->live) - p->token);
}

/* What of planes is no symbol, as bytes. */
GHZ_INLINE void put_deep(int by, page_model *p, const layer_blocks *l, const bit_plane *planes) {
  uint8_t *to = p->byte + p->bytes;
  for (unsigned i = 0; i < l->deeper; i++)
    to = put_low(planes, coding_order[by][l->deep[i]], l->low[l->deep[i]], to);
  p->bytes = (size_t)(to - p->byte);
}

GHZ_INLINE void parse_blocks(int by, page_model *p, const coded_layer *l, const uint8_t width[BLOCKS],
                             unsigned height, const bit_plane *planes, uint8_t *sizes) {
  ALIGNED int8_t value[TILE];
  layer_blocks blocks;
  low_planes(p, width, blocks.low);
  find_blocks(p, width, &blocks);
  if (p->values) {
    parse_values(by, &blocks, height, planes, value);
    value_tokens(by, p, l, &blocks, width, value, sizes);
  }
  put_deep(by, p, &blocks, planes);
}

/* A layer of tile i to tokens and bytes. */
static void parse_layer_symbols(page_model *p, const page_walk *w, unsigned i, const layer_header *h,
                                int coefficients) {
  uint8_t *width = p->width[i][coefficients], *sizes = p->sizes[coefficients ? i : PAGE_TILES] + SIZES_BEFORE;
  bit_plane planes[WIDTH_CODED];
  if (h->height == 0) {
    clear_widths(width);
    return;
  }
  const coded_layer l = begin_layer_of(p, w, i, coefficients);
  WITH_ORDER(l.by, order_widths, h->width, width, 1);
  p->tokens = (size_t)(WITH_ORDER(l.by, width_tokens, p, &l, width, p->token + p->tokens) - p->token);
  if (!p->values && !p->by_blocks) {
    const unsigned size = widths_sum(h->width);
    memcpy(p->byte + p->bytes, h->planes, size);
    p->bytes += size;
    return;
  }
  expand_planes(h, planes);
  for (unsigned j = h->height; j < FEW; j++) /* what put_low copies */
    clear_widths(planes[j]);
  WITH_ORDER(l.by, parse_blocks, p, &l, width, h->height, planes, sizes);
}

static enum widths_kind widths_kind_of(unsigned height, int squeezed) {
  return height == 0 ? NO_WIDTHS : squeezed ? SQUEEZED_WIDTHS : PLAIN_WIDTHS;
}

/* What of a tile that was taken apart is no symbol. */
static void parse_head(page_model *p, tile_source src, const tile_header *h, page_tile *t) {
  tile_opening o;
  parse_lead(&p->lattice, src, (unsigned)p->shape.dims, &o);
  const layer_header *r = &h->lattice;
  const uint8_t *at = src.data + widths_at(&o.at) +
                      width_planes_size(o.lead.width_planes, widths_nonzero(r->width), o.lead.squeezed);
  *t = (page_tile){.kind = TILE_CODED,
                   .order = (uint8_t)r->order,
                   .mode = (uint8_t)r->mode,
                   .special = (uint8_t)o.lead.special,
                   .turned = (uint8_t)r->turned,
                   .anchor = r->anchor,
                   .slope = r->slope,
                   .transformed = (uint8_t)h->transformed};
  t->widths[0] = (uint8_t)widths_kind_of(r->height, o.lead.squeezed);
  if (o.lead.special) {
    const size_t size = special_planes_size(at);
    memcpy(p->byte + p->bytes, at, size);
    p->bytes += size;
    at += size;
  }
  if (!h->transformed)
    return;
  t->first = h->coefficients.anchor;
  t->widths[1] = (uint8_t)widths_kind_of(h->coefficients.height, at[0] >> 7);
}

static void parse_tile_symbols(page_model *p, const page_walk *w, unsigned i, tile_source src) {
  const tile_extent e = tile_extent_of(&p->shape, p->first + i);
  tile_header h;
  page_tile *t = &p->tile[i];
  *t = (page_tile){.kind = TILE_EMPTY};
  if (src.size == 0)
    return;
  if (first_says_raw(src.data[0]) || parse(&p->lattice, src, &e, &h) != GHZ_OK ||
      h.lattice.height > WIDTH_CODED || (h.transformed && h.coefficients.height > WIDTH_CODED)) {
    *t = (page_tile){.kind = TILE_AS_IS, .size = (uint32_t)src.size};
    memcpy(p->byte + p->bytes, src.data, src.size);
    p->bytes += src.size;
    return;
  }
  parse_head(p, src, &h, t);
  parse_layer_symbols(p, w, i, &h.lattice, 0);
  if (h.transformed)
    parse_layer_symbols(p, w, i, &h.coefficients, 1);
}

/* Takes tiles from .. to - 1 apart, the first of which begins at the payload; returns its end. The
 * payload has SLACK readable bytes behind. */
static const uint8_t *parse_tiles(page_model *p, unsigned from, unsigned to, const uint8_t *sizes,
                                  const uint8_t *payload) {
  page_walk w = begin_walk(p, from);
  for (unsigned i = from; i < to; i++, step_walk(&w)) {
    const tile_source src = {payload, load_u16(sizes + 2 * i), p->terms, p->transform, 0};
    parse_tile_symbols(p, &w, i, src);
    payload += src.size;
  }
  return payload;
}

/* ---- Unpacking ------------------------------------------------------------------------------- */

/* What is left of a page. */
typedef struct page_reader {
  page_model *p;
  lanes_32 state[TURNS];
  const uint16_t *word;
  const uint8_t *byte, *end; /* of the bytes */
} page_reader;

/* The eight symbols of contexts. */
GHZ_INLINE lanes_16 decoded(const uint32_t *table, lanes_32 *state, const uint16_t **word, lanes_16 contexts) {
  const lanes_32 first = lanes_wider(contexts) << SLOT_BITS, entry = decode_step(table, &first, state, word);
  return low_bytes_of(&entry);
}

GHZ_INLINE void decode_widths(int by, page_reader *r, const coded_layer *l, uint8_t width[BLOCKS]) {
  lanes_16 last = {0}, before = {0};
  lanes_32 x[TURNS] = {r->state[0], r->state[1], r->state[2], r->state[3]};
  const uint16_t *word = r->word;
  uint8_t context[BLOCKS];
  width_contexts(l, context);
  for (int t = 0; t < BLOCKS / LANES; t += TURNS)
    GHZ_UNROLL_8 for (int i = 0; i < TURNS; i++) {
      const lanes_16 near = near_classes(near_widths(by, t + i, last, before)),
                     w = decoded(r->p->table, &x[i], &word, eight_of(context + LANES * (t + i)) + near);
      store_narrowed(width + LANES * (t + i), w);
      before = last;
      last = w;
    }
  memcpy(r->state, x, sizeof x);
  r->word = word;
}

/* A layer that was decoded, and is to be written. */
typedef struct decoded_layer {
  tile_widths widths;
  const uint8_t *squeezed; /* its planes, if they are as in the tile */
  unsigned size;           /* bytes of these */
  bit_plane planes[WIDTH_CODED];
} decoded_layer;

GHZ_INLINE void decode_block(int by, const uint32_t *table, const coded_layer *l, unsigned k,
                             const width_rule *w, lanes_32 *state, const uint16_t **word, uint8_t *sizes,
                             int8_t *value) {
  uint8_t *m = sizes + 8 * k;
  const lanes_16 symbols = decoded(table, state, word, value_contexts(by, l, k, w, m)),
                 values = symbols - (int16_t)w->half;
  store_sizes(values, w, m);
  store_signed_narrowed(value + LANES * coding_order[by][k], values);
}

GHZ_INLINE void decode_values(int by, page_reader *r, const coded_layer *l, const layer_blocks *blocks,
                              const uint8_t width[BLOCKS], uint8_t *sizes, int8_t value[TILE]) {
  lanes_32 x[TURNS] = {r->state[0], r->state[1], r->state[2], r->state[3]};
  const uint16_t *word = r->word;
  const uint32_t *table = r->p->table;
  clear_sizes(sizes);
  for (unsigned n = 0; n < blocks->live; n += TURNS)
    GHZ_UNROLL_8 for (unsigned i = 0; i < TURNS; i++) if (n + i < blocks->live) decode_block(
        by, table, l, blocks->at[n + i], &width_rules[width[blocks->at[n + i]]], &x[i], &word, sizes, value);
  memcpy(r->state, x, sizeof x);
  r->word = word;
}

/* The planes of a layer, of those blocks that have them. */
GHZ_INLINE void decode_planes(int by, page_reader *r, const coded_layer *l, const layer_blocks *blocks,
                              const uint8_t width[BLOCKS], unsigned height, uint8_t *sizes, bit_plane *planes) {
  ALIGNED int8_t value[TILE];
  if (r->p->values) {
    decode_values(by, r, l, blocks, width, sizes, value);
    if (blocks->deeper < blocks->live)
      planes_of_values(value, height < TOP_PLANES ? height : TOP_PLANES, planes);
  }
  for (unsigned i = 0; i < blocks->deeper; i++) {
    const unsigned k = blocks->deep[i], b = coding_order[by][k];
    r->byte = parse_low(r->byte, blocks->low[k], planes, b);
    if (r->p->values) /* over what parse_low may have set too much */
      put_top(value + LANES * b, blocks->low[k], planes, b);
  }
}

/* Returns 0 for damage. */
static int decode_layer(page_reader *r, const page_walk *w, unsigned i, int coefficients, decoded_layer *d) {
  page_model *p = r->p;
  uint8_t *width = p->width[i][coefficients], *sizes = p->sizes[coefficients ? i : PAGE_TILES] + SIZES_BEFORE;
  layer_blocks blocks;
  clear_widths(width);
  clear_widths(d->widths.width);
  d->widths.height = d->size = 0;
  d->squeezed = r->byte;
  if (p->tile[i].widths[coefficients] == NO_WIDTHS)
    return 1;
  const coded_layer l = begin_layer_of(p, w, i, coefficients);
  WITH_ORDER(l.by, decode_widths, r, &l, width);
  WITH_ORDER(l.by, order_widths, width, d->widths.width, 0);
  d->widths.height = widths_largest(d->widths.width);
  low_planes(p, width, blocks.low);
  const unsigned size = widths_sum(blocks.low);
  if (size > (size_t)(r->end - r->byte))
    return 0;
  d->squeezed = r->byte;
  d->size = size;
  if (!p->values && !p->by_blocks) {
    r->byte += size;
    return 1;
  }
  find_blocks(p, width, &blocks);
  WITH_ORDER(l.by, decode_planes, r, &l, &blocks, width, d->widths.height, sizes, d->planes);
  return 1;
}

static void begin_lead(const page_tile *t, tile_widths *w, int coefficients) {
  w->lead = (tile_lead){.squeezed = t->widths[coefficients] == SQUEEZED_WIDTHS,
                        .width_planes = bit_length(w->height)};
  w->head = width_planes_size(w->lead.width_planes, widths_nonzero(w->width), w->lead.squeezed);
  if (coefficients) {
    w->lead.anchor = t->first;
    w->head += 1 + anchor_size(t->first);
    return;
  }
  w->lead.order = t->order;
  w->lead.mode = t->mode;
  w->lead.special = t->special;
  w->lead.coefficients = t->transformed;
  w->lead.turned = t->turned;
  w->lead.anchor = t->anchor;
  w->lead.slope = t->slope;
  w->head += lead_size_of(&w->lead, sizes_of_anchors(&w->lead));
}

/* Takes bytes off the page's; NULL if there are fewer. */
static const uint8_t *read_bytes(page_reader *r, size_t size) {
  const uint8_t *at = r->byte;
  if (size > (size_t)(r->end - at))
    return NULL;
  r->byte += size;
  return at;
}

/* The planes of specials; *size is 0 if the tile has none. Returns 0 for damage. */
static int read_special_bytes(page_reader *r, const page_tile *t, const uint8_t **at, size_t *size) {
  *size = 0;
  *at = r->byte;
  if (!t->special)
    return 1;
  if (r->end - r->byte < 32)
    return 0;
  *size = special_planes_size(r->byte);
  return read_bytes(r, *size) != NULL;
}

static uint8_t *put_layer(const page_model *p, const decoded_layer *d, uint8_t *to) {
  if (p->values || p->by_blocks)
    return put_coefficient_planes(&d->widths, d->planes, to);
  memcpy(to, d->squeezed, d->size);
  return to + d->size;
}

/* Tile i to `to`, which has room for any and SLACK. Returns its size, or -1 for damage. */
static ptrdiff_t make_tile(page_reader *r, const page_walk *w, unsigned i, uint8_t *to) {
  const page_tile *t = &r->p->tile[i];
  decoded_layer residuals, coefficients;
  const uint8_t *at;
  size_t size;
  if (t->kind == TILE_EMPTY)
    return 0;
  if (t->kind == TILE_AS_IS) {
    at = read_bytes(r, t->size);
    return at ? (memcpy(to, at, t->size), (ptrdiff_t)t->size) : -1;
  }
  if (!read_special_bytes(r, t, &at, &size) || !decode_layer(r, w, i, 0, &residuals) ||
      (t->transformed && !decode_layer(r, w, i, 1, &coefficients)))
    return -1;
  begin_lead(t, &residuals.widths, 0);
  uint8_t *end = put_header(&residuals.widths, NULL, to);
  memcpy(end, at, size);
  end += size;
  if (t->transformed) {
    begin_lead(t, &coefficients.widths, 1);
    end = put_coefficients_header(&coefficients.widths, end);
  }
  end = put_layer(r->p, &residuals, end);
  if (t->transformed)
    end = put_layer(r->p, &coefficients, end);
  return end - to;
}

static int states_ended(const page_reader *r) {
  int ended = 1;
  for (int i = 0; i < TURNS; i++)
    for (int k = 0; k < LANES; k++)
      ended &= r->state[i][k] == STATE_LEAST;
  return ended;
}

/* Makes the tiles of a page, whose table, words and bytes are there, with WORDS_BEHIND words and
 * SLACK bytes behind. Writes their sizes, and themselves, `room` bytes in all. */
static int make_tiles(page_model *p, const uint32_t state[STATES], uint8_t *sizes, uint8_t *payload,
                      size_t room) {
  page_reader r = {.p = p, .word = p->word, .byte = p->byte, .end = p->byte + p->bytes};
  page_walk w = begin_walk(p, 0);
  uint8_t tile[TILE_BYTES_MAX + SLACK];
  memcpy(r.state, state, sizeof r.state);
  for (unsigned i = 0; i < p->tiles; i++, step_walk(&w)) {
    const ptrdiff_t size = make_tile(&r, &w, i, tile);
    if (size < 0 || (size_t)size > room || r.word > p->word + p->words)
      return 0;
    memcpy(payload, tile, (size_t)size);
    store_u16(sizes + 2 * i, (uint16_t)size);
    payload += size;
    room -= (size_t)size;
  }
  return room == 0 && r.word == p->word + p->words && r.byte == r.end && states_ended(&r);
}
