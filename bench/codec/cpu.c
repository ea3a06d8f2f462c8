/* cpu.c: owns a run on the CPU: what is measured in turn, and the table of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"
#include "file/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MOST = LIST_MAX, SIZES_MOST = 12, LEAST_VALUES = 8, OPERATIONS_MOST = 5, QUALITIES = 6 };

#define SUBJECTS_MOST 64
#define MUCH ((size_t)32 << 20)  /* bytes: small fields are measured as they lie in the caches */
#define LITTLE ((size_t)2 << 20) /* some 400 us, in which other programs seldom come between */
#define CALL_BYTES 4096          /* what a call costs by itself, as bytes */

typedef struct suite {
  const char *unit;
  size_t sample; /* short operations repeat until a sample touched as much */
  const operation *operations[OPERATIONS_MOST];
} suite;

static const suite usual = {
    "GB/s of original values", MUCH, {&op_memcpy, &op_compress, &op_decompress, &op_add, &op_roundtrip}};
static const suite small = {"microseconds a call", LITTLE, {&op_compress, &op_decompress, &op_add}};
static const suite numbers = {
    "GB/s of original values", LITTLE, {&op_decompress, &op_loop, &op_moments, &op_loop_both, &op_difference}};
static const suite packing = {
    "GB/s of original values", LITTLE, {&op_compress, &op_decompress, &op_pack, &op_unpack}};

/* A run, and the subjects of a pair and bound: each worker with all operands at each level. */
typedef struct turns {
  const options *options;
  const suite *suite;
  int n_operations;
  FILE *csv;
  subject workers[WORKERS_MOST], subjects[SUBJECTS_MOST];
  operands operands[SIZES_MOST];
  quality quality[SIZES_MOST];
  double seconds[SUBJECTS_MOST][OPERATIONS_MOST][MAX_RUNS];
  int n_workers, n_subjects, n_operands;
  bool wrong; /* a stream differs, or an error is above 1 */
} turns;

/* ---- The table ------------------------------------------------------------------------------- */

static void begin_table(turns *t) {
  static const char *const names[QUALITIES] = {"ratio", "error", "psnr_dB", "sum_ratio", "sum_error", "gain"};
  char columns[300] = "field,shape,bound,isa,threads,level";
  printf(
      "libghz %s: %s, medians of %d rounds, in each of which everything runs once.\n"
      "Bounds are relative to the joint range of the pair, errors the largest, in bounds. An addition counts\n"
      "one operand; roundtrip is decompress + add + compress. gain: of packing at the level.\n\n"
      "%-32s %-14s %6s %-7s %3s %3s",
      ghz_version(), t->suite->unit, t->options->runs, "field", "shape", "bound", "isa", "thr", "lvl");
  for (int i = 0; i < QUALITIES + t->n_operations; i++) {
    const char *name = i < QUALITIES ? names[i] : t->suite->operations[i - QUALITIES]->name;
    printf(" %10s", name);
    snprintf(columns + strlen(columns), sizeof columns - strlen(columns), ",%s", name);
  }
  putchar('\n');
  t->csv = t->options->csv ? csv_open(t->options->csv, columns) : NULL;
}

static const char *shape_text(const ghz_shape *s, char text[64]) {
  int length = 0;
  for (int i = 0; i < 3; i++)
    if (length || i == 2 || s->extent[i] > 1)
      length += snprintf(text + length, 64 - (size_t)length, length ? "x%.0f" : "%.0f", (double)s->extent[i]);
  return text;
}

static double figure(const turns *t, int at, int op) {
  const suite *s = t->suite;
  double sorted[MAX_RUNS];
  memcpy(sorted, t->seconds[at][op], sizeof sorted);
  const double middle = median(sorted, t->options->runs) / s->operations[op]->operands;
  return s == &small ? 1e6 * middle : 1e-9 * (double)t->subjects[at].on->bytes / middle;
}

static void print_row(const turns *t, const pair *p, double bound, int at) {
  const subject *s = &t->subjects[at];
  const quality *q = &t->quality[s->on - t->operands];
  const double packed = (double)(s->frame[0].size + s->frame[1].size);
  double x[QUALITIES + OPERATIONS_MOST] = {
      q->ratio,     q->error,
      q->psnr,      q->sum_ratio,
      q->sum_error, s->level ? (double)(s->on->stream[0].size + s->on->stream[1].size) / packed : NAN};
  char shape[64];
  shape_text(&s->on->shape, shape);
  for (int op = 0; op < t->n_operations; op++)
    x[QUALITIES + op] = figure(t, at, op);
  printf("%-32s %-14s %6.0e %-7s %3d %3d", p->name, shape, bound, s->isa, s->threads, s->level);
  if (t->csv)
    fprintf(t->csv, "%s,%s,%g,%s,%d,%d", p->name, shape, bound, s->isa, s->threads, s->level);
  for (int i = 0; i < QUALITIES + t->n_operations; i++) {
    print_number(x[i], 11, 3);
    if (t->csv)
      csv_number(t->csv, x[i]);
  }
  putchar('\n');
  if (t->csv)
    fputc('\n', t->csv);
}

/* ---- Subjects -------------------------------------------------------------------------------- */

static void add_worker(turns *t, const char *isa, int threads) {
  ghz_context *ctx;
  setenv("GHZ_ISA", isa, 1);
  const ghz_status status = ghz_context_create(&ctx, threads);
  if (status == GHZ_EISA) /* this machine has no such set */
    return;
  must(status, "ghz_context_create", NULL);
  if (t->n_workers == WORKERS_MOST)
    die("too many configurations", "--threads");
  t->workers[t->n_workers++] = (subject){.isa = isa, .threads = threads, .ctx = ctx};
}

static void add_operands(turns *t, const pair *p, ghz_shape shape, double bound) {
  ghz_context *ctx = t->workers[0].ctx;
  operands *a = &t->operands[t->n_operands];
  *a = operands_make(ctx, p, shape, bound);
  const quality q = t->quality[t->n_operands++] = quality_of(ctx, a);
  t->wrong |= !(q.error <= 1 && q.sum_error <= 1);
}

static void add_subject(turns *t, const pair *p, const operands *on, const subject *worker, int level) {
  if (t->n_subjects == SUBJECTS_MOST)
    die("too many configurations", "--threads or --packing");
  subject *s = &t->subjects[t->n_subjects++];
  *s = *worker;
  s->on = on;
  s->level = level;
  subject_pack(s);
  if (!subject_agrees(s)) {
    fprintf(stderr, "codec: %s, %d threads: other streams of %s\n", s->isa, s->threads, p->name);
    t->wrong = true;
  }
}

static void make_subjects(turns *t, const pair *p, double bound) {
  const options *o = t->options;
  const ghz_shape shape = field_shape(&p->a);
  const int n_levels = t->suite == &packing ? o->levels.n : 1;
  t->n_operands = t->n_subjects = 0;
  for (size_t n = LEAST_VALUES; t->suite == &small && t->n_operands < SIZES_MOST && n <= p->a.n; n *= 2)
    add_operands(t, p, ghz_flat(n), bound);
  if (t->suite != &small)
    add_operands(t, p, ghz_flat(p->a.n), bound);
  if (t->suite != &small && shape.dims > 1)
    add_operands(t, p, shape, bound);
  for (int i = 0; i < t->n_operands; i++)
    for (int w = 0; w < t->n_workers; w++)
      for (int l = 0; l < n_levels; l++)
        add_subject(t, p, &t->operands[i], &t->workers[w], t->suite == &packing ? (int)o->levels.x[l] : 0);
}

static void free_subjects(turns *t) {
  for (int i = 0; i < t->n_subjects; i++)
    subject_free(&t->subjects[i]);
  for (int i = 0; i < t->n_operands; i++)
    operands_free(&t->operands[i]);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static double timed(const turns *t, const subject *s, const operation *op) {
  const size_t calls = t->options->quick ? 1 : 1 + t->suite->sample / (s->on->bytes + CALL_BYTES);
  const double start = clock_seconds();
  for (size_t i = 0; i < calls; i++)
    op->run(s);
  return (clock_seconds() - start) / (double)calls;
}

static int common_divisor(int a, int b) {
  return b ? common_divisor(b, a % b) : a;
}

/* All operations of all subjects. Start and stride change, so that no operation always finds the
 * caches as the same other one left them. */
static void play_round(turns *t, int round) {
  const int all = t->n_subjects * t->n_operations;
  int stride = 1 + round % all;
  while (common_divisor(stride, all) != 1)
    stride++;
  for (int i = 0; i < all; i++) {
    const int at = (round + i * stride) % all, s = at / t->n_operations, op = at % t->n_operations;
    t->seconds[s][op][round] = timed(t, &t->subjects[s], t->suite->operations[op]);
  }
}

static void measure_pair(turns *t, const pair *p, double bound) {
  make_subjects(t, p, bound);
  play_round(t, 0); /* warms up */
  for (int round = 0; round < t->options->runs; round++)
    play_round(t, round);
  for (int s = 0; s < t->n_subjects; s++)
    print_row(t, p, bound, s);
  fflush(stdout);
  free_subjects(t);
}

void cpu_run(const options *o, pair *pairs, int n_pairs) {
  static turns t;
  t.options = o;
  t.suite = o->small ? &small : o->numbers ? &numbers : o->levels.n ? &packing : &usual;
  while (t.n_operations < OPERATIONS_MOST && t.suite->operations[t.n_operations])
    t.n_operations++;
  for (int i = 0; i < o->isas.n; i++)
    for (int k = 0; k < (t.suite == &usual ? o->threads.n : 1); k++)
      add_worker(&t, o->isas.word[i], t.suite == &usual ? (int)o->threads.x[k] : 1);
  if (t.n_workers == 0)
    die("this machine has none of these instruction sets", "--isa");
  for (int i = 0; i < o->levels.n; i++)
    if (!ghz_pack_available((int)o->levels.x[i]))
      die("packing", "this build has no libzstd, by which level 1 packs");
  begin_table(&t);
  for (int i = 0; i < n_pairs; i++) {
    pair_load(&pairs[i]);
    for (int b = 0; b < o->bounds.n; b++)
      measure_pair(&t, &pairs[i], o->bounds.x[b]);
    pair_free(&pairs[i]);
  }
  for (int i = 0; i < t.n_workers; i++)
    ghz_context_free(t.workers[i].ctx);
  if (t.csv)
    csv_close(t.csv, o->csv);
  if (t.wrong)
    die("streams differ between configurations, or a bound was not kept", "see above");
}
