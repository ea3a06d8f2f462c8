/* text.h: numbers as text, and numbers with their intervals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_CLI_TEXT_H
#define GHZ_CLI_TEXT_H

#include <ghz/ghz.h>
#include <ghz/numbers.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct number_text {
  char text[32];
} number_text;

/* A number of bytes, as in "64.0 MiB". */
number_text text_bytes(uint64_t bytes);

/* A double in as few digits as read back as the same value. */
number_text text_double(double value);

/* A fill value in as few digits as read back as the same value of the type. */
number_text fill_text(ghz_type type, double fill);

/* A double in a format, as in "%.2f"; "-" for NaN, a number that there is not. */
number_text text_number(const char *format, double value);

/* The digits of text_double for JSON, which has neither infinities nor NaN: they become null. */
number_text text_json(double value);

/* Writes a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void json_string(FILE *to, const char *text);

/* Writes a JSON array. */
void json_numbers(const uint64_t *numbers, unsigned count);

typedef struct bound_text {
  char text[96];
} bound_text;

/* Whether every value of so many terms is exact: of one on a grid, which stores the values that
 * are not on it as they are. */
bool exact_on_grid(const ghz_lattice *l, uint32_t terms);

/* What a lattice promises of so many terms, of which `bound` is known: the bound in digits; of a
 * grid "grid of 0.01: every value exact". */
bound_text text_bound(const ghz_lattice *l, uint32_t terms, double bound);

/* The same in a line about what was written: "bound 0.001". */
bound_text text_promise(const ghz_lattice *l, uint32_t terms, double bound);

/* ---- Numbers with intervals ------------------------------------------------------------------ */

/* A line, the number and between what the original's is; or a member of an object of JSON, with a
 * comma before it. */
void estimate_show(bool json, const char *name, const char *member, const ghz_estimate *v);

#endif
