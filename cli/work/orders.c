/* orders.c: owns trying the orders of dimensions: each is a shape, and the true one costs the
 * fewest bytes, since its neighbours resemble each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "orders.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"
#include "report/text.h"
#include "tuning.h"
#include "tuning_print.h"

#define REL 1e-4          /* of the range: what all orders are tried with */
enum { ORDERS_MAX = 24 }; /* of ORDERED_MOST dimensions */

typedef struct candidate {
  shape shape;
  trial trial;
} candidate;

typedef struct orders {
  candidate tried[ORDERS_MAX];
  int count, best;
  bool has_flat; /* the values in a row were tried, too */
  trial flat;
} orders;

static int compare_dims(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void swap_dims(uint64_t *a, uint64_t *b) {
  const uint64_t x = *a;
  *a = *b;
  *b = x;
}

/* The next order, by the alphabet of the dimensions; false behind the last. Equal dimensions give
 * no orders of their own. */
static bool next_order(shape *s) {
  unsigned i = s->ndim - 1, j = s->ndim - 1;
  while (i > 0 && s->dims[i - 1] >= s->dims[i])
    i--;
  if (i == 0)
    return false;
  while (s->dims[j] <= s->dims[i - 1])
    j--;
  swap_dims(&s->dims[i - 1], &s->dims[j]);
  for (j = s->ndim - 1; i < j; i++, j--)
    swap_dims(&s->dims[i], &s->dims[j]);
  return true;
}

static bool try_order(tuning *t, orders *all, const shape *s) {
  candidate *here = &all->tried[all->count];
  here->shape = *s;
  if (!tuning_reshape(t, s) || !tuning_try(t, REL, &here->trial))
    return false;
  if (here->trial.ratio > all->tried[all->best].trial.ratio)
    all->best = all->count;
  all->count++;
  if (all->has_flat || !tuning_has_flat(t))
    return true;
  all->has_flat = true;
  return tuning_try_flat(t, REL, &all->flat);
}

static bool try_orders(tuning *t, orders *all) {
  shape s = t->in.shape;
  if (s.npy)
    return fail(t->in.file.name, "its header says the order of its dimensions; leave --dims out");
  qsort(s.dims, s.ndim, sizeof *s.dims, compare_dims);
  do
    if (!try_order(t, all, &s))
      return false;
  while (next_order(&s));
  return true;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static bool flat_is_best(const orders *all) {
  return !all->has_flat || all->flat.ratio >= all->tried[all->best].trial.ratio;
}

static void print_table(const tuning *t, const orders *all) {
  char dims[512];
  tuning_print(t);
  printf(", --rel %g (--abs %s)\n", REL, text_double(all->tried[0].trial.eb).text);
  printf("  %20s %s\n", "--dims", trial_heading);
  for (int i = 0; i < all->count; i++) {
    shape_text(&all->tried[i].shape, dims, sizeof dims);
    printf("  %20s", dims);
    trial_print(&all->tried[i].trial);
  }
  if (all->has_flat) {
    printf("  %20s", "--flat");
    trial_print(&all->flat);
  }
  shape_text(&all->tried[all->best].shape, dims, sizeof dims);
  if (flat_is_best(all))
    printf("best: --flat; no order gives a larger ratio\n");
  else
    printf("best: --dims %s: ratio %.4g; --flat: %.4g\n", dims, all->tried[all->best].trial.ratio,
           all->flat.ratio);
}

static void print_json(const tuning *t, const orders *all) {
  tuning_print_json(t);
  printf(", \"rel\": %s, \"bound\": %s, \"orders\": [", text_json(REL).text,
         text_json(all->tried[0].trial.eb).text);
  for (int i = 0; i < all->count; i++) {
    const shape *s = &all->tried[i].shape;
    printf("%s\n    {\"shape\": ", i ? "," : "");
    json_numbers(s->dims, s->ndim);
    printf(", ");
    trial_print_json(&all->tried[i].trial);
    printf("}");
  }
  printf("], \"flat\": ");
  if (all->has_flat) {
    printf("{");
    trial_print_json(&all->flat);
    printf("}");
  } else {
    printf("null");
  }
  printf(", \"best\": ");
  if (flat_is_best(all))
    printf("null}");
  else {
    const shape *s = &all->tried[all->best].shape;
    json_numbers(s->dims, s->ndim);
    printf("}");
  }
}

bool orders_of_file(const options *o, ghz_context *ctx, const char *path) {
  tuning t;
  orders all = {.count = 0};
  if (!tuning_open(&t, o, ctx, path))
    return false;
  const bool ok = try_orders(&t, &all);
  if (ok)
    (o->json ? print_json : print_table)(&t, &all);
  tuning_close(&t);
  return ok;
}
