/* dispatch.c: which instruction set the tile codec uses. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdlib.h>
#include <string.h>

#include "tile/tile.h"

int ghz_quick_bricks = 1;

#if defined(__x86_64__)
#include <cpuid.h>

/* clang 14 does not know this one by name. */
static int have_lzcnt(void) {
  unsigned a, b, c, d;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

static int have_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") && have_lzcnt();
}

static int have_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("gfni") && have_avx2();
}
#endif

static int always(void) {
  return 1;
}

/* Best first. */
static const struct {
  const tile_codec *codec;
  int (*have)(void);
} choices[] = {
#if defined(__x86_64__)
    {&ghz_tiles_avx512, have_avx512},
    {&ghz_tiles_avx2, have_avx2},
#elif defined(__aarch64__) && defined(__AARCH64EL__)
    {&ghz_tiles_neon, always},
#endif
    {&ghz_tiles_scalar, always},
};

const tile_codec *ghz_tiles_choose(void) {
  const char *asked = getenv("GHZ_ISA");
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    if (asked && *asked && strcmp(asked, choices[i].codec->name) != 0)
      continue;
    if (choices[i].have())
      return choices[i].codec;
  }
  return NULL;
}

isa_names ghz_tiles_names(void) {
  isa_names names = {""};
  for (size_t i = sizeof choices / sizeof *choices; i-- > 0;)
    if (choices[i].have()) {
      strcat(names.text, *names.text ? ", " : " ");
      strcat(names.text, choices[i].codec->name);
    }
  return names;
}
