/* parameters.c: owns the file of measured parameters, and what lies between and beyond its rows. */
#include "parameters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool positive(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!(x[i] > 0) || !isfinite(x[i]))
      return false;
  return true;
}

static bool take_row(parameters *p, const char *rest) {
  double x[6];
  if (sscanf(rest, "%lf %lf %lf %lf %lf %lf", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5]) != 6 ||
      p->n_rows == ROWS_MOST)
    return false;
  if (!positive((double[]){x[0], x[1], x[3], x[5]}, 4) || !(x[2] >= 0) || !(x[4] >= 0) || x[0] < 1)
    return false;
  if (p->n_rows > 0 && !(x[0] > p->rows[p->n_rows - 1].terms))
    return false;
  p->rows[p->n_rows++] = (terms_row){x[0], x[1], {x[2], x[3]}, {x[4], x[5]}};
  return true;
}

static bool take_cost(cost *c, const char *rest) {
  return sscanf(rest, "%lf %lf", &c->fixed, &c->per_byte) == 2 && c->fixed >= 0 && positive(&c->per_byte, 1);
}

static bool take_line(parameters *p, const char *name, const char *rest) {
  if (strcmp(name, "compress") == 0)
    return take_cost(&p->compress, rest);
  if (strcmp(name, "operate") == 0)
    return take_cost(&p->operate, rest);
  if (strcmp(name, "copy") == 0)
    return take_cost(&p->copy, rest);
  if (strcmp(name, "scan") == 0)
    return take_cost(&p->scan, rest);
  return strcmp(name, "terms") == 0 && take_row(p, rest);
}

static bool fail_at(const char *path, int line, const char *why) {
  fprintf(stderr, "%s:%d: %s\n", path, line, why);
  return false;
}

static bool read_lines(parameters *p, FILE *f, const char *path) {
  char line[512], name[32];
  int number = 0, used;
  while (fgets(line, sizeof line, f)) {
    number++;
    if (line[0] == '#' || sscanf(line, "%31s%n", name, &used) != 1)
      continue;
    if (!take_line(p, name, line + used))
      return fail_at(path, number, "not a parameter and its numbers");
  }
  if (!positive((double[]){p->compress.per_byte, p->operate.per_byte, p->copy.per_byte, p->scan.per_byte}, 4) ||
      p->n_rows == 0 || p->rows[0].terms != 1)
    return fail_at(path, number,
                   "incomplete: compress, operate, copy, scan and rows from 1 term on are needed");
  return true;
}

bool parameters_read(parameters *p, const char *path) {
  *p = (parameters){.efficiency = 1, .threads = 1};
  FILE *f = fopen(path, "r");
  if (!f) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return false;
  }
  bool good = read_lines(p, f, path);
  fclose(f);
  return good;
}

static void scale(cost *c, double factor) {
  c->fixed /= factor;
  c->per_byte /= factor;
}

void parameters_scale(parameters *p, double compress, double combine, double decompress) {
  scale(&p->compress, compress);
  for (int i = 0; i < p->n_rows; i++) {
    scale(&p->rows[i].combine, combine);
    scale(&p->rows[i].decompress, decompress);
  }
}

/* ---- Times and sizes --------------------------------------------------------------------------------- */

/* Where `terms` lies: between row *i and the next, at part 0 to 1 of the logarithm; beyond the last pair,
 * above 1. */
static double place(const parameters *p, double terms, int *i) {
  *i = 0;
  if (p->n_rows == 1)
    return 0;
  while (*i + 2 < p->n_rows && terms > p->rows[*i + 1].terms)
    ++*i;
  double low = log2(p->rows[*i].terms), high = log2(p->rows[*i + 1].terms);
  return (log2(terms) - low) / (high - low);
}

static double between(double a, double b, double part) {
  return a + part * (b - a);
}

/* Speeds are not extrapolated: beyond the last row they are its own. */
static double seconds_between(const cost *a, const cost *b, double part, double bytes) {
  double x = a->fixed + a->per_byte * bytes, y = b->fixed + b->per_byte * bytes;
  return between(x, y, part < 1 ? part : 1);
}

static double speed_up(const parameters *p) {
  return p->threads > 1 ? p->threads * p->efficiency : 1;
}

/* Only what grows with the bytes is shared by threads. */
static double shared(const parameters *p, double fixed, double whole) {
  return fixed + (whole - fixed) / speed_up(p);
}

static double simple_seconds(const parameters *p, const cost *c, double bytes) {
  return bytes > 0 ? shared(p, c->fixed, c->fixed + c->per_byte * bytes) : 0;
}

double compress_seconds(const parameters *p, double bytes) {
  return simple_seconds(p, &p->compress, bytes);
}

double combine_seconds(const parameters *p, double bytes, double terms) {
  int i;
  double part = place(p, terms, &i);
  const terms_row *a = &p->rows[i], *b = p->n_rows > 1 ? a + 1 : a;
  double whole = seconds_between(&a->combine, &b->combine, part, bytes);
  return bytes > 0 ? shared(p, seconds_between(&a->combine, &b->combine, part, 0), whole) : 0;
}

double decompress_seconds(const parameters *p, double bytes, double terms) {
  int i;
  double part = place(p, terms, &i);
  const terms_row *a = &p->rows[i], *b = p->n_rows > 1 ? a + 1 : a;
  double whole = seconds_between(&a->decompress, &b->decompress, part, bytes);
  return bytes > 0 ? shared(p, seconds_between(&a->decompress, &b->decompress, part, 0), whole) : 0;
}

double operate_seconds(const parameters *p, double bytes) {
  return simple_seconds(p, &p->operate, bytes);
}

double copy_seconds(const parameters *p, double bytes) {
  return simple_seconds(p, &p->copy, bytes);
}

double scan_seconds(const parameters *p, double bytes) {
  return simple_seconds(p, &p->scan, bytes);
}

/* 33 bits: raw tiles take a little more than their values. */
double message_bytes(const parameters *p, double bytes, double terms) {
  int i;
  double part = place(p, terms, &i);
  double bits = p->n_rows > 1 ? between(p->rows[i].bits, p->rows[i + 1].bits, part) : p->rows[0].bits;
  bits = bits < 33 ? bits : 33;
  return MESSAGE_HEAD + ceil(bytes / 32 * bits);
}
