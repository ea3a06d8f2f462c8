/* sink.h: a file that is written under another name beside its own, which it gets when it is
 * complete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_SINK_H
#define GHZ_FILE_SINK_H

#include "file.h"

typedef struct path_sink path_sink;

/* Creates the unfinished file, in the folder of what `path`, or the end of its links, names.
 * Errors: EIO, EINVAL (a directory), ENOMEM. */
ghz_status ghz_sink_create(const char *path, path_sink **sink);

/* The calls that write to it. */
ghz_file_sink ghz_sink_calls(path_sink *sink, const char *path);

/* Gives the file its name; frees the sink, and after an error removes the file. Errors: EIO. */
ghz_status ghz_sink_commit(path_sink *sink, const char *path);

/* Removes the file, and frees the sink. Ignores NULL. */
void ghz_sink_discard(path_sink *sink);

#endif
