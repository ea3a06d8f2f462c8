/* sink.h: a file that is written by name, as a sink. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_SINK_H
#define GHZ_FILE_SINK_H

#include "file/unfinished.h"
#include <ghz/file.h>

/* Creates the unfinished file of what `path`, or the end of its links, names.
 * Errors: EIO (also: a file that is protected), EINVAL (a directory), ENOMEM. */
ghz_status ghz_sink_create(const char *path, unfinished_file *file);

/* The calls that write to it. */
ghz_file_sink ghz_sink_calls(unfinished_file *file, const char *path);

/* Gives the file its name, or after an error removes it; frees what *file holds. Errors: EIO. */
ghz_status ghz_sink_commit(unfinished_file *file, const char *path);

#endif
