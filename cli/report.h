/* report.h: messages to the user, the verbosity, and numbers as text. */
#ifndef GHZ_CLI_REPORT_H
#define GHZ_CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes of the command. */
enum { EXIT_OK = 0, EXIT_DATA = 1, EXIT_USAGE = 2 };

/* Verbosity: errors always; then what -q hides, the default, and what -v shows. */
enum { LEVEL_QUIET = 0, LEVEL_NORMAL = 1, LEVEL_VERBOSE = 2 };

void report_set_level(int level);
int report_level(void);

/* Prints "ghz: NAME: reason" as one line to stderr, and returns false. */
bool fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "ghz VERB: reason (see ghz VERB --help)" and returns EXIT_USAGE. verb may be NULL. */
int fail_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a line to stderr if the verbosity is at least `level`. */
void note(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text for a number of bytes, as in "64.0 MiB". */
typedef struct number_text {
  char text[32];
} number_text;
number_text text_bytes(uint64_t bytes);

/* Text for a double that reads back as the same value (JSON has no infinities: null). */
number_text text_double(double value);
number_text text_json(double value);

/* Writes a JSON string with its quotes. */
void json_string(FILE *to, const char *text);

/* Seconds on a clock that only goes forward. */
double seconds(void);

#endif
