/* parts.h: what the bytes of packed frames are for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_PARTS_H
#define GHZ_FILE_PARTS_H

#include "coder/parts.h"
#include <ghz/file.h>

/* Adds what the bytes of a frame are for that the stream is packed in, at level 1 or 2, to
 * parts[STREAM_PARTS]: all frame.size of them. Errors: as ghz_stream_parts. */
ghz_status ghz_frame_parts(ghz_context *ctx, int level, ghz_bytes frame, ghz_bytes stream, uint64_t *parts);

/* The same of a packed frame, which ghz_file_next has read last. */
ghz_status ghz_file_parts(const ghz_file *file, ghz_context *ctx, const ghz_frame *frame, uint64_t *parts);

#endif
