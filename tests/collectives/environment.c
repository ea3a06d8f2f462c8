/* environment.c: what the environment says is what is done where options leave it open; and texts
 * that are read.
 *
 * To be run with GHZ_MPI_BOUND=result:rel:1e-3, GHZ_MPI_ALGORITHM=ring, GHZ_MPI_MODE=homomorphic,
 * GHZ_MPI_THRESHOLD=1k, GHZ_MPI_THREADS=2, GHZ_MPI_EXTENTS=8x25x24,50x100,25x200; and with
 * GHZ_MPI_THRESHOLD=1k alone. The last rank alone has a locale with a comma for a point, where
 * there is one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"
#include "suite.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 5000 };

static float x[COUNT], y[COUNT];
static const ghz_mpi_options open_options = GHZ_MPI_OPTIONS; /* leave all to the environment */

static float given(int rank, int i) { return (float)(i % 777) + 1000 * (float)rank; }

/* A call of so many values, from x to y; a broadcast's are in x. */
static ghz_mpi_report call(collective what, ghz_mpi_options o, int count) {
  ghz_mpi_report report = {0};
  test_request r = request_of(what, x, what == BCAST ? x : y, count, MPI_FLOAT, MPI_COMM_WORLD);
  o.report = &report;
  check(request_make(&r, &o) == MPI_SUCCESS, "an error");
  return report;
}

static ghz_mpi_report allreduce(ghz_mpi_options o, int count) {
  for (int i = 0; i < COUNT; i++)
    x[i] = given(here.rank, i);
  const ghz_mpi_report report = call(ALLREDUCE, o, count);
  for (int i = 0; i < count; i++) {
    double want = (double)here.ranks * (i % 777) + 500.0 * here.ranks * (here.ranks - 1);
    if (!check((double)y[i] >= want - 2 * here.ranks && (double)y[i] <= want + 2 * here.ranks,
               "value %d is %g, should be %g", i, (double)y[i], want))
      break;
  }
  return report;
}

static void environment_is_used(void) {
  suite_case("the environment's choices");
  const ghz_mpi_report r = allreduce(open_options, COUNT);
  double range = 776 + 1000.0 * (here.ranks - 1), want = range * 1e-3 / here.ranks;
  check(r.algorithm == GHZ_MPI_RING, "algorithm %s", ghz_mpi_algorithm_name(r.algorithm));
  check(r.eb <= want && r.eb >= want * 0.999, "eb %g, should be %g", r.eb, want);
}

static void options_come_first(void) {
  ghz_mpi_options o = open_options;
  suite_case("options over the environment");
  o.bound = (ghz_bound){GHZ_ABS, 0.5};
  o.algorithm = GHZ_MPI_DOUBLING;
  const ghz_mpi_report r = allreduce(o, COUNT);
  check(r.algorithm == GHZ_MPI_DOUBLING, "algorithm %s", ghz_mpi_algorithm_name(r.algorithm));
  check(r.eb == 0.5, "eb %g: a bound in the options is per rank unless they say otherwise", r.eb);
}

static void no_options_at_all(void) {
  int differs = 0;
  suite_case("no options");
  check(ghz_allreduce(x, y, COUNT, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD, NULL) == MPI_SUCCESS, "an error");
  for (int i = 0; i < COUNT; i++)
    differs |= y[i] != given(here.ranks - 1, i);
  check(differs, "the result is exact, though the environment has a bound");
}

/* What the environment asks for and a collective lacks, it need not have. */
static void broadcasts(void) {
  ghz_mpi_options o = open_options;
  suite_case("broadcasts, where the environment says ring");
  for (o.keep_root = 0; o.keep_root < 2; o.keep_root++) {
    for (int i = 0; i < COUNT; i++)
      x[i] = (float)(i % 991) / 7;
    memcpy(y, x, sizeof y);
    const ghz_mpi_report r = call(BCAST, o, COUNT);
    check(r.algorithm == GHZ_MPI_TREE || r.algorithm == GHZ_MPI_CHAIN, "algorithm %s",
          ghz_mpi_algorithm_name(r.algorithm));
    check((memcmp(x, y, sizeof y) == 0) == (o.keep_root && here.rank == 0),
          "the root is not kept, or others have no bound");
  }
}

/* The first of the list that fits; the options come first. */
static void extents_are_used(int are_given) {
  static const ghz_shape shapes[] = {{0}, {1, {1, 1, COUNT}}, {2, {1, 50, 100}}, {2, {1, 25, 200}}};
  uint64_t bytes[4];
  suite_case("extents");
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)((i * 37 % 100 + 1000 * (i / 200)) % 999);
  for (int i = 0; i < 4; i++) {
    ghz_mpi_options o = open_options;
    o.shape = shapes[i];
    bytes[i] = call(ALLREDUCE, o, COUNT).sent_bytes;
  }
  check(bytes[1] != bytes[2] && bytes[2] != bytes[3] && bytes[3] != bytes[1],
        "shapes take as many bytes as each other");
  check(bytes[0] == bytes[are_given ? 2 : 1], "%llu bytes: flat %llu, by the environment %llu",
        (unsigned long long)bytes[0], (unsigned long long)bytes[1], (unsigned long long)bytes[2]);
}

/* Where the environment names an algorithm, nothing is left to a threshold. */
static void threshold(int counts) {
  ghz_mpi_options o = open_options;
  suite_case("the threshold");
  o.bound = (ghz_bound){GHZ_ABS, 0.5};
  const ghz_mpi_report small = allreduce(o, 255), large = allreduce(o, 256);
  check((small.algorithm == GHZ_MPI_NATIVE) == counts, "1020 bytes go by %s",
        ghz_mpi_algorithm_name(small.algorithm));
  check(large.algorithm != GHZ_MPI_NATIVE && large.eb == 0.5, "1024 bytes go by %s",
        ghz_mpi_algorithm_name(large.algorithm));
}

/* ---- Texts ---- */
static void parse(const char *text, int want, ghz_bound_kind kind, double value, int want_result) {
  ghz_bound b = {GHZ_PSNR, 123};
  int of_result = -7, got = ghz_mpi_parse_bound(text, &b, &of_result);
  text = text ? text : "(null)";
  check(got == want && b.kind == (want ? kind : GHZ_PSNR) && b.value == (want ? value : 123),
        "%s is taken for %d, %d:%g", text, got, (int)b.kind, b.value);
  check(of_result == (want && want_result ? 1 : -7), "%s: of_result %d", text, of_result);
}

static void parse_shape(const char *text, int want, ghz_shape shape) {
  ghz_shape s = {7, {7, 7, 7}}, is = want ? shape : s;
  int got = ghz_mpi_parse_extents(text, &s);
  text = text ? text : "(null)";
  check(got == want && s.dims == is.dims && memcmp(s.extent, is.extent, sizeof s.extent) == 0,
        "%s is taken for %d: %dD %llu %llu %llu", text, got, s.dims, (unsigned long long)s.extent[0],
        (unsigned long long)s.extent[1], (unsigned long long)s.extent[2]);
}

static void texts(void) {
  static const char
      bounds[] =
          "||abs|abs:|abs:0|abs:-1|abs:nan|abs:inf|abs:1e-3x|rel:|1e-3 | 1e-3|abs: 1|psnr:|result:|rel:1e999|"
          "-1e-3|0|nan|REL:1e-3|x:1e-3|result:abs:0|abs:rel:1|1e-3,5|result:result:1",
      extents[] =
          "||x|8x|x8|8x8x0|0|8X8|8 x8|8x 8| 8x8|8x8 |-8x8|8x-8|+8x8|8,8|8x8,8|8x8x|8x8xa|8.5x8|1e3x8|0x10|"
          "99999999999999999999x8|4294967296x4294967296x2|1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16";
  char text[64];
  suite_case("texts of bounds and of extents");
  for (const char *at = bounds; *at; at += strcspn(at + 1, "|") + 1) {
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at + 1, "|"), at + 1);
    parse(text, 0, GHZ_ABS, 0, 0);
  }
  for (const char *at = extents; *at; at += strcspn(at + 1, "|") + 1) {
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at + 1, "|"), at + 1);
    parse_shape(text, 0, ghz_flat(0));
  }
  parse(NULL, 0, GHZ_ABS, 0, 0);
  parse("abs:1e-3", 1, GHZ_ABS, 1e-3, 0);
  parse("rel:1e-4", 1, GHZ_REL, 1e-4, 0);
  parse("psnr:80", 1, GHZ_PSNR, 80, 0);
  parse("0.25", 1, GHZ_ABS, 0.25, 0);
  parse("result:rel:1e-4", 1, GHZ_REL, 1e-4, 1);
  parse("result:0.5", 1, GHZ_ABS, 0.5, 1);
  ghz_bound b;
  check(ghz_mpi_parse_bound("rel:1e-4", &b, NULL) == 1 && b.kind == GHZ_REL, "of_result may be NULL");
  parse_shape(NULL, 0, ghz_flat(0));
  parse_shape("256x128x64", 1, (ghz_shape){3, {256, 128, 64}});
  parse_shape("2x256x128x64", 1, (ghz_shape){3, {512, 128, 64}});
  parse_shape("512x512", 1, (ghz_shape){2, {1, 512, 512}});
  parse_shape("5x512x512", 1, (ghz_shape){2, {5, 512, 512}});
  parse_shape("1000", 1, ghz_flat(1000));
  parse_shape("10x3", 1, ghz_flat(30));
  parse_shape("1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16", 1, ghz_flat(16));
}

static void names(void) {
  suite_case("names");
  static const char *const algorithms[] = {"auto",    "mpi",  "ring",  "doubling",
                                           "halving", "tree", "chain", "linear"};
  static const char *const modes[] = {"auto", "homomorphic"};
  for (int i = 0; i < 8; i++)
    check(strcmp(ghz_mpi_algorithm_name((ghz_mpi_algorithm)i), algorithms[i]) == 0, "algorithm %d", i);
  for (int i = 0; i < 2; i++)
    check(strcmp(ghz_mpi_mode_name((ghz_mpi_mode)i), modes[i]) == 0, "mode %d", i);
  check(strcmp(ghz_mpi_algorithm_name((ghz_mpi_algorithm)8), "?") == 0, "algorithm 8");
  check(strcmp(ghz_mpi_algorithm_name((ghz_mpi_algorithm)-1), "?") == 0, "algorithm -1");
  check(strcmp(ghz_mpi_mode_name((ghz_mpi_mode)4), "?") == 0, "mode 4");
}

int main(int argc, char **argv) {
  suite_begin(argc, argv, MPI_THREAD_SINGLE);
  if (here.rank == here.ranks - 1 && !setlocale(LC_ALL, "de_DE.UTF-8"))
    puts("no locale with a comma");
  if (getenv("GHZ_MPI_ALGORITHM")) {
    environment_is_used();
    options_come_first();
    no_options_at_all();
    broadcasts();
    threshold(0);
    extents_are_used(1);
  } else
    threshold(1);
  texts();
  names();
  return suite_end(NULL);
}
