/* parts.h: what the bytes of streams are for, and those that they are packed in. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CODER_PARTS_H
#define GHZ_CODER_PARTS_H

enum stream_part {
  IN_TABLES, /* headers, sizes of tiles and pages */
  IN_HEADS,  /* of tiles: orders, modes, anchors */
  IN_WIDTHS_C,
  IN_WIDTHS_R,
  IN_VALUES_C,
  IN_VALUES_R,
  IN_SPECIALS,
  IN_RAW,         /* tiles that are raw, or of one value */
  IN_FREQUENCIES, /* of symbols, in a page of tiles */
  IN_ZSTD,        /* what zstd has packed as a whole */
  STREAM_PARTS
};

#endif
