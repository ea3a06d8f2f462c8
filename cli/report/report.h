/* report.h: messages to the user, and how much of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_REPORT_H
#define GHZ_CLI_REPORT_H

#include <stdbool.h>

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

/* Shows `text` in place of the progress bar, in a line that the next message erases. */
void report_show_bar(const char *text);
void report_erase_bar(void);

#endif
