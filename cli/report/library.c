/* library.c: owns making a context of libghz, and its errors as messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "library.h"

#include <stdlib.h>

#include "report.h"

bool library_open(ghz_context **ctx, int threads) {
  ghz_status status = ghz_context_create(ctx, threads);
  if (status != GHZ_EISA)
    return library_ok("libghz", NULL, status);
  const char *isa = getenv("GHZ_ISA");
  return fail("GHZ_ISA", "no such instruction set here: %s", isa ? isa : "");
}

bool library_ok(const char *name, const ghz_context *ctx, ghz_status status) {
  if (status == GHZ_OK)
    return true;
  const char *message = ghz_context_message(ctx);
  return fail(name, "%s%s%s", ghz_status_text(status), message[0] ? ": " : "", message);
}
