/* tiles.h: the tiles of a page to symbols and bytes, and back. Part of codec.h. */
/* SPDX-License-Identifier: BSD-3-Clause */

/* Layer 0 or 1 of tile i: what contexts see of the tiles before it. */
static coded_layer begin_layer_of(const page_model *p, const page_walk *w, unsigned i, int coefficients) {
  coded_layer l = {.by = coefficients ? BY_FREQUENCY : p->shape.dims,
                   .layer = coefficients             ? COEFFICIENTS
                            : p->tile[i].transformed ? RESIDUALS_BESIDE
                                                     : RESIDUALS};
  for (int a = 0; a < 3; a++) {
    const unsigned n = i - steps_back(w, i, a);
    const int has = n < i && p->tile[n].kind == TILE_CODED && p->tile[n].widths[coefficients] != NO_WIDTHS;
    l.width[a] = has ? p->width[n][coefficients] : no_sizes;
    l.sizes[a] = has && coefficients && p->values ? p->sizes[n] + SIZES_BEFORE : no_sizes;
  }
  return l;
}

/* ---- Packing --------------------------------------------------------------------------------- */

GHZ_INLINE uint16_t *put_tokens(page_model *p, uint16_t *token, lanes_16 v) {
  memcpy(token, &v, sizeof v);
  for (int i = 0; i < LANES; i++)
    p->count[i % 4][token[i]]++;
  return token + LANES;
}

static uint16_t *width_tokens(page_model *p, const coded_layer *l, const uint8_t width[BLOCKS],
                              uint16_t *token) {
  lanes_16 last = {0}, before = {0};
  for (int t = 0; t < BLOCKS / LANES; t++) {
    const lanes_16 w = eight_of(width + LANES * t);
    token = put_tokens(p, token, width_contexts(l, t, last, before) * SYMBOLS + w);
    before = last;
    last = w;
  }
  return token;
}

/* Fills up the turns. */
static uint16_t *idle_tokens(uint16_t *token, unsigned steps) {
  for (; steps % TURNS; steps++, token += LANES)
    for (int i = 0; i < LANES; i++)
      token[i] = CONTEXTS * SYMBOLS;
  return token;
}

static uint16_t *value_tokens(page_model *p, const coded_layer *l, const uint8_t width[BLOCKS],
                              const bit_plane top[TOP_PLANES], uint8_t *sizes, uint16_t *token) {
  const uint8_t *order = coding_order[l->by];
  unsigned steps = 0;
  memset(sizes, 0, TILE);
  for (unsigned k = 0; k < BLOCKS; k++) {
    if (width[k] == 0)
      continue;
    uint8_t *m = sizes + 8 * k;
    const uint64_t all = symbols_of(top, order[k], width[k]);
    const lanes_16 symbols = eight_of((const uint8_t *)&all);
    token = put_tokens(p, token, value_contexts(l, k, width[k], m) * SYMBOLS + symbols);
    store_sizes(symbols, width[k], m);
    steps++;
  }
  return idle_tokens(token, steps);
}

/* A layer of tile i to tokens and bytes. */
static void take_layer(page_model *p, const page_walk *w, unsigned i, const layer_header *h, int coefficients) {
  uint8_t *width = p->width[i][coefficients], *sizes = p->sizes[coefficients ? i : PAGE_TILES] + SIZES_BEFORE;
  if (h->height == 0) {
    memset(width, 0, BLOCKS);
    return;
  }
  const coded_layer l = begin_layer_of(p, w, i, coefficients);
  uint16_t *token = p->token + p->tokens;
  for (int k = 0; k < BLOCKS; k++)
    width[k] = h->width[coding_order[l.by][k]];
  token = width_tokens(p, &l, width, token);
  uint8_t *end = p->byte + p->bytes;
  if (p->values) {
    bit_plane top[TOP_PLANES];
    end = split_layer(h, top, end);
    token = value_tokens(p, &l, width, top, sizes, token);
  } else {
    const unsigned size = widths_sum(h->width);
    memcpy(end, h->planes, size);
    end += size;
  }
  p->bytes = (size_t)(end - p->byte);
  p->tokens = (size_t)(token - p->token);
}

static enum widths_kind widths_kind_of(unsigned height, int squeezed) {
  return height == 0 ? NO_WIDTHS : squeezed ? SQUEEZED_WIDTHS : PLAIN_WIDTHS;
}

/* Bytes of the planes of specials. */
static size_t special_planes_size(const uint8_t *p) {
  size_t size = 0;
  for (int plane = 0; plane < 2; plane++) {
    unsigned bytes = 16;
    for (int i = 0; i < 16; i++)
      bytes += (unsigned)__builtin_popcount(p[size + (size_t)i]);
    size += bytes;
  }
  return size;
}

/* What of a tile that was taken apart is no symbol. */
static void take_head(page_model *p, tile_source src, const tile_header *h, page_tile *t) {
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

static void take_tile(page_model *p, const page_walk *w, unsigned i, tile_source src) {
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
  take_head(p, src, &h, t);
  take_layer(p, w, i, &h.lattice, 0);
  if (h.transformed)
    take_layer(p, w, i, &h.coefficients, 1);
}

/* Takes tiles from .. to - 1 apart, the first of which begins at the payload; returns its end. The
 * payload has SLACK readable bytes behind. */
static const uint8_t *take_tiles(page_model *p, unsigned from, unsigned to, const uint8_t *sizes,
                                 const uint8_t *payload) {
  page_walk w = begin_walk(p, from);
  for (unsigned i = from; i < to; i++, step_walk(&w)) {
    const tile_source src = {payload, load_u16(sizes + 2 * i), p->terms, p->transform, 0};
    take_tile(p, &w, i, src);
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
GHZ_INLINE lanes_16 decoded(page_reader *r, int turn, lanes_16 contexts) {
  const lanes_32 first = __builtin_convertvector(contexts, lanes_32) << SLOT_BITS,
                 entry = decode_step(r->p->table, &first, &r->state[turn], &r->word);
  return __builtin_convertvector(entry & 0xff, lanes_16);
}

static void decode_widths(page_reader *r, const coded_layer *l, uint8_t width[BLOCKS]) {
  lanes_16 last = {0}, before = {0};
  for (int t = 0; t < BLOCKS / LANES; t++) {
    const lanes_16 w = decoded(r, t % TURNS, width_contexts(l, t, last, before));
    store_narrowed(width + LANES * t, w);
    before = last;
    last = w;
  }
}

static void decode_values(page_reader *r, const coded_layer *l, const uint8_t width[BLOCKS], uint8_t *sizes,
                          bit_plane top[TOP_PLANES]) {
  const uint8_t *order = coding_order[l->by];
  unsigned steps = 0;
  memset(sizes, 0, TILE);
  for (unsigned k = 0; k < BLOCKS; k++) {
    if (width[k] == 0)
      continue;
    uint8_t *m = sizes + 8 * k, all[8];
    const lanes_16 symbols = decoded(r, (int)(steps++ % TURNS), value_contexts(l, k, width[k], m));
    store_sizes(symbols, width[k], m);
    store_narrowed(all, symbols);
    put_symbols(load_u64(all), width[k], top, order[k]);
  }
}

/* A layer that was decoded, whose planes are to be written. */
typedef struct decoded_layer {
  tile_widths widths;
  unsigned sum, low; /* of the widths; bytes of low planes */
  bit_plane top[TOP_PLANES];
} decoded_layer;

static void decode_layer(page_reader *r, const page_walk *w, unsigned i, int coefficients, decoded_layer *d) {
  page_model *p = r->p;
  uint8_t *width = p->width[i][coefficients], *sizes = p->sizes[coefficients ? i : PAGE_TILES] + SIZES_BEFORE;
  d->sum = d->low = d->widths.height = 0;
  memset(width, 0, BLOCKS);
  clear_widths(d->widths.width);
  if (p->tile[i].widths[coefficients] == NO_WIDTHS)
    return;
  const coded_layer l = begin_layer_of(p, w, i, coefficients);
  decode_widths(r, &l, width);
  for (int k = 0; k < BLOCKS; k++) {
    d->widths.width[coding_order[l.by][k]] = width[k];
    d->low += p->values ? low_planes(width[k]) : width[k];
  }
  d->sum = widths_sum(d->widths.width);
  d->widths.height = widths_largest(d->widths.width);
  if (p->values)
    decode_values(r, &l, width, sizes, d->top);
}

/* Bytes of a tile's specials, its own in the page; 0 if they are not all there. */
static size_t specials_of(const page_reader *r) {
  const size_t left = (size_t)(r->end - r->byte);
  const size_t size = left < 32 ? 0 : special_planes_size(r->byte);
  return size <= left ? size : 0;
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
  w->head += lead_size(&w->lead);
}

static uint8_t *put_layer(page_reader *r, decoded_layer *d, uint8_t *to) {
  if (r->p->values)
    return join_layer(d->widths.width, d->widths.height, d->top, &r->byte, to);
  memcpy(to, r->byte, d->sum);
  r->byte += d->sum;
  return to + d->sum;
}

/* Tile i to `to`, which has room for any and SLACK. Returns its size, or -1 for damage. */
static ptrdiff_t make_tile(page_reader *r, const page_walk *w, unsigned i, uint8_t *to) {
  const page_tile *t = &r->p->tile[i];
  decoded_layer residuals, coefficients;
  uint8_t *end;
  if (t->kind == TILE_EMPTY)
    return 0;
  if (t->kind == TILE_AS_IS) {
    if (t->size > (size_t)(r->end - r->byte))
      return -1;
    memcpy(to, r->byte, t->size);
    r->byte += t->size;
    return (ptrdiff_t)t->size;
  }
  decode_layer(r, w, i, 0, &residuals);
  coefficients.low = 0;
  if (t->transformed)
    decode_layer(r, w, i, 1, &coefficients);
  begin_lead(t, &residuals.widths, 0);
  end = put_header(&residuals.widths, NULL, to);
  if (t->special) {
    const size_t size = specials_of(r);
    if (size == 0)
      return -1;
    memcpy(end, r->byte, size);
    r->byte += size;
    end += size;
  }
  if (residuals.low + coefficients.low > (size_t)(r->end - r->byte))
    return -1;
  if (t->transformed) {
    begin_lead(t, &coefficients.widths, 1);
    end = put_coefficients_header(&coefficients.widths, end);
  }
  end = put_layer(r, &residuals, end);
  if (t->transformed)
    end = put_layer(r, &coefficients, end);
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
