/* cpu.c: owns the order of a run on the CPU: configurations, then pairs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

/* ---- Configurations -------------------------------------------------------------------------- */

/* The flat configuration with this instruction set and number of threads; -1 if there is none. */
static int find_config(const config *configs, int count, const char *isa, int threads) {
  for (int i = 0; i < count; i++)
    if (!strcmp(configs[i].isa, isa) && configs[i].threads == threads)
      return i;
  return -1;
}

/* Copies the flat configurations for fields with their shape. */
static int add_shaped(config *configs, int count) {
  for (int i = 0; i < count; i++) {
    config c = configs[i];
    c.form = SHAPED;
    c.flat = i;
    c.one_thread += c.one_thread < 0 ? 0 : count;
    c.avx512 += c.avx512 < 0 ? 0 : count;
    configs[count + i] = c;
  }
  return FORMS * count;
}

/* Makes configurations of every instruction set of this machine and every number of threads. */
static int make_configs(const options *o, config *configs) {
  int count = 0;
  for (int i = 0; i < o->isas.n; i++)
    for (int t = 0; t < o->threads.n; t++) {
      const int threads = (int)o->threads.x[t];
      ghz_context *ctx = isa_context(o->isas.word[i], threads);
      if (!ctx)
        continue;
      if (count == MAX_CONFIGS / FORMS)
        die("too many configurations", "--threads");
      configs[count++] = (config){.isa = o->isas.word[i], .threads = threads, .ctx = ctx, .flat = -1};
    }
  for (int i = 0; i < count; i++) {
    configs[i].one_thread = find_config(configs, count, configs[i].isa, 1);
    configs[i].avx512 = find_config(configs, count, "avx512", configs[i].threads);
  }
  return add_shaped(configs, count);
}

/* ---- The run --------------------------------------------------------------------------------- */

/* The checks of a cell; an error above 1 breaks the bound. */
static bool is_right(const cell *c) {
  bool right = c->same_bytes;
  for (int form = 0; form < c->n_forms; form++)
    right &= c->forms[form].own.error <= 1 && c->forms[form].sum_error <= 1;
  return right;
}

static void measure_pairs(results *r, pair *pairs, int n_pairs) {
  const options *o = r->options;
  for (int i = 0; i < n_pairs; i++) {
    pair_load(&pairs[i]);
    workspace *w = workspace_make(&pairs[i], o->quick);
    for (int b = 0; b < o->bounds.n; b++) {
      cell *c = &r->cells[r->n_cells++];
      measure_cell(w, o, r->configs, r->n_configs, o->bounds.x[b], c);
      cpu_report_cell(r, c);
      r->wrong |= !is_right(c);
    }
    workspace_free(w);
    pair_free(&pairs[i]);
  }
}

void cpu_run(const options *o, pair *pairs, int n_pairs) {
  static config configs[MAX_CONFIGS];
  results r = {.options = o, .configs = configs};
  r.n_configs = make_configs(o, configs);
  if (r.n_configs == 0)
    die("this machine has none of these instruction sets", "--isa");
  r.cells = touched((size_t)(n_pairs * o->bounds.n) * sizeof *r.cells);
  cpu_report_begin(&r);
  measure_pairs(&r, pairs, n_pairs);
  if (o->csv)
    cpu_report_csv(&r);
  for (int i = 0; i < r.n_configs / FORMS; i++)
    ghz_context_free(configs[i].ctx);
  free(r.cells);
  if (r.wrong)
    die("streams differ between configurations, or a bound was not kept", "see above");
}
