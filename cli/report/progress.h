/* progress.h: the progress bar. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_PROGRESS_H
#define GHZ_CLI_PROGRESS_H

#include <stdint.h>

/* Starts a bar for `total` units of work (UINT64_MAX: unknown), each of them `unit` bytes. */
void progress_begin(const char *label, uint64_t total, uint64_t unit);

/* Reports the units done so far. Draws at most ten times a second, and nothing in the first half
 * second. */
void progress_set(uint64_t done);

/* Erases the bar. */
void progress_end(void);

#endif
