/* sink.h: a file that is written by name, as a sink: a new one, or one that is appended to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_SINK_H
#define GHZ_FILE_SINK_H

#include "file/unfinished.h"
#include <ghz/file.h>

/* Creates the unfinished file of what `path`, or the end of its links, names.
 * Errors: EIO (also: a file that is protected), EINVAL (a directory), ENOMEM. */
ghz_status ghz_sink_create(const char *path, unfinished_file *file);

/* Opens a file to append to it, and locks it until it is closed. After an error *file is closed.
 * Errors: EIO, EINVAL (no regular file), EBUSY (another has the lock). */
ghz_status ghz_sink_open(const char *path, unfinished_file *file);

/* The calls that write to it. */
ghz_file_sink ghz_sink_calls(unfinished_file *file, const char *path);

/* Goes to a place of the file, and with `cut` cuts off what follows. Errors: EIO. */
ghz_status ghz_sink_seek(const unfinished_file *file, const char *path, uint64_t at, int cut);

/* Waits until all that was written is on the disk. Errors: EIO. */
ghz_status ghz_sink_sync(const unfinished_file *file, const char *path);

/* Gives the file its name, and leaves it open. Errors: EIO, EBUSY (what it replaces is being
 * appended to). */
ghz_status ghz_sink_settle(unfinished_file *file, const char *path);

#endif
