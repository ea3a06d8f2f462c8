/* context.c: owns contexts: threads, scratch memory, the last message; what is kept for a
 * thread; and the version. The only state there is (law L6, docs/LAWS.md). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/ghz.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "context/call.h"
#include "context/context.h"
#include "context/parallel.h"
#include "numerals.h"

/* ---- A thread -------------------------------------------------------------------------------- */

static _Thread_local struct {
  ghz_context *own;
  const ghz_context *refused; /* the last failing call with this context was refused: it was in use */
  char message[MESSAGE_SIZE];
} here;

/* Tells when a thread ends. */
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int have_key;

/* Other destructors of the thread may call again, and get a new context. */
static void free_own(void *own) {
  here.own = NULL;
  ghz_context_free(own);
}

static void make_key(void) {
  have_key = pthread_key_create(&key, free_own) == 0;
}

/* Threads that end later have nothing to call. */
__attribute__((destructor)) static void unload(void) {
  if (have_key)
    pthread_key_delete(key);
  have_key = 0;
  free_own(here.own);
}

static ghz_status make_own(void) {
  ghz_context *own;
  pthread_once(&key_once, make_key);
  ghz_status status = ghz_context_create(&own, 1);
  if (status != GHZ_OK)
    return status;
  if (!have_key || pthread_setspecific(key, own) != 0) {
    ghz_context_free(own);
    return ghz_fail(NULL, GHZ_ENOMEM, "no thread-specific data for a context of this thread: create one");
  }
  own->of_thread = 1;
  here.own = own;
  return GHZ_OK;
}

ghz_status ghz_thread_context(ghz_context **ctx) {
  ghz_status status = here.own ? GHZ_OK : make_own();
  *ctx = here.own;
  return status;
}

ghz_status ghz_thread_refused(const ghz_context *ctx) {
  here.refused = ctx;
  return GHZ_EBUSY;
}

/* Another failure is the last one now, or the context is another one at the same place. */
static void forget_refusal(const ghz_context *ctx) {
  if (here.refused == ctx)
    here.refused = NULL;
}

/* ---- Creation -------------------------------------------------------------------------------- */

int ghz_one_thread_alone;

static void in_child(void) {
  ghz_one_thread_alone = 1;
}

static void watch_forks(void) {
  pthread_atfork(NULL, NULL, in_child);
}

static void set_threads(ghz_context *ctx, int threads) {
  static pthread_once_t watching = PTHREAD_ONCE_INIT;
  int most = ghz_one_thread_alone ? 1 : threads ? threads : omp_get_max_threads();
  most = most < 1 ? 1 : most; /* OpenMP takes any number from the environment, 0 and less included */
  if (most > 1)
    pthread_once(&watching, watch_forks);
  most = most < THREADS_MAX ? most : THREADS_MAX;
  __atomic_store_n(&ctx->threads, most, __ATOMIC_RELAXED);
  ctx->automatic = threads == 0;
}

ghz_status ghz_context_create(ghz_context **ctx, int threads) {
  if (!ctx)
    return ghz_fail(NULL, GHZ_EINVAL, "ctx is NULL");
  *ctx = NULL;
  if (threads < 0)
    return ghz_fail(NULL, GHZ_EINVAL, "%d threads: must be 0 or more", threads);
  const tile_codec *tiles = ghz_tiles_choose();
  if (!tiles)
    return ghz_fail(NULL, GHZ_EISA, "GHZ_ISA is '%.40s', none of%s", getenv("GHZ_ISA"), ghz_tiles_names().text);
  ghz_context *c = calloc(1, sizeof *c);
  if (!c)
    return ghz_fail(NULL, GHZ_ENOMEM, "no %zu bytes for a context", sizeof *c);
  c->tiles = tiles;
  set_threads(c, threads);
  forget_refusal(c);
  *ctx = c;
  return GHZ_OK;
}

void ghz_context_free(ghz_context *ctx) {
  if (!ctx)
    return;
  free(ctx->operands.data);
  free(ctx->scratch.data);
  free(ctx->result.data);
  free(ctx);
}

ghz_status ghz_context_set_threads(ghz_context *ctx, int threads) {
  if (!ctx)
    return ghz_fail(ctx, GHZ_EINVAL, "ctx is NULL: the context of a thread has one codec thread");
  GHZ_CALL(ctx);
  if (threads < 0)
    return ghz_fail(ctx, GHZ_EINVAL, "%d threads: must be 0 or more", threads);
  set_threads(ctx, threads);
  return GHZ_OK;
}

/* ---- What is known of it --------------------------------------------------------------------- */

int ghz_context_threads(const ghz_context *ctx) {
  return ctx && !ghz_one_thread_alone ? __atomic_load_n(&ctx->threads, __ATOMIC_RELAXED) : 1;
}

const char *ghz_context_isa(const ghz_context *ctx) {
  ghz_context *own;
  if (!ctx && ghz_thread_context(&own) == GHZ_OK)
    ctx = own;
  return ctx ? ctx->tiles->name : "";
}

const char *ghz_context_message(const ghz_context *ctx) {
  if (!ctx)
    return here.message;
  return here.refused == ctx ? "another call uses the context: give each thread a context of its own, or NULL"
                             : ctx->message;
}

/* ---- For the drivers ------------------------------------------------------------------------- */

void *ghz_arena_reserve(arena *a, size_t size) {
  if (size > a->size) {
    void *data = NULL;
    size_t rounded = size + 4095;
    if (rounded < size || posix_memalign(&data, 64, rounded & ~(size_t)4095) != 0)
      return NULL;
    free(a->data);
    a->data = data;
    a->size = rounded & ~(size_t)4095;
  }
  return a->data;
}

ghz_status(ghz_fail)(ghz_context *ctx, ghz_status status, const char *format, ...) {
  va_list args;
  const locale_t programs = numerals_begin();
  va_start(args, format);
  vsnprintf(ctx && !ctx->of_thread ? ctx->message : here.message, MESSAGE_SIZE, format, args);
  va_end(args);
  numerals_end(programs);
  if (ctx)
    forget_refusal(ctx);
  return status;
}

int ghz_total_add(size_t *total, size_t count, size_t each) {
  size_t bytes, rounded;
  if (__builtin_mul_overflow(count, each, &bytes) || __builtin_add_overflow(bytes, 63, &rounded))
    return 0;
  return !__builtin_add_overflow(*total, rounded & ~(size_t)63, total);
}

/* ---- Words ----------------------------------------------------------------------------------- */

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *ghz_version(void) {
  return TEXT(GHZ_VERSION_MAJOR) "." TEXT(GHZ_VERSION_MINOR) "." TEXT(GHZ_VERSION_PATCH);
}

const char *ghz_status_text(ghz_status status) {
  static const char *const texts[] = {
      [-GHZ_OK] = "no error",
      [-GHZ_EINVAL] = "invalid argument",
      [-GHZ_ENOMEM] = "out of memory",
      [-GHZ_ECAPACITY] = "destination too small",
      [-GHZ_ECORRUPT] = "not a ghz stream, truncated, or damaged",
      [-GHZ_EVERSION] = "of an older format, or written by a newer version of ghz",
      [-GHZ_EMISMATCH] = "streams differ in type, shape, cap, step, bound or fill value",
      [-GHZ_ERANGE] = "too many terms for one sum, or integers that do not fit a type",
      [-GHZ_EISA] = "an instruction set that this machine or build does not have",
      [-GHZ_EDEVICE] = "no usable GPU, or an error of CUDA",
      [-GHZ_EBUSY] = "the context serves another call at this moment, or the file another writer",
      [-GHZ_EIO] = "a file could not be read or written",
      [-GHZ_EUNSUPPORTED] = "this build of libghz lacks what the call needs"};
  return status <= 0 && status >= GHZ_EUNSUPPORTED ? texts[-status] : "unknown status";
}
