/* inspect.h: what the bytes of a stream are for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_INSPECT_H
#define GHZ_INSPECT_H

#include "coder/parts.h"
#include <ghz/ghz.h>

/* Adds what the bytes of a stream are for to parts[STREAM_PARTS]: all stream.size of them. Errors:
 * ECORRUPT, EVERSION, ENOMEM. */
ghz_status ghz_stream_parts(ghz_context *ctx, ghz_bytes stream, uint64_t *parts);

#endif
