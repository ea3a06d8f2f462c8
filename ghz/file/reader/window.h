/* window.h: a part of a frame of an indexed file, read without the rest of the frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_WINDOW_H
#define GHZ_FILE_WINDOW_H

#include "decompress.h"
#include "file/reader/reader.h"

/* Decompresses a box that is inside a frame of this shape to dst, without gaps. Reads and checks the
 * pages with tiles that the box meets. Errors: as ghz_file_read. */
ghz_status ghz_window_decompress(ghz_file *f, ghz_context *ctx, const frame_entry *e, const ghz_shape *shape,
                                 ghz_type out, const array_box *box, void *dst);

#endif
