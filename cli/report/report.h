/* report.h: messages to the user and how much of them, the progress bar, errors of libghz, the
 * command's name, a clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_REPORT_REPORT_H
#define GHZ_CLI_REPORT_REPORT_H

#include <ghz/ghz.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Exit codes of the command. */
enum { EXIT_OK = 0, EXIT_DATA = 1, EXIT_USAGE = 2 };

/* Errors are always printed. -q hides what has level NORMAL, -v shows what has level VERBOSE. */
enum { LEVEL_QUIET = 0, LEVEL_NORMAL = 1, LEVEL_VERBOSE = 2 };

void report_set_level(int level);
int report_level(void);

/* Prints "ghz: NAME: reason" as one line to stderr, and returns false. */
bool fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "ghz VERB: reason (see ghz VERB --help)" and returns EXIT_USAGE. verb may be NULL. */
int fail_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__ /* which sees one file at a time: what is returned */
#define fail(name, ...) (fail(name, __VA_ARGS__), false)
#endif

/* Prints a line to stderr if the verbosity is at least `level`. */
void note(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- The name -------------------------------------------------------------------------------- */

#ifndef GHZ_COMMAND_NAME
#define GHZ_COMMAND_NAME "ghz"
#endif

/* Prints text to standard output, with the name in the place of ghz where that begins a command, as
 * in "ghz add a.ghz". */
void print_named(const char *text);

/* ---- Progress -------------------------------------------------------------------------------- */

/* Starts a bar for `total` units of work (UINT64_MAX: unknown), each of them `unit` bytes. */
void progress_begin(const char *label, uint64_t total, uint64_t unit);

/* Reports the units done so far. Draws at most ten times a second, and nothing in the first half
 * second. */
void progress_set(uint64_t done);

/* Erases the bar. */
void progress_end(void);

/* ---- libghz ---------------------------------------------------------------------------------- */

/* Creates a context; prints why if there is none. */
bool library_open(ghz_context **ctx, int threads);

/* Returns whether status is GHZ_OK; if not, prints the error of a call on the file `name`. ctx may
 * be NULL. */
bool library_ok(const char *name, const ghz_context *ctx, ghz_status status);

/* ---- A clock that only goes forward ---------------------------------------------------------- */

static inline double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
