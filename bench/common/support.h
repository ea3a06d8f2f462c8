/* support.h: what every benchmark needs: errors, memory, a clock, statistics, CSV. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_SUPPORT_H
#define BENCH_SUPPORT_H

#include <stddef.h>
#include <stdio.h>

#define MIB ((size_t)1 << 20)

/* Sets the name that messages begin with, and what to call before an error ends the program. */
void program_begin(const char *name, void (*before_exit)(void));
_Noreturn void die(const char *what, const char *detail);

/* Memory that was written to, so that page faults are not measured. Never NULL. */
void *touched(size_t bytes);

/* Seconds of a clock that only moves forward. */
double clock_seconds(void);

/* Sorts the values. */
void sort_values(double *x, int n);
/* The value at a fraction of the way through sorted values; 0.5: the median. */
double quantile(const double *sorted, int n, double fraction);
/* Sorts the values and returns their median. */
double median(double *x, int n);

/* "512 MB", "4 KB": powers of two. Returns `text`. */
const char *size_text(size_t bytes, char text[24]);

/* Prints the number %width.digits, or a dash if it is not finite. */
void print_number(double x, int width, int digits);

/* Opens the file and writes the line of column names. */
FILE *csv_open(const char *path, const char *columns);
/* A comma and the number, or nothing behind the comma if it is not finite. */
void csv_number(FILE *f, double x);
void csv_close(FILE *f, const char *path);

#endif
