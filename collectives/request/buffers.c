/* buffers.c: what a call reads and writes on this rank, by who gives blocks and who gets them. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

#include <string.h>

static int has_block(const call *c, holders h, int block) {
  return h == BY_ROOT ? call_is_root(c) : h == BY_ALL || block == c->at.rank;
}

static int has_any(const call *c, holders h) {
  return h != BY_ROOT || call_is_root(c);
}

static int scatters(const call *c) {
  return c->collective->gives == BY_ROOT && c->collective->gets == BY_OWNER;
}

int ghz_buffers_lack(const call *c) {
  const collective *what = c->collective;
  const int in_place = call_is_in_place(c), is_empty = call_own(c) == 0,
            sends = has_any(c, what->gives) && (c->set.contributions || !what->reduces) &&
                    !(what->gives == BY_OWNER && is_empty),
            gets = has_any(c, what->gets) && !(what->gets == BY_OWNER && is_empty && !in_place),
            bad_place = in_place && (scatters(c) || (collective_is_rooted(c->collective) && !call_is_root(c))),
            no_place = c->recv == MPI_IN_PLACE && !(scatters(c) && call_is_root(c));
  return (sends && (!c->send || bad_place)) || (gets && (!c->recv || no_place));
}

/* What lies between blocks with places of their own keeps its values, also where the whole buffer
 * is copied. */
used_values ghz_buffers_used(const call *c) {
  const collective *what = c->collective;
  const int in_place = call_is_in_place(c), sends = has_any(c, what->gives);
  used_values u = {.reads_recv = (in_place && sends) || (c->counts && what->gets == BY_ALL)};
  if (sends && !in_place)
    u.send = what->gives == BY_OWNER ? call_own(c) : call_all(c) * (uint64_t)c->set.contributions;
  if (has_any(c, what->gets) && c->recv != MPI_IN_PLACE)
    u.recv = what->gets == BY_OWNER && !in_place ? call_own(c) : call_all(c);
  return u;
}

const void *ghz_buffers_input(const call *c, uint64_t *values) {
  int in_place = !c->used.send && c->used.reads_recv,
      is_block = (collective_has_blocks(c->collective) || c->counts) && !c->collective->reduces;
  *values = !in_place ? c->used.send : is_block ? call_own(c) : c->used.recv;
  if (!in_place)
    return c->send;
  return is_block ? call_block(c, c->recv, c->at.rank) : c->recv;
}

/* Scattered sums in place go to the first block, which only rank 0 has no other need of: on the
 * others they wait in spare memory. */
size_t ghz_buffers_spare(const call *c) {
  const int needs = c->collective->gets == BY_OWNER && call_is_in_place(c) && c->at.rank > 0;
  return needs ? (size_t)call_own(c) * c->value_size : 0;
}

/* Where a block comes from. An array of one's own block begins with it. */
static const void *source(const call *c, int block) {
  const int in_place = call_is_in_place(c);
  const void *input = in_place ? c->recv : c->send;
  if (!input || !has_block(c, c->collective->gives, block))
    return NULL;
  return c->collective->gives == BY_OWNER && !in_place ? input : call_block(c, input, block);
}

/* Whether the root's block stays where it is. It is a source, as it counts for the range of all
 * values. */
static int stays(const call *c, int block) {
  const collective *what = c->collective;
  if (!collective_is_rooted(c->collective) || !call_is_root(c))
    return 0;
  return c->recv == MPI_IN_PLACE || (what->gives == BY_ROOT && what->gets == BY_ALL && c->set.keep_root) ||
         (what->gives == BY_OWNER && call_is_in_place(c) && block == c->at.rank);
}

static void *target(const call *c, int block) {
  if (!has_block(c, c->collective->gets, block) || stays(c, block))
    return NULL;
  if (c->collective->gets == BY_OWNER)
    return c->spare ? c->spare : c->recv;
  return c->recv ? (uint8_t *)c->recv + call_place(c, block) : NULL;
}

void ghz_buffers_arrange(const call *c, part *parts, int count) {
  for (int b = 0; b < count; b++)
    part_lies(&parts[b], source(c, b), target(c, b));
}

void ghz_buffers_finish(const call *c) {
  if (c->spare)
    memcpy(c->recv, c->spare, ghz_buffers_spare(c));
}
