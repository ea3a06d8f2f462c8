/* memory_file.h: bytes in memory as a file of the command, and its messages caught. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "io/file.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that holds these bytes, to be read at any place or, if not `seekable`, once like a pipe.
 * It is there until the next call with the same `which`, 0 or 1; closing it does nothing. */
file memory_file(int which, const char *name, const void *data, size_t size, bool seekable);

/* What was written to the descriptor of such a file. Release with free. */
uint8_t *memory_file_bytes(const file *f, size_t *size);

/* How many messages the command has printed since the last call. */
int messages_taken(void);
