/* thread.h: what the library keeps for a thread: a context and a message. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_THREAD_H
#define GHZ_THREAD_H

#include "context/context.h"

/* Whether the last failing call of this thread with the context was refused. */
int ghz_thread_was_refused(const ghz_context *ctx);

/* Another failure is the last one now, or the context is another one at the same place. */
void ghz_thread_forget(const ghz_context *ctx);

/* The message of this thread, MESSAGE_SIZE bytes, for calls without a context. */
char *ghz_thread_message(void);

#endif
