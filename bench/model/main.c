/* main.c: owns the options and the table of ghz_cost_model. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "../common/options.h"
#include "../common/support.h"
#include "cost.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "Usage: ghz_cost_model [OPTION...]\n"
    "A MODEL, no measurement: the time of an allreduce by the best algorithm, with and without compression,\n"
    "and the speed of links up to which compression gains. Speeds of the codec are GB/s of original bytes of\n"
    "one thread, as bench/codec measures them; pairs are those of one term and of a sum of 64 terms.\n\n";

static number_list ranks = {{16, 128, 1024, 4096}, 4}, sizes = {{64 << 20, 1 << 30}, 2};
static number_list gbits = {{100, 400}, 2}, threads = {{1, 4, 16}, 3};
static number_list add = {{52, 32}, 2}, decompress = {{14.2, 9.6}, 2}, ratio = {{13.3, 5.2}, 2};
static number_list call = {{0.5, 2, 0.8}, 3};
static double compress = 16.5, range = 16.3, plain_add = 8.5, latency = 2e-6;

static const option_row rows[] = {
    {"ranks", 0, &option_wholes, &ranks, "LIST", "2:1048576", "(16,128,1024,4096)"},
    {"sizes", 0, &option_sizes, &sizes, "LIST", "4096:1e13", "bytes per rank (64M,1G)"},
    {"gbits", 0, &option_numbers, &gbits, "LIST", NULL, "Gbit/s of every link (100,400)"},
    {"threads", 0, &option_numbers, &threads, "LIST", "1:1024",
     "speed-up of the codec by its threads (1,4,16)"},
    {"latency", 0, &option_number, &latency, "S", NULL, "seconds from rank to rank (2e-6)"},
    {"compress", 0, &option_number, &compress, "GB/S", NULL, "GB/s (16.5)"},
    {"range", 0, &option_number, &range, "GB/S", NULL, "the pass that finds the range (16.3)"},
    {"plain-add", 0, &option_number, &plain_add, "GB/S", NULL, "copying and adding uncompressed values (8.5)"},
    {"add", 0, &option_numbers, &add, "PAIR", NULL, "GB/s (52,32)"},
    {"decompress", 0, &option_numbers, &decompress, "PAIR", NULL, "GB/s (14.2,9.6)"},
    {"call", 0, &option_numbers, &call, "LIST", "0:1e6",
     "microseconds of a call beside its bytes: compress, add, decompress (0.5,2,0.8)"},
    {"ratio", 0, &option_numbers, &ratio, "PAIR", NULL, "of compression (13.3,5.2)"},
};

static codec codec_of(double speed_up) {
  return (codec){.compress = 1e9 * compress,
                 .range = 1e9 * range,
                 .plain_add = 1e9 * plain_add,
                 .add = {1e9 * add.x[0], 1e9 * add.x[1]},
                 .decompress = {1e9 * decompress.x[0], 1e9 * decompress.x[1]},
                 .ratio = {ratio.x[0], ratio.x[1]},
                 .call = {1e-6 * call.x[0], 1e-6 * call.x[1], 1e-6 * call.x[2]},
                 .threads = speed_up};
}

static void print_row(setting s) {
  algorithm plain = RING, compressed = RING;
  double without = best_seconds(&s, false, &plain), with = best_seconds(&s, true, &compressed);
  printf("%6.0f %7.0f %7g %7g   %-8s %9.3f   %-8s %9.3f %6.2f %10.1f\n", s.ranks, s.bytes / (double)MIB,
         s.bandwidth * 8e-9, s.codec.threads, algorithm_names[plain], 1e3 * without,
         algorithm_names[compressed], 1e3 * with, without / with, 8e-9 * break_even(&s));
}

int main(int argc, char **argv) {
  const command c = {"ghz_cost_model", usage, rows, sizeof rows / sizeof *rows, false};
  int operands, status = options_read(&c, argc, argv, &operands);
  if (status != OPTIONS_OK)
    return status;
  program_begin(c.name, NULL);
  if (operands < argc || add.n != 2 || decompress.n != 2 || ratio.n != 2 || call.n != 3)
    die("wrong arguments", "there are no operands, pairs are two numbers, --call has three");
  printf("MODEL of an allreduce: full bisection, latency %g s\n"
         "%6s %7s %7s %7s   %-8s %9s   %-8s %9s %6s %10s\n",
         latency, "ranks", "MiB", "Gbit/s", "threads", "plain", "ms", "compr.", "ms", "gain", "up to Gb/s");
  for (int t = 0; t < threads.n; t++)
    for (int g = 0; g < gbits.n; g++)
      for (int b = 0; b < sizes.n; b++)
        for (int r = 0; r < ranks.n; r++)
          print_row((setting){codec_of(threads.x[t]), ranks.x[r], sizes.x[b], gbits.x[g] / 8e-9, latency});
  return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
