/* version.c: owns `ghz --version`: the version, what the build has, and what the machine gives. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "version.h"

#include <ghz/cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A part that a build may lack. */
typedef struct feature {
  const char *name;
  bool built;
} feature;

static void print_features(const char *title, bool built, const feature *f, size_t count) {
  const char *between = "";
  printf("%s ", title);
  for (size_t i = 0; i < count; i++)
    if (f[i].built == built) {
      printf("%s%s", between, f[i].name);
      between = ", ";
    }
  puts(*between ? "" : "nothing");
}

static void print_build(void) {
  const feature features[] = {{"OpenMP", GHZ_HAVE_OPENMP}, {"xxHash", true},        {"zstd", GHZ_HAVE_ZSTD},
                              {"libpng", GHZ_HAVE_PNG},    {"HDF5", GHZ_HAVE_HDF5}, {"CUDA", ghz_cuda_built()},
                              {"MPI", *GHZ_MPI_NAME != 0}};
  const size_t count = sizeof features / sizeof *features;
  print_features("built with:", true, features, count);
  print_features("built without:", false, features, count);
  if (*GHZ_MPI_NAME)
    printf("collectives: for %s\n", GHZ_MPI_NAME);
}

/* The name of the instruction set that GHZ_ISA leaves; "" if there is none. */
static const char *chosen(void) {
  ghz_context *ctx;
  const char *name = "";
  if (ghz_context_create(&ctx, 0) == GHZ_OK)
    name = ghz_context_isa(ctx);
  ghz_context_free(ctx);
  return name;
}

static void print_machine(void) {
  static const char *const names[] = {"scalar", "avx2", "avx512", "neon"};
  const char *now = chosen();
  if (*now)
    printf("instruction set: %s, of", now);
  else
    printf("instruction set: none (%s), of", ghz_context_message(NULL));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    setenv("GHZ_ISA", names[i], 1);
    if (*chosen())
      printf(" %s", names[i]);
  }
  unsetenv("GHZ_ISA");
  ghz_context *ctx;
  if (ghz_context_create(&ctx, 0) == GHZ_OK)
    printf("\nthreads: %d\n", ghz_context_threads(ctx));
  ghz_context_free(ctx);
}

void version_print(void) {
  printf("ghz %s\n", ghz_version());
  print_build();
  print_machine();
}
