/* model.c: ghz_scale_model: prints the formula's times for many ranks and fast networks, and where compression
 * pays. */
#include "formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MOST = 32 };

typedef struct list {
  double x[LIST_MOST];
  int n;
} list;

typedef struct question {
  list ranks, gbits, bytes, threads;
  double latency, piece, efficiency;
  bool break_even, absolute;
  parameters codec;
} question;

static const char usage[] =
    "usage: ghz_scale_model [NAME=VALUE...] PARAMETERS\n"
    "PARAMETERS is what ghz_scale_measure printed. Lists have commas; sizes may end in k, M or G.\n"
    "  ranks=4,8,...,4096     gbits=100,200,400   bytes=1M,16M,64M,256M,1G   threads=1,4,16 (of the codec, per "
    "rank)\n"
    "  latency=2e-6 (s)       piece=256k (what travels at a time; usually what the library does)\n"
    "  efficiency=1           speed-up of the codec / threads; bench/codec measures it\n"
    "  absolute=1             the bound is absolute: nobody has to find the range\n"
    "  faster=C,A,X           compress, combine, decompress so many times as fast as measured\n"
    "  break-even=1           instead of times, the bandwidth at which compression stops to pay\n";

static _Noreturn void die(const char *what, const char *why) {
  fprintf(stderr, "ghz_scale_model: %s: %s\n", what, why);
  exit(2);
}

/* A number with its suffix; moves *text behind it. */
static double number(const char **text, const char *name) {
  char *end;
  double value = strtod(*text, &end);
  const char *suffix = strchr("kMG", *end ? *end : ' ');
  if (end == *text || !(value > 0) || !isfinite(value))
    die(name, "not a number above 0");
  if (suffix)
    value *= *suffix == 'k' ? 1024.0 : *suffix == 'M' ? 1048576.0 : 1073741824.0;
  *text = end + (suffix != NULL);
  return value;
}

static list numbers(const char *text, const char *name, double least, double most) {
  list l = {.n = 0};
  for (;; text++) {
    double value = number(&text, name);
    if (l.n == LIST_MOST || value < least || value > most || (*text && *text != ','))
      die(name, "not a list of numbers in their range");
    l.x[l.n++] = value;
    if (!*text)
      return l;
  }
}

static void take(question *q, const char *argument, list *faster) {
  const char *value = strchr(argument, '=');
  char name[16] = "";
  if (value && (size_t)(value - argument) < sizeof name)
    memcpy(name, argument, (size_t)(value - argument));
  if (strcmp(name, "ranks") == 0)
    q->ranks = numbers(value + 1, name, 2, 1 << 20);
  else if (strcmp(name, "gbits") == 0)
    q->gbits = numbers(value + 1, name, 1e-3, 1e5);
  else if (strcmp(name, "bytes") == 0)
    q->bytes = numbers(value + 1, name, 4096, 1e13);
  else if (strcmp(name, "threads") == 0)
    q->threads = numbers(value + 1, name, 1, 1024);
  else if (strcmp(name, "latency") == 0)
    q->latency = numbers(value + 1, name, 1e-9, 1).x[0];
  else if (strcmp(name, "piece") == 0)
    q->piece = numbers(value + 1, name, 4096, 1e10).x[0];
  else if (strcmp(name, "efficiency") == 0)
    q->efficiency = numbers(value + 1, name, 0.01, 1).x[0];
  else if (strcmp(name, "break-even") == 0)
    q->break_even = strcmp(value + 1, "0") != 0;
  else if (strcmp(name, "absolute") == 0)
    q->absolute = strcmp(value + 1, "0") != 0;
  else if (strcmp(name, "faster") == 0)
    *faster = numbers(value + 1, name, 1e-3, 1e3);
  else
    die(argument, "no such argument");
}

static void read_arguments(question *q, int argc, char **argv) {
  list faster = {.n = 0};
  *q = (question){.latency = 2e-6, .efficiency = 1};
  q->ranks = numbers("4,8,16,32,64,128,256,512,1024,2048,4096", "ranks", 2, 1 << 20);
  q->gbits = numbers("100,200,400", "gbits", 1, 1e5);
  q->bytes = numbers("1M,4M,16M,64M,256M,1G", "bytes", 4096, 1e13);
  q->threads = numbers("1,4,16", "threads", 1, 1024);
  for (int i = 1; i < argc - 1; i++)
    take(q, argv[i], &faster);
  if (!parameters_read(&q->codec, argv[argc - 1]))
    exit(EXIT_FAILURE);
  q->codec.efficiency = q->efficiency;
  if (q->absolute)
    q->codec.scan = (cost){0, 0};
  if (faster.n != 0 && faster.n != 3)
    die("faster", "three numbers are needed");
  if (faster.n == 3)
    parameters_scale(&q->codec, faster.x[0], faster.x[1], faster.x[2]);
}

/* ---- Times ------------------------------------------------------------------------------------------- */

static void print_times(const question *q, const setting *s) {
  formula_algorithm which;
  double baseline = formula_uncompressed(s, &which);
  for (int a = RING; a < FORMULA_ALGORITHMS; a++)
    for (int m = PLAIN; m < FORMULA_MODES; m++) {
      estimate e = formula_allreduce(s, (formula_algorithm)a, (formula_mode)m);
      if (isfinite(e.seconds))
        printf("model,%.0f,%g,%g,%.0f,%g,%s,%s,%.6e,%.6e,%.4f,%.0f,%.6e,%.6e\n", s->ranks, s->bandwidth * 8e-9,
               s->latency, s->bytes, q->codec.threads, formula_algorithm_names[a], formula_mode_names[m],
               e.seconds, baseline, baseline / e.seconds, e.sent, e.network, e.codec);
    }
}

/* ---- Break-even -------------------------------------------------------------------------------------- */

static double gain(const setting *s, double bandwidth) {
  formula_algorithm which;
  setting at = *s;
  at.bandwidth = bandwidth;
  return formula_uncompressed(&at, &which) / formula_compressed(&at, &which);
}

/* The bandwidth above which the best compressed way is slower than the best uncompressed; 0: it always is.
 * Between 1 Mbit/s and 100 Tbit/s. */
static double break_even(const setting *s) {
  double low = 1.25e5, high = 1.25e13;
  if (gain(s, low) < 1)
    return 0;
  if (gain(s, high) > 1)
    return INFINITY;
  for (int i = 0; i < 60; i++) {
    double middle = sqrt(low * high);
    *(gain(s, middle) > 1 ? &low : &high) = middle;
  }
  return low;
}

/* The rule of thumb for large data: plain moves 2 (N - 1) / N D, the codec works 1/C + 1/A + 1/X per byte, all
 * of it overlapped. */
static void print_rule(const question *q, double ranks) {
  const parameters *p = &q->codec;
  double others = (ranks - 1) / ranks, b = q->piece > 0 ? q->piece : 1048576;
  double c = compress_seconds(p, b), a = combine_seconds(p, b, ranks), x = decompress_seconds(p, b, ranks);
  double f = scan_seconds(p, b), work = c + others * a + x + f, ratio = b / message_bytes(p, b, ranks);
  double limit = 8e-9 * 2 * others * b / work;
  printf(
      "# %.0f ranks, %g threads: compress %.1f, combine %.1f, decompress %.1f, range %.1f GB/s; sums at %.2f\n",
      ranks, p->threads, 1e-9 * b / c, 1e-9 * b / a, 1e-9 * b / x, f > 0 ? 1e-9 * b / f : 0, ratio);
  printf("#   large data gain below %.0f Gbit/s if all work is beside the network's, below %.0f if none is\n",
         limit, limit * (1 - 1 / ratio));
}

static void print_break_even(const question *q, const setting *s) {
  printf("%.0f,%g,%.0f,%g,%.2f\n", s->ranks, s->latency, s->bytes, q->codec.threads, break_even(s) * 8e-9);
}

/* ---- All combinations -------------------------------------------------------------------------------- */

static void for_sizes(const question *q, setting s) {
  for (int b = 0; b < q->bytes.n; b++) {
    s.bytes = q->bytes.x[b];
    if (q->break_even)
      print_break_even(q, &s);
    for (int g = 0; g < q->gbits.n && !q->break_even; g++) {
      s.bandwidth = q->gbits.x[g] / 8e-9;
      print_times(q, &s);
    }
  }
}

int main(int argc, char **argv) {
  static question q;
  if (argc < 2) {
    fputs(usage, stderr);
    return 2;
  }
  read_arguments(&q, argc, argv);
  puts(q.break_even
           ? "ranks,latency_s,bytes,threads,break_even_gbits"
           : "source,ranks,gbits,latency_s,bytes,threads,algorithm,mode,seconds,best_uncompressed_s,speedup,"
             "sent_bytes,network_s,codec_s");
  for (int t = 0; t < q.threads.n; t++)
    for (int r = 0; r < q.ranks.n; r++) {
      q.codec.threads = q.threads.x[t];
      if (q.break_even)
        print_rule(&q, q.ranks.x[r]);
      for_sizes(&q,
                (setting){.codec = &q.codec, .ranks = q.ranks.x[r], .latency = q.latency, .piece = q.piece});
    }
  return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
