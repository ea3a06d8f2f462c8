/* codec.c: the options of bench/codec, its configurations, and the order of the run. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: codec [options] [FILE[:DIMS][+FILE[:DIMS]]]...\n"
    "Measures compress, decompress and add beside memcpy, decompress + add + compress, and zfp.\n"
    "FILE is raw little-endian float32, DIMS its dimensions, slowest first (256x256x256). Two files joined\n"
    "by + are the operands of the addition; a single file is added to itself, rotated by half.\n\n"
    "  --fields DIR     the default pairs whose files are in DIR (repeatable)\n"
    "  --bounds LIST    error bounds as fractions of the joint range (1e-2,1e-3,1e-4,1e-5)\n"
    "  --threads LIST   numbers of threads (1,2)\n"
    "  --isa LIST       instruction sets (avx512,avx2,scalar); those that are not there are left out\n"
    "  --runs N         rounds, each of which runs everything once (11)\n"
    "  --zfp-runs N     rounds that zfp takes part in (3)\n"
    "  --csv FILE       writes every figure as comma-separated values\n"
    "  --quick          3 rounds, bounds 1e-3 and 1e-4\n";

/* ---- Options ----------------------------------------------------------------------------------------- */

/* Cuts a list at its commas, in place; items of the option `name`. */
static int cut(char *list, const char **items, int room, const char *name) {
  int count = 0;
  for (char *item = strtok(list, ","); item; item = strtok(NULL, ",")) {
    if (count == room)
      die("too many values for", name);
    items[count++] = item;
  }
  if (count == 0)
    die("no value for", name);
  return count;
}

static int whole(const char *text, int most, const char *name) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*end || value < 1 || value > most)
    die("out of range", name);
  return (int)value;
}

static void set_bounds(options *o, char *list) {
  const char *items[MAX_BOUNDS];
  o->n_bounds = cut(list, items, MAX_BOUNDS, "--bounds");
  for (int i = 0; i < o->n_bounds; i++) {
    char *end;
    o->bounds[i] = strtod(items[i], &end);
    if (*end || !(o->bounds[i] > 0))
      die("not a bound", items[i]);
  }
}

static void set_threads(options *o, char *list) {
  const char *items[MAX_THREADS];
  o->n_threads = cut(list, items, MAX_THREADS, "--threads");
  for (int i = 0; i < o->n_threads; i++)
    o->threads[i] = whole(items[i], 1024, "--threads");
}

static void set_option(options *o, const char *name, char *value) {
  if (!strcmp(name, "--fields") && o->n_dirs < MAX_DIRS)
    o->dirs[o->n_dirs++] = value;
  else if (!strcmp(name, "--bounds"))
    set_bounds(o, value);
  else if (!strcmp(name, "--threads"))
    set_threads(o, value);
  else if (!strcmp(name, "--isa"))
    o->n_isas = cut(value, o->isas, MAX_ISAS, name);
  else if (!strcmp(name, "--runs"))
    o->runs = whole(value, MAX_RUNS, name);
  else if (!strcmp(name, "--zfp-runs"))
    o->zfp_runs = whole(value, MAX_RUNS, name);
  else if (!strcmp(name, "--csv"))
    o->csv = value;
  else
    die("unknown option, or too many", name);
}

static options parse(int argc, char **argv) {
  options o = {.bounds = {1e-2, 1e-3, 1e-4, 1e-5},
               .n_bounds = 4,
               .threads = {1, 2},
               .n_threads = 2,
               .isas = {"avx512", "avx2", "scalar"},
               .n_isas = 3,
               .runs = 11,
               .zfp_runs = 3};
  int i = 1;
  for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
    if (!strcmp(argv[i], "--help")) {
      fputs(usage, stdout);
      exit(0);
    } else if (!strcmp(argv[i], "--quick")) {
      o.runs = 3;
      o.zfp_runs = 1;
      o.n_bounds = 2;
      o.bounds[0] = 1e-3;
      o.bounds[1] = 1e-4;
    } else if (i + 1 < argc) {
      set_option(&o, argv[i], argv[i + 1]);
      i++;
    } else {
      die("no value for", argv[i]);
    }
  }
  o.files = argv + i;
  o.n_files = argc - i;
  if (o.zfp_runs > o.runs)
    o.zfp_runs = o.runs;
  return o;
}

/* ---- Configurations ---------------------------------------------------------------------------------- */

/* The configuration with this instruction set and number of threads; -1 if there is none. */
static int find_config(const config *configs, int count, const char *isa, int threads) {
  for (int i = 0; i < count; i++)
    if (!strcmp(configs[i].isa, isa) && configs[i].threads == threads)
      return i;
  return -1;
}

/* Every instruction set that is there with every number of threads. */
static int make_configs(const options *o, config *configs) {
  int count = 0;
  for (int i = 0; i < o->n_isas; i++)
    for (int t = 0; t < o->n_threads; t++) {
      ghz_context *ctx;
      setenv("GHZ_ISA", o->isas[i], 1);
      ghz_status status = ghz_context_create(&ctx, o->threads[t]);
      if (status == GHZ_EISA)
        continue;
      if (status != GHZ_OK)
        die("ghz_context_create", ghz_status_text(status));
      configs[count++] = (config){.isa = o->isas[i], .threads = o->threads[t], .ctx = ctx};
    }
  for (int i = 0; i < count; i++) {
    configs[i].one_thread = find_config(configs, count, configs[i].isa, 1);
    configs[i].avx512 = find_config(configs, count, "avx512", configs[i].threads);
  }
  return count;
}

/* ---- Ratios of single fields ------------------------------------------------------------------------- */

static double ratio_of(ghz_context *ctx, const field *f, double bound, unsigned char *dst, size_t room,
                       double *baseline) {
  ghz_lattice lattice;
  double min, max;
  size_t size;
  if (ghz_range(ctx, GHZ_F32, f->x, f->n, &min, &max) != GHZ_OK ||
      ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, bound}, min, max, &lattice) != GHZ_OK ||
      ghz_compress(ctx, &lattice, GHZ_ORDER_BEST, f->x, f->n, dst, room, &size) != GHZ_OK)
    die("cannot compress", f->path);
  double bytes = (double)(f->n * sizeof(float));
  *baseline = bytes / (double)baseline_size(f->x, f->n, lattice.eb);
  return bytes / (double)size;
}

static void add_field(const options *o, ghz_context *ctx, const field *f, field_ratio *ratios, int *count) {
  for (int i = 0; i < *count; i++)
    if (!strcmp(ratios[i].field->path, f->path))
      return;
  field_ratio *r = &ratios[(*count)++];
  field loaded = *f;
  field_load(&loaded);
  size_t room = ghz_size_bound(f->n, GHZ_F32, 1);
  unsigned char *dst = touched(room);
  r->field = f;
  for (int i = 0; i < o->n_bounds; i++)
    r->own[i] = ratio_of(ctx, &loaded, o->bounds[i], dst, room, &r->baseline[i]);
  free(dst);
  field_free(&loaded);
}

/* Every file once, whatever pairs it is in. */
static int field_ratios(const options *o, ghz_context *ctx, const pair *pairs, int n_pairs,
                        field_ratio *ratios) {
  int count = 0;
  for (int i = 0; i < n_pairs; i++) {
    add_field(o, ctx, &pairs[i].a, ratios, &count);
    if (!pairs[i].rotated)
      add_field(o, ctx, &pairs[i].b, ratios, &count);
  }
  return count;
}

/* ---- The run ----------------------------------------------------------------------------------------- */

static void measure_pairs(results *r, pair *pairs, int n_pairs) {
  const options *o = r->options;
  for (int i = 0; i < n_pairs; i++) {
    pair_load(&pairs[i]);
    workspace *w = workspace_make(&pairs[i]);
    for (int b = 0; b < o->n_bounds; b++) {
      cell *c = &r->cells[r->n_cells++];
      measure(w, o, r->configs, r->n_configs, o->bounds[b], c);
      report_cell(r, c);
    }
    workspace_free(w);
    pair_free(&pairs[i]);
  }
}

int main(int argc, char **argv) {
  static pair pairs[MAX_PAIRS];
  static cell cells[MAX_PAIRS * MAX_BOUNDS];
  static field_ratio ratios[2 * MAX_PAIRS];
  config configs[MAX_CONFIGS];
  options o = parse(argc, argv);
  int n_pairs = pairs_find(&o, pairs);
  if (n_pairs == 0) {
    fputs(usage, stderr);
    die("no fields", "");
  }
  results r = {.options = &o, .configs = configs, .cells = cells, .ratios = ratios};
  r.n_configs = make_configs(&o, configs);
  if (r.n_configs == 0)
    die("none of these instruction sets is there", "--isa");
  report_head(&r);
  measure_pairs(&r, pairs, n_pairs);
  r.n_ratios = field_ratios(&o, configs[0].ctx, pairs, n_pairs, ratios);
  report_ratios(&r);
  report_disturbance();
  if (o.csv)
    report_csv(&r);
  for (int i = 0; i < r.n_configs; i++)
    ghz_context_free(configs[i].ctx);
  return 0;
}
