/* targets.c: the project's targets, and what this run reached of them. */
#include "bench.h"

#include <math.h>
#include <string.h>

#define WAVES "wave-middle+wave-late"
#define LEAST_OF_AVX512_AVX2 0.40
#define LEAST_OF_AVX512_SCALAR 0.20
#define LEAST_OF_ONE_THREAD 1.7
#define MEMORY_BOUND 0.70 /* of memcpy's rate: above it, threads are not asked to help */

static const operation timed_operations[] = {OP_COMPRESS, OP_DECOMPRESS, OP_ADD};
enum { TIMED = sizeof timed_operations / sizeof *timed_operations };

/* Ratio over the baseline's, harmonic means over all fields. */
static const struct ratio_target {
  double bound, least;
} ratio_targets[] = {{1e-2, 1.35}, {1e-3, 1.28}, {1e-4, 1.22}, {1e-5, 1.17}};

/* The lowest of some figures, and the cell that it was found in. */
typedef struct low {
  double median, best;
  const cell *at;
} low;

static const low nothing = {NAN, NAN, NULL};

static void lower(low *l, double median, double best, const cell *at) {
  if (isnan(l->median) || median < l->median) {
    l->median = median;
    l->at = at;
  }
  if (isnan(l->best) || best < l->best)
    l->best = best;
}

/* `wanted` 0: the figure has no threshold. */
static void line(const char *what, const char *where, low l, double wanted) {
  printf("  %-38s %-33s %8.3f", what, where, l.median);
  if (isfinite(l.best))
    printf(" %8.3f", l.best);
  else
    printf(" %8s", "-");
  if (wanted > 0)
    printf(" %7.2f  %s", wanted, l.median >= wanted ? "PASS" : "MISS");
  else
    printf(" %7s  shown", "-");
  if (l.at)
    printf("  %s %.0e", l.at->pair->name, l.at->bound);
  printf("\n");
}

/* A figure that is not the lowest of several; `best` NAN: it is not a speed. */
static void single(const char *what, const char *where, double median, double best, double wanted) {
  line(what, where, (low){median, best, NULL}, wanted);
}

static int find(const results *r, const char *isa, int threads) {
  for (int i = 0; i < r->n_configs; i++)
    if (!strcmp(r->configs[i].isa, isa) && r->configs[i].threads == threads)
      return i;
  return -1;
}

static const cell *find_cell(const results *r, const char *name, double bound) {
  for (int i = 0; i < r->n_cells; i++)
    if (!strcmp(r->cells[i].pair->name, name) && fabs(r->cells[i].bound / bound - 1) < 1e-9)
      return &r->cells[i];
  return NULL;
}

/* ---- Speeds and ratios on the wave field ----------------------------------------------------------------- */

static void wave_targets(const results *r, double bound) {
  const cell *c = find_cell(r, WAVES, bound);
  int wide = find(r, "avx512", 1);
  char where[64];
  if (!c)
    return;
  snprintf(where, sizeof where, "%s %.0e", WAVES, bound);
  if (wide >= 0) {
    const speed *s = c->speeds[wide];
    double copies = s[OP_MEMCPY].best;
    single("compress / memcpy", where, s[OP_COMPRESS].of_memcpy, s[OP_COMPRESS].best / copies, 0);
    single("decompress / memcpy", where, s[OP_DECOMPRESS].of_memcpy, s[OP_DECOMPRESS].best / copies, 0);
    single("add / memcpy", where, s[OP_ADD].of_memcpy, s[OP_ADD].best / copies, 0);
    single("add / (decompress + add + compress)", where, s[OP_ADD].of_roundtrip,
           s[OP_ADD].best / s[OP_ROUNDTRIP].best, 0);
  }
  if (peer_name()) {
    single("ratio / zfp's 3-D at equal bound", where, c->own.ratio / c->zfp.equal_bound.ratio, NAN, 0);
    single("ratio / zfp's 3-D at equal PSNR", where, c->own.ratio / c->zfp.equal_psnr.ratio, NAN, 0);
  }
}

/* ---- Ratios over all fields --------------------------------------------------------------------------------
 */

static void ratio_lines(const results *r) {
  const options *o = r->options;
  for (size_t t = 0; t < sizeof ratio_targets / sizeof *ratio_targets; t++)
    for (int b = 0; b < o->n_bounds; b++) {
      double own = 0, baseline = 0;
      char what[64], where[64];
      if (fabs(o->bounds[b] / ratio_targets[t].bound - 1) > 1e-9)
        continue;
      for (int i = 0; i < r->n_ratios; i++) {
        own += 1 / r->ratios[i].own[b];
        baseline += 1 / r->ratios[i].baseline[b];
      }
      snprintf(what, sizeof what, "harmonic mean %.2f / order 1's %.2f", r->n_ratios / own,
               r->n_ratios / baseline);
      snprintf(where, sizeof where, "%d fields %.0e", r->n_ratios, o->bounds[b]);
      single(what, where, baseline / own, NAN, ratio_targets[t].least);
    }
}

/* ---- Instruction sets and threads
 * ---------------------------------------------------------------------------- */

/* The slowest speed relative to AVX-512, one thread, on one pair of fields; on all where `name` is NULL. */
static void isa_line(const results *r, int c, operation op, const char *name, double wanted) {
  low l = nothing;
  char what[64];
  for (int i = 0; i < r->n_cells; i++) {
    const cell *x = &r->cells[i];
    if (name && strcmp(x->pair->name, name) != 0)
      continue;
    lower(&l, x->speeds[c][op].of_avx512, x->speeds[c][op].best / x->speeds[r->configs[c].avx512][op].best, x);
  }
  snprintf(what, sizeof what, "%s / avx512, %s", r->configs[c].isa, operation_names[op]);
  if (l.at)
    line(what, name ? WAVES ", lowest" : "all fields and bounds, lowest", l, wanted);
}

static void isa_lines(const results *r, const char *isa, double wanted) {
  int c = find(r, isa, 1);
  if (c < 0 || r->configs[c].avx512 < 0)
    return;
  for (int k = 0; k < TIMED; k++) {
    isa_line(r, c, timed_operations[k], WAVES, wanted);
    isa_line(r, c, timed_operations[k], NULL, wanted);
  }
}

/* Two threads over one, where 1.7 times one thread would still be below 70 % of memcpy's two-thread rate. */
static void thread_line(const results *r, int one, int two, operation op) {
  low l = nothing;
  int asked = 0, met = 0;
  char what[64], where[64];
  for (int i = 0; i < r->n_cells; i++) {
    const cell *c = &r->cells[i];
    const speed *s = &c->speeds[two][op], *s1 = &c->speeds[one][op];
    if (LEAST_OF_ONE_THREAD * s1->median >= MEMORY_BOUND * c->speeds[two][OP_MEMCPY].median)
      continue;
    asked++;
    met += s->of_one_thread >= LEAST_OF_ONE_THREAD;
    lower(&l, s->of_one_thread, s->best / s1->best, c);
  }
  snprintf(what, sizeof what, "2 threads / 1, %s, %s", r->configs[one].isa, operation_names[op]);
  snprintf(where, sizeof where, "%d of %d below memcpy met, lowest", met, asked);
  if (asked)
    line(what, where, l, LEAST_OF_ONE_THREAD);
  else
    printf("  %-38s memory-bound everywhere: not asked\n", what);
}

static void thread_lines(const results *r, const char *isa) {
  int two = find(r, isa, 2), one = find(r, isa, 1);
  if (two < 0 || one < 0)
    return;
  for (int k = 0; k < TIMED; k++)
    thread_line(r, one, two, timed_operations[k]);
}

void report_targets(const results *r) {
  printf("\nTargets, one thread unless said. Judged by the median; beside it the same figure from the best "
         "speeds.\n"
         "  %-38s %-33s %8s %8s %7s\n",
         "what", "where", "median", "best", "wanted");
  wave_targets(r, 1e-3);
  wave_targets(r, 1e-4);
  ratio_lines(r);
  isa_lines(r, "avx2", LEAST_OF_AVX512_AVX2);
  isa_lines(r, "scalar", LEAST_OF_AVX512_SCALAR);
  for (int i = 0; i < r->options->n_isas; i++)
    thread_lines(r, r->options->isas[i]);
}
