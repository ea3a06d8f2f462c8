/* operand.c: opens an operand in the scratch of a context. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "stream/operand.h"

#include "rules/types.h"

ghz_status ghz_operand_open(ghz_context *ctx, const ghz_slice *slice, operand *o, size_t extra, void **rest) {
  size_t offsets = 0, total;
  if (!ghz_total_add(&offsets, (size_t)chunks_of(slice->tiles) + 1, sizeof(uint64_t)))
    return ghz_fail(ctx, GHZ_ENOMEM, "too many tiles");
  total = offsets;
  uint8_t *scratch = ghz_total_add(&total, extra, 1) ? ghz_arena_reserve(&ctx->scratch, total) : NULL;
  if (!scratch)
    return ghz_fail(ctx, GHZ_ENOMEM, "no %zu bytes of scratch", total);
  *o = (operand){*slice, (uint64_t *)(void *)scratch};
  o->slice.lattice = storage_lattice(&slice->lattice);
  if (rest)
    *rest = scratch + offsets;
  return ghz_slice_locate(ctx, slice, o->offset);
}
