/* choices.h: bricks at the edges of the rules by which an encoder chooses (FORMAT.md, "When a fresh
 * brick has them" and "Transforming values"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "fields.h"

enum { CHOICES = 48 };
typedef struct choice_brick {
  const char *name;
  ghz_shape shape;
  int coefficients;  /* whether it has them */
  int small_lines;   /* whether the edge is theirs: */
  int column, first; /* their first coefficient */
  double x[1024];    /* values in steps */
} choice_brick;

/* The i-th brick, on the lattice that the other gives. */
void choice_brick_make(int i, choice_brick *b);
ghz_lattice choice_lattice(ghz_type type);
