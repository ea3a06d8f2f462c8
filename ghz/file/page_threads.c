/* page_threads.c: owns sharing pages among threads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/page_threads.h"

#include "context/context.h"

int ghz_page_take(page_threads *t, size_t *page) {
  if (__atomic_load_n(&t->status, __ATOMIC_RELAXED) != GHZ_OK)
    return 0;
  *page = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED);
  return *page < t->pages;
}

void ghz_page_done(page_threads *t, size_t page, ghz_status status) {
  if (status == GHZ_OK)
    return;
  __atomic_store_n(&t->failed, page, __ATOMIC_RELAXED);
  __atomic_store_n(&t->status, status, __ATOMIC_RELAXED);
}

ghz_status ghz_pages_run(ghz_context *ctx, page_threads *t) {
  const int threads = (size_t)ctx->threads < t->pages ? ctx->threads : (int)t->pages;
  if (threads <= 1) { /* without OpenMP, as everywhere */
    t->run(t);
  } else {
#pragma omp parallel num_threads(threads)
    t->run(t);
  }
  return t->status;
}
