/* measure.c: ghz_scale_measure: measures what the model needs to know of the codec on this machine and these
 * fields.
 *
 * Every call is timed on pieces of two sizes, walking over whole arrays as the collectives do; a line through
 * the two gives the cost per call and per byte. Term t of a sum is field t mod F, moved along by t / F times
 * the shift, so that terms resemble each other as neighbouring snapshots do.
 */
#include <ghz.h>

#include "parameters.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL = 16, LARGE = 256 /* tiles of a piece */, FIELDS_MOST = 16, REPEATS = 9, TERMS_MOST = 1024 };

/* A stream cut into messages. */
typedef struct messages {
  uint8_t *bytes;
  ghz_slice *slices;
} messages;

typedef struct bench {
  ghz_context *codec;
  ghz_lattice lattice;
  size_t n, room;
  float *fields[FIELDS_MOST];
  int count;
  float *term, *out;
  uint8_t *stream, *sum, *spare, *message;
  size_t stream_size, sum_size;
  messages term_messages, sum_messages;
} bench;

static _Noreturn void die(const char *what, const char *why) {
  fprintf(stderr, "ghz_scale_measure: %s: %s\n", what, why);
  exit(EXIT_FAILURE);
}

static void must(const bench *b, ghz_status status, const char *what) {
  if (status != GHZ_OK)
    die(what, b->codec ? ghz_context_message(b->codec) : ghz_status_text(status));
}

static void *room_for(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory)
    die("memory", "there is not enough");
  memset(memory, 1, bytes);
  return memory;
}

/* Processor time: the codec runs in this thread, and may not have the processor for itself. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Fields ------------------------------------------------------------------------------------------ */

static size_t file_values(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END) != 0)
    die(path, strerror(errno));
  long size = ftell(f);
  fclose(f);
  if (size < (long)(LARGE * GHZ_TILE * sizeof(float)) || size % (long)sizeof(float) != 0)
    die(path, "not a file of float32, or less than a large piece of them");
  return (size_t)size / sizeof(float);
}

static float *read_field(const char *path, size_t n) {
  float *x = room_for(n * sizeof *x);
  FILE *f = fopen(path, "rb");
  if (!f || fread(x, sizeof *x, n, f) != n)
    die(path, "cannot be read");
  fclose(f);
  return x;
}

static void make_term(bench *b, int number, size_t shift) {
  const float *x = b->fields[number % b->count];
  size_t moved = (size_t)(number / b->count) * shift % b->n;
  memcpy(b->term + moved, x, (b->n - moved) * sizeof *x);
  memcpy(b->term, x + b->n - moved, moved * sizeof *x);
}

/* The lattice of a bound relative to the range of all fields. */
static void make_lattice(bench *b, double bound) {
  double low = INFINITY, high = -INFINITY, min, max;
  for (int i = 0; i < b->count; i++) {
    must(b, ghz_range(b->codec, GHZ_F32, b->fields[i], b->n, &min, &max), "ghz_range");
    low = fmin(low, min);
    high = fmax(high, max);
  }
  must(b, ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_REL, bound}, low, high, &b->lattice), "bound");
}

/* ---- Timed calls on one piece ------------------------------------------------------------------------ */

typedef void (*call)(bench *b, uint64_t first, uint64_t tiles);

static void compress(bench *b, uint64_t first, uint64_t tiles) {
  ghz_slice s;
  must(b,
       ghz_slice_compress(b->codec, &b->lattice, GHZ_ORDER_BEST, b->term, b->n, first, tiles, b->message,
                          b->room, &s),
       "ghz_slice_compress");
}

/* As in a collective, what arrives is checked, and what is here was looked at before. */
static void parse(bench *b, const ghz_slice *sent, ghz_slice *s) {
  const uint8_t *message = (const uint8_t *)sent->sizes - GHZ_SLICE_HEADER;
  must(b, ghz_slice_parse((ghz_bytes){message, ghz_slice_size(sent)}, s), "ghz_slice_parse");
}

static void combine(bench *b, uint64_t first, uint64_t tiles) {
  ghz_slice s[2] = {b->term_messages.slices[first / tiles]}, sum;
  parse(b, &b->sum_messages.slices[first / tiles], &s[1]);
  must(b, ghz_slice_sum(b->codec, 2, s, b->message, b->room, &sum), "ghz_slice_sum");
}

static void decompress(bench *b, uint64_t first, uint64_t tiles) {
  ghz_slice s;
  parse(b, &b->sum_messages.slices[first / tiles], &s);
  must(b, ghz_slice_decompress(b->codec, &s, GHZ_F32, b->out + first * GHZ_TILE), "ghz_slice_decompress");
}

static void scan(bench *b, uint64_t first, uint64_t tiles) {
  double min, max;
  must(b, ghz_range(b->codec, GHZ_F32, b->term + first * GHZ_TILE, tiles * GHZ_TILE, &min, &max), "ghz_range");
}

static void operate(bench *b, uint64_t first, uint64_t tiles) {
  float *restrict to = b->out + first * GHZ_TILE;
  const float *restrict from = b->term + first * GHZ_TILE;
  for (size_t i = 0; i < tiles * GHZ_TILE; i++)
    to[i] += from[i];
}

static void copy(bench *b, uint64_t first, uint64_t tiles) {
  memcpy(b->out + first * GHZ_TILE, b->term + first * GHZ_TILE, tiles * GHZ_TILE * sizeof(float));
}

static void cut(bench *b, const uint8_t *stream, size_t size, uint64_t tiles, messages *m) {
  uint64_t pieces = b->n / GHZ_TILE / tiles;
  uint8_t *to = m->bytes;
  for (uint64_t i = 0; i < pieces; i++) {
    ghz_slice s;
    size_t bytes;
    must(b, ghz_slice_view((ghz_bytes){stream, size}, i * tiles, tiles, &s), "ghz_slice_view");
    must(b, ghz_slice_pack(&s, to, ghz_slice_size(&s), &bytes), "ghz_slice_pack");
    must(b, ghz_slice_parse((ghz_bytes){to, bytes}, &m->slices[i]), "ghz_slice_parse");
    to += bytes;
  }
}

/* Seconds of one call, the best of some walks through the array: other programs can only make it slower. */
static double seconds_of(bench *b, call what, uint64_t tiles) {
  double best = INFINITY;
  uint64_t pieces = b->n / GHZ_TILE / tiles;
  cut(b, b->stream, b->stream_size, tiles, &b->term_messages);
  cut(b, b->sum, b->sum_size, tiles, &b->sum_messages);
  for (int r = 0; r < REPEATS; r++) {
    double start = now();
    for (uint64_t i = 0; i < pieces; i++)
      what(b, i * tiles, tiles);
    best = fmin(best, (now() - start) / (double)pieces);
  }
  return best;
}

static cost cost_of(bench *b, call what) {
  const double bytes = GHZ_TILE * sizeof(float);
  double small = seconds_of(b, what, SMALL), large = seconds_of(b, what, LARGE);
  double per_byte = (large - small) / ((LARGE - SMALL) * bytes), least = large / (LARGE * bytes);
  if (!(per_byte > 0) || small < per_byte * SMALL * bytes) /* the fixed part is lost in the noise */
    return (cost){0, least};
  return (cost){small - per_byte * SMALL * bytes, per_byte};
}

/* ---- What is printed --------------------------------------------------------------------------------- */

static void print_cost(const char *name, cost c) {
  printf("%-10s %.4e %.4e  # %.2f GB/s\n", name, c.fixed, c.per_byte, 1e-9 / c.per_byte);
  fflush(stdout);
}

static terms_row row_of(bench *b, int terms) {
  return (terms_row){terms, 8 * (double)b->sum_size / (double)b->n, cost_of(b, combine),
                     cost_of(b, decompress)};
}

static void print_row(const terms_row *r) {
  printf("terms      %4.0f %8.5f  %.4e %.4e  %.4e %.4e  # ratio %.2f, combine %.2f, decompress %.2f GB/s\n",
         r->terms, r->bits, r->combine.fixed, r->combine.per_byte, r->decompress.fixed, r->decompress.per_byte,
         32 / r->bits, 1e-9 / r->combine.per_byte, 1e-9 / r->decompress.per_byte);
  fflush(stdout);
}

/* Adds a new term to the sum, or makes it the sum. */
static void next_term(bench *b, int number, size_t shift, bool alone) {
  make_term(b, number, shift);
  must(b,
       ghz_compress(b->codec, &b->lattice, GHZ_ORDER_BEST, b->term, b->n, b->stream, b->room, &b->stream_size),
       "ghz_compress");
  if (alone) {
    memcpy(b->sum, b->stream, b->stream_size);
    b->sum_size = b->stream_size;
    return;
  }
  size_t size;
  must(b,
       ghz_add(b->codec, (ghz_bytes){b->sum, b->sum_size}, (ghz_bytes){b->stream, b->stream_size}, b->spare,
               b->room, &size),
       "ghz_add");
  uint8_t *swap = b->sum;
  b->sum = b->spare;
  b->spare = swap;
  b->sum_size = size;
}

static void add_cost(cost *sum, cost c, double weight) {
  sum->fixed += weight * c.fixed;
  sum->per_byte += weight * c.per_byte;
}

/* Single fields: means over them, as a term of a sum may be any. */
static void measure_terms(bench *b) {
  cost pack = {0, 0};
  terms_row mean = {.terms = 1};
  double weight = 1.0 / b->count;
  for (int i = 0; i < b->count; i++) {
    next_term(b, i, 0, true);
    add_cost(&pack, cost_of(b, compress), weight);
    terms_row r = row_of(b, 1);
    mean.bits += weight * r.bits;
    add_cost(&mean.combine, r.combine, weight);
    add_cost(&mean.decompress, r.decompress, weight);
  }
  print_cost("compress", pack);
  print_row(&mean);
}

static void measure(bench *b, int most, size_t shift) {
  printf("# compress, combine and decompress: seconds per call, and per original byte\n"
         "# terms, bits per value of their sum; adding one to it; decompressing it\n");
  measure_terms(b);
  print_cost("operate", cost_of(b, operate));
  print_cost("copy", cost_of(b, copy));
  print_cost("scan", cost_of(b, scan));
  for (int terms = 1; terms <= most; terms++) {
    next_term(b, terms - 1, shift, terms == 1);
    if (terms > 1 && (terms & (terms - 1)) == 0) {
      terms_row r = row_of(b, terms);
      print_row(&r);
    }
  }
}

/* ---- Command line ------------------------------------------------------------------------------------ */

static const char usage[] = "usage: ghz_scale_measure BOUND TERMS SHIFT FILE.f32...\n"
                            "BOUND relative to the range of all files, TERMS at most 1024, SHIFT in values\n";

static double number(const char *text, double least, double most) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= least && value <= most))
    die(text, "not a number in its range");
  return value;
}

static void open_bench(bench *b, char **files, int count, double bound) {
  b->n = file_values(files[0]);
  for (b->count = 0; b->count < count; b->count++) {
    if (file_values(files[b->count]) != b->n)
      die(files[b->count], "another size than the first file");
    b->fields[b->count] = read_field(files[b->count], b->n);
  }
  must(b, ghz_context_create(&b->codec, 1), "context");
  make_lattice(b, bound);
  b->room = ghz_size_bound(b->n, GHZ_F32, 2 * TERMS_MOST);
  b->term = room_for(b->n * sizeof(float));
  b->out = room_for(b->n * sizeof(float));
  uint8_t **buffers[] = {&b->stream, &b->sum, &b->spare, &b->message};
  for (int i = 0; i < 4; i++)
    *buffers[i] = room_for(b->room);
  messages *cuts[] = {&b->term_messages, &b->sum_messages};
  for (int i = 0; i < 2; i++) {
    cuts[i]->bytes = room_for(b->room + b->n / GHZ_TILE / SMALL * GHZ_SLICE_HEADER);
    cuts[i]->slices = room_for(b->n / GHZ_TILE / SMALL * sizeof(ghz_slice));
  }
}

int main(int argc, char **argv) {
  static bench b;
  if (argc < 5 || argc - 4 > FIELDS_MOST) {
    fputs(usage, stderr);
    return 2;
  }
  double bound = number(argv[1], 1e-12, 0.5), most = number(argv[2], 1, TERMS_MOST),
         shift = number(argv[3], 0, 1e9);
  open_bench(&b, argv + 4, argc - 4, bound);
  printf("# measured on this machine, one thread, %s, library %s; bound %g of the range\n# fields, shift %.0f:",
         ghz_context_isa(b.codec), ghz_version(), bound, shift);
  for (int i = 4; i < argc; i++)
    printf(" %s", strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i]);
  printf("\n");
  measure(&b, (int)most, (size_t)shift);
  return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
