/* context.c: owns the contexts of the instruction sets, and the end after an error of libghz. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec.h"

#include <stdlib.h>

void must(ghz_status status, const char *what, const ghz_context *ctx) {
  if (status != GHZ_OK)
    die(what, ctx ? ghz_context_message(ctx) : ghz_status_text(status));
}

ghz_context *isa_context(const char *isa, int threads) {
  ghz_context *ctx;
  setenv("GHZ_ISA", isa, 1);
  const ghz_status status = ghz_context_create(&ctx, threads);
  if (status == GHZ_EISA)
    return NULL;
  must(status, "ghz_context_create", NULL);
  return ctx;
}
