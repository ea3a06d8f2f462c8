/* tally.c: owns what a tally holds: how two are added, and what may be added to which. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "numbers/tally.h"

void ghz_add_words(uint64_t *to, const uint64_t *from, unsigned words) {
  unsigned carry = 0;
  for (unsigned i = 0; i < words; i++) {
    const uint128 sum = (uint128)to[i] + from[i] + carry;
    to[i] = (uint64_t)sum;
    carry = (unsigned)(sum >> 64);
  }
}

void ghz_add_tally(tally *to, const tally *from, uint64_t first) {
  to->count += from->count;
  to->specials += from->specials;
  to->mismatches += from->mismatches;
  to->inexact |= from->inexact;
  note_error(to, from->error);
  for (int i = 0; i < FIRST_SUMS; i++)
    ghz_add_words(to->first[i], from->first[i], FIRST_LIMBS);
  for (int i = 0; i < SECOND_SUMS; i++)
    ghz_add_words(to->second[i], from->second[i], SECOND_LIMBS);
  if (from->index)
    ghz_note_largest(to, from->largest, first + from->index - 1);
}

static int compare_words(const uint64_t a[FIRST_LIMBS], const uint64_t b[FIRST_LIMBS]) {
  for (unsigned i = FIRST_LIMBS; i-- > 0;)
    if (a[i] != b[i])
      return a[i] > b[i] ? 1 : -1;
  return 0;
}

void ghz_note_largest(tally *t, const uint64_t magnitude[FIRST_LIMBS], uint64_t index) {
  const int larger = t->index ? compare_words(magnitude, t->largest) : 1;
  if (larger < 0 || (larger == 0 && index + 1 >= t->index))
    return;
  memcpy(t->largest, magnitude, sizeof t->largest);
  t->index = index + 1;
}

ghz_status ghz_tally_admit(ghz_context *ctx, const tally *t, enum tally_kind kind, uint64_t positions) {
  if (t->kind != TALLY_OF_NONE && t->kind != kind)
    return ghz_fail(ctx, GHZ_EINVAL, "a tally has single streams or pairs, not both");
  if (t->positions + positions < positions)
    return ghz_fail(ctx, GHZ_ERANGE, "more than 2^64 values");
  return GHZ_OK;
}

ghz_status ghz_tally_merge(ghz_tally *to, const ghz_tally *from) {
  if (!to || !from)
    return ghz_fail(NULL, GHZ_EINVAL, "a tally is NULL");
  tally sum = tally_inside(to);
  const tally other = tally_inside(from);
  if (other.kind > TALLY_OF_PAIRS)
    return ghz_fail(NULL, GHZ_EINVAL, "these bytes are no tally");
  if (other.kind == TALLY_OF_NONE)
    return GHZ_OK;
  const ghz_status status = ghz_tally_admit(NULL, &sum, (enum tally_kind)other.kind, other.positions);
  if (status != GHZ_OK)
    return status;
  sum.kind = other.kind;
  ghz_add_tally(&sum, &other, sum.positions);
  sum.positions += other.positions;
  memcpy(to, &sum, sizeof sum);
  return GHZ_OK;
}
