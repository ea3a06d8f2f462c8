/* page_threads.h: pages that the threads of a context pack or unpack, each the next one that nobody
 * has taken. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_PAGE_THREADS_H
#define GHZ_FILE_PAGE_THREADS_H

#include <ghz/ghz.h>

/* Pages 0 to pages - 1. `run` is what a thread does: until there is no page for it, it takes one
 * and works on it. */
typedef struct page_threads {
  void (*run)(struct page_threads *t);
  size_t pages;
  size_t next;       /* atomic, from 0 */
  size_t failed;     /* atomic: a page that failed */
  ghz_status status; /* atomic */
} page_threads;

/* Takes a page. Returns 0 if there is none, or one has failed. */
int ghz_page_take(page_threads *t, size_t *page);

/* Notes the status of a page. */
void ghz_page_done(page_threads *t, size_t page, ghz_status status);

/* Runs threads. Returns the status of a page that failed: t->failed; GHZ_OK if none has. */
ghz_status ghz_pages_run(ghz_context *ctx, page_threads *t);

#endif
