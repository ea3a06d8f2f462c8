/* replay.c: a main for compilers without libFuzzer: runs a fuzzer on every file that it is given,
 * and those in folders; with -changes=N also on N changes of each, the same on every machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"
#include "inputs.h"
#include "mutate.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#pragma weak LLVMFuzzerCustomMutator

enum { GROWTH = 4096 };

static uint64_t state;
static int changes;

/* A few bytes changed, dropped or put in. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room) {
  for (uint64_t times = 1 + input_below(&state, 3); times > 0; times--) {
    size_t at = size ? (size_t)input_below(&state, size) : 0;
    uint64_t how = input_below(&state, 8);
    if (how == 0 && size > 1) {
      memmove(data + at, data + at + 1, --size - at);
    } else if ((how == 1 && size < room) || size == 0) {
      memmove(data + at + 1, data + at, size++ - at);
      data[at] = (uint8_t)input_random(&state);
    } else if (how < 5) {
      data[at] = (uint8_t)(data[at] ^ 1 << input_below(&state, 8));
    } else {
      data[at] = (uint8_t)(how == 5 ? input_random(&state) : how == 6 ? 0 : 255);
    }
  }
  return size;
}

/* Inputs end where their bytes end, so that a sanitizer sees every step beyond. */
static void run_bytes(const uint8_t *data, size_t size) {
  SCOPE;
  uint8_t *exact = scratch(size);
  if (size)
    memcpy(exact, data, size);
  LLVMFuzzerTestOneInput(exact, size);
}

static void run_changes(const char *path, const uint8_t *data, size_t size) {
  SCOPE;
  uint8_t *changed = scratch(size + GROWTH);
  for (int i = 0; i < changes; i++) {
    size_t length = size;
    memcpy(changed, data, size);
    state = 1000 * size + (uint64_t)i;
    for (int times = 0; times <= i % 4; times++)
      length = LLVMFuzzerCustomMutator
                   ? LLVMFuzzerCustomMutator(changed, length, size + GROWTH, (unsigned)input_random(&state))
                   : LLVMFuzzerMutate(changed, length, size + GROWTH);
    fprintf(stderr, "%s, change %d\n", path, i); /* so that a crash says of what */
    run_bytes(changed, length);
  }
}

static int run_file(const char *path, size_t size) {
  SCOPE;
  uint8_t *data = scratch(size);
  FILE *file = fopen(path, "rb");
  size_t got = file ? fread(data, 1, size, file) : 0;
  if (file)
    fclose(file);
  if (got != size) {
    fprintf(stderr, "%s cannot be read\n", path);
    exit(2);
  }
  fprintf(stderr, "%s\n", path);
  run_bytes(data, size);
  run_changes(path, data, size);
  return 1;
}

/* Returns how many files it ran. */
static int run(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) {
    perror(path);
    exit(2);
  }
  if (!S_ISDIR(status.st_mode))
    return run_file(path, (size_t)status.st_size);
  struct dirent **entries;
  int count = scandir(path, &entries, NULL, alphasort), files = 0;
  for (int i = 0; i < count; i++) {
    char inside[4096];
    snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.')
      files += run(inside);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  return files;
}

int main(int argc, char **argv) {
  int files = 0;
  for (int i = 1; i < argc; i++)
    if (strncmp(argv[i], "-changes=", 9) == 0)
      changes = atoi(argv[i] + 9);
    else
      files += run(argv[i]);
  printf("%d files\n", files);
  return files == 0;
}
