/* main.c: owns the command line of bench/codec. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec.h"

#include <stdlib.h>

enum { CPU, CUDA };

static const char usage[] =
    "Usage: codec [OPTION...] [FILE[:DIMS][+FILE[:DIMS]]]...\n"
    "Measures compress, decompress and add. On the CPU: beside memcpy, and decompress + add + compress.\n"
    "With --device cuda: beside copies from device to device, and four separate kernels.\n"
    "FILE is raw little-endian float32, DIMS its dimensions, slowest first (256x256x256). Two files joined\n"
    "by + are the operands of the addition; a single file is added to itself, rotated by half.\n"
    "On the CPU, fields of two or three dimensions are measured flat and with their shape.\n\n";

/* Sets what a quick run needs; options behind it change it. */
static bool read_quick(const option_row *row, char *text) {
  options *o = row->target;
  (void)text;
  o->quick = true;
  o->runs = 3;
  o->bounds = (number_list){{1e-3, 1e-4}, 2};
  o->sizes = (number_list){{16 * 1024, 40 * 1024}, 2};
  o->seconds = 1e-4;
  return true;
}

static const option_kind option_quick = {read_quick, ""};

static options o = {.bounds = {{1e-2, 1e-3, 1e-4, 1e-5}, 4},
                    .threads = {{1, 2}, 2},
                    .isas = {{"avx512", "avx2", "neon", "scalar"}, 4},
                    .runs = 11,
                    .sizes = {{1 << 20, 16 << 20, 512 << 20}, 3},
                    .seconds = 0.05};

static const option_row rows[] = {
    {"fields", 0, &option_words, &o.folders, "DIR,...", NULL,
     "take the default pairs whose files are in these folders"},
    {"bounds", 0, &option_numbers, &o.bounds, "LIST", NULL,
     "error bounds as fractions of the joint range (1e-2,1e-3,1e-4,1e-5)"},
    {"dims", 0, &option_text, &o.dims, "DIMS", NULL, "dimensions of the files without :DIMS (one: flat)"},
    {"csv", 0, &option_text, &o.csv, "FILE", NULL, "write every figure as comma-separated values"},
    {"device", 0, &option_choice, &o.device, "DEVICE", "cpu,cuda", "cpu or cuda (cpu)"},
    {"quick", 0, &option_quick, &o, NULL, NULL,
     "whether it works, not how fast: 3 rounds, two bounds; with cuda tiny arrays"},
    {"threads", 0, &option_wholes, &o.threads, "LIST", "1:1024", "cpu: numbers of threads (1,2)"},
    {"isa", 0, &option_words, &o.isas, "LIST", NULL,
     "cpu: instruction sets (avx512,avx2,neon,scalar); missing ones are left out"},
    {"small", 0, &option_flag, &o.small, NULL, NULL,
     "cpu: microseconds a call on arrays of 32 B to 64 KiB, one thread"},
    {"numbers", 0, &option_flag, &o.numbers, NULL, NULL,
     "cpu: sums and differences of streams, beside decompression and a loop, one thread"},
    {"packing", 0, &option_wholes, &o.levels, "LIST", "1:2",
     "cpu: what packing at these levels does to streams, one thread"},
    {"runs", 0, &option_whole, &o.runs, "N", "1:101", "cpu: rounds, each of which runs everything once (11)"},
    {"sizes", 0, &option_sizes, &o.sizes, "LIST", "1024:17179869184",
     "cuda: bytes of an operand's values (1M,16M,512M)"},
    {"type", 0, &option_choice, &o.type, "TYPE", "f32,f64", "cuda: f32 or f64, the same values widened (f32)"},
    {"seconds", 0, &option_number, &o.seconds, "S", NULL, "cuda: time for each measurement (0.05)"},
};

static int find_pairs(pair *pairs) {
  int n = pairs_find(&o, pairs);
  if (n == 0)
    die("no fields", "name files, or a folder with --fields; see --help");
  return n;
}

int main(int argc, char **argv) {
  static pair pairs[MAX_PAIRS];
  const command c = {"codec", usage, rows, sizeof rows / sizeof *rows, false};
  int operands, status = options_read(&c, argc, argv, &operands);
  if (status != OPTIONS_OK)
    return status;
  program_begin("codec", NULL);
  o.files = argv + operands;
  o.n_files = argc - operands;
  sort_values(o.sizes.x, o.sizes.n);
  int n = find_pairs(pairs);
  if (o.device == CPU)
    cpu_run(&o, pairs, n);
#ifdef GHZ_BENCH_CUDA
  else
    cuda_run(&o, pairs, n);
#else
  else
    die("no CUDA device", "bench/codec was built without CUDA");
#endif
  return EXIT_SUCCESS;
}
