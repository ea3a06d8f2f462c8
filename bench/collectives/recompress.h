/* recompress.h: the payload of other libraries, for comparison. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_COLLECTIVES_RECOMPRESS_H
#define BENCH_COLLECTIVES_RECOMPRESS_H

#include <stdbool.h>

/* Sets whether calls in mode homomorphic decompress, add values and compress from now on. */
void recompress_use(bool yes);

#endif
