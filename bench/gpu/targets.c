/* targets.c: the speeds that the project wants, and what this run reached of them. */
#include "gpu_bench.h"

#include <math.h>
#include <string.h>

#define TARGET_BYTES (512 * MIB)

typedef enum quantity { OF_COPY, SPEED, OF_SEPARATE } quantity;
static const char *const units[] = {"% of copy", "GB/s", "x separate"};

/* On an H200, float32. */
static const struct target {
  const char *input;
  operation op;
  quantity what;
  double bound, least;
} targets[] = {
    {"wave-middle", OP_COMPRESS, OF_COPY, 1e-3, 60},
    {"wave-middle", OP_COMPRESS, OF_COPY, 1e-4, 50},
    {"wave-middle", OP_DECOMPRESS, OF_COPY, 1e-3, 70},
    {"wave-middle", OP_DECOMPRESS, OF_COPY, 1e-4, 60},
    {"wave-early+wave-middle", OP_ADD, SPEED, 1e-3, 5000},
    {"wave-early+wave-middle", OP_ADD, SPEED, 1e-4, 4000},
    {"wave-middle+wave-late", OP_ADD, SPEED, 1e-3, 3500},
    {"wave-middle+wave-late", OP_ADD, SPEED, 1e-4, 2500},
    {"wave-middle+wave-late", OP_ADD, OF_SEPARATE, 1e-3, 5},
    {"wave-middle+wave-late", OP_ADD, OF_SEPARATE, 1e-4, 4},
};

/* The figure of a target; NAN if it was not measured. */
static double reached(const results *r, const struct target *t) {
  for (int i = 0; i < r->n_figures; i++) {
    const figure *f = &r->figures[i];
    if (f->op != t->op || f->bytes != TARGET_BYTES || strcmp(f->in->name, t->input) != 0 ||
        fabs(f->bound / t->bound - 1) > 1e-9)
      continue;
    if (t->what == OF_COPY)
      return 100 * f->moved / f->time.median / r->copy;
    return t->what == SPEED ? 1e-9 * f->original / f->time.median : f->of_separate;
  }
  return NAN;
}

void report_targets(const results *r) {
  if (r->options->smoke || r->options->type != GHZ_F32)
    return;
  printf("\nTargets: an H200, float32, snapshots of 512 MB.\n  %-24s %-11s %6s %10s %8s\n", "", "", "bound",
         "reached", "wanted");
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    const struct target *t = &targets[i];
    double x = reached(r, t);
    printf("  %-24s %-11s %6.0e", t->input, operation_names[t->op], t->bound);
    if (isnan(x))
      printf(" %10s %8.0f %-10s  not measured in this run\n", "-", t->least, units[t->what]);
    else
      printf(" %10.1f %8.0f %-10s  %s\n", x, t->least, units[t->what], x >= t->least ? "\u2713" : "missed");
  }
}
