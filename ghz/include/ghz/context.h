/* context.h: statuses and contexts.
 *
 * What calls return, and what they work with. ghz.h includes it, and has the conventions.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CONTEXT_H
#define GHZ_CONTEXT_H

#if defined(__GNUC__)
#define GHZ_API __attribute__((visibility("default")))
#else
#define GHZ_API
#endif

/* Makes compilers warn where a status is ignored, unless it is defined as empty before. */
#if !defined(GHZ_CHECKED) && defined(__GNUC__)
#define GHZ_CHECKED __attribute__((warn_unused_result))
#elif !defined(GHZ_CHECKED)
#define GHZ_CHECKED
#endif
#define GHZ_API_CHECKED GHZ_API GHZ_CHECKED

/* A call that is a case of another one. */
#define GHZ_CASE static inline GHZ_CHECKED

/* Around what is C, also in C++. */
#ifdef __cplusplus
#define GHZ_C_BEGIN extern "C" {
#define GHZ_C_END }
#else
#define GHZ_C_BEGIN
#define GHZ_C_END
#endif

GHZ_C_BEGIN

/* ---- Status ---------------------------------------------------------------------------------- */

typedef enum ghz_status {
  GHZ_OK = 0,
  GHZ_EINVAL = -1,       /* an argument violates its contract: bound 0 or NaN, range outside the array, NULL */
  GHZ_ENOMEM = -2,       /* the context could not allocate scratch memory */
  GHZ_ECAPACITY = -3,    /* the destination is too small; ghz_size_bound always suffices */
  GHZ_ECORRUPT = -4,     /* not a stream, truncated, or damaged */
  GHZ_EVERSION = -5,     /* of an older format, or with a type or feature bit of a newer version */
  GHZ_EMISMATCH = -6,    /* operands differ in type, shape, cap, step, bound or fill */
  GHZ_ERANGE = -7,       /* a result of more terms than ghz_terms_limit, or integers that do not fit a type */
  GHZ_EISA = -8,         /* GHZ_ISA names an instruction set that this machine or build does not have */
  GHZ_EDEVICE = -9,      /* no GPU that this build has kernels for, or CUDA reported an error */
  GHZ_EBUSY = -10,       /* the context serves another thread: give each its own, or NULL; or a file a writer */
  GHZ_EIO = -11,         /* the system could not read or write a file, see file.h */
  GHZ_EUNSUPPORTED = -12 /* this build of the library was made without what the call needs */
} ghz_status;

/* Returns a short English sentence for a status. Static, never NULL. */
GHZ_API const char *ghz_status_text(ghz_status status);

/* ---- Context --------------------------------------------------------------------------------- */

/* Threads and scratch memory, reused from call to call. Calls take NULL, too. */
typedef struct ghz_context ghz_context;

/* Creates a context that works with `threads` OpenMP threads; 0: as many as OpenMP would use, and
 * fewer for small arrays. A library without OpenMP always takes one.
 * The instruction set is the best one of the machine, or the one that the environment variable
 * GHZ_ISA names: scalar; avx2 or avx512 on x86-64; neon on 64-bit ARM.
 * Scratch memory grows on first use and is kept: a call of a size seen before allocates nothing. It
 * stays below the worst-case compressed size of the largest result, counted in whole tiles (twice
 * that for ghz_accumulate; ghz_sum_axes says what it needs), plus 1 % and 64 KiB a thread. Each
 * operand of the largest sum adds 384 bytes, and 96 bytes per 65536 values.
 * If threads cannot be created, the OpenMP runtime aborts the process; one thread creates none.
 * Errors: EINVAL (threads < 0), ENOMEM, EISA. Free with ghz_context_free. */
GHZ_API_CHECKED ghz_status ghz_context_create(ghz_context **ctx, int threads);

/* Frees a context and its scratch memory; no call may be using it. Ignores NULL. */
GHZ_API void ghz_context_free(ghz_context *ctx);

/* Sets the number of threads as ghz_context_create does. Errors: EINVAL (also: ctx is NULL). */
GHZ_API ghz_status ghz_context_set_threads(ghz_context *ctx, int threads);

/* Returns the most threads that calls with this context use; 1 for NULL. */
GHZ_API int ghz_context_threads(const ghz_context *ctx);

/* Returns the instruction set in use: "scalar", "avx2", "avx512" or "neon"; "" where GHZ_ISA leaves
 * NULL without one. Static. */
GHZ_API const char *ghz_context_isa(const ghz_context *ctx);

/* Returns a sentence about the last call with this context that failed, with the numbers that show
 * why: "step 0.002 in operand 1, 0.001 in operand 0". NULL: about the last one of this thread that
 * failed without a context: ctx was NULL, or it takes none (ghz_lattice_make, ghz_info_read, ...).
 * "" before any failure. Valid until the next call with the context, or of the thread. */
GHZ_API const char *ghz_context_message(const ghz_context *ctx);

GHZ_C_END
#endif
