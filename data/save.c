/* save.c: owns the output: files that appear when they are complete, the manifest, messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, CHUNK = 16384 };

bool fail(const char *subject, const char *reason) {
  fprintf(stderr, "ghz-fields: %s: %s\n", subject, reason);
  return false;
}

void run_note(const run *r, const char *format, ...) {
  if (r->quiet)
    return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
}

float *floats_new(size_t count, const char *subject) {
  size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
  float *room = aligned_alloc(64, bytes);
  if (!room)
    fail(subject, "not enough memory for this size");
  return room;
}

size_t shape_count(shape dims) {
  return dims.size[0] * dims.size[1] * dims.size[2];
}

bool list_holds(const char *list, const char *name) {
  size_t length = strlen(name);
  while (*list) {
    size_t item = strcspn(list, ",");
    if (item == length && memcmp(list, name, length) == 0)
      return true;
    list += item + (list[item] == ',');
  }
  return false;
}

bool run_wants(const run *r, const char *name) {
  return !r->only || list_holds(r->only, name);
}

/* The bytes of a float, least significant first on every machine. */
static void encode(const float *values, size_t count, unsigned char *bytes) {
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    for (unsigned byte = 0; byte < 4; byte++)
      bytes[4 * i + byte] = (unsigned char)(bits >> (8 * byte));
  }
}

/* Returns 0, or an errno. */
static int write_values(FILE *file, const float *values, size_t count) {
  static unsigned char bytes[4 * CHUNK];
  for (size_t done = 0; done < count; done += CHUNK) {
    size_t now = count - done < CHUNK ? count - done : CHUNK;
    encode(values + done, now, bytes);
    errno = 0;
    if (fwrite(bytes, 4, now, file) != now)
      return errno != 0 ? errno : EIO;
  }
  return 0;
}

/* Writes `draft` and renames it to `path`. On failure removes the draft and prints a message about
 * `path`. */
static bool write_file(const char *draft, const char *path, const float *values, size_t count) {
  FILE *file = fopen(draft, "wb");
  if (!file)
    return fail(path, strerror(errno));
  int reason = write_values(file, values, count);
  if (fclose(file) != 0 && reason == 0)
    reason = errno;
  if (reason == 0 && rename(draft, path) != 0)
    reason = errno;
  if (reason == 0)
    return true;
  remove(draft);
  return fail(path, strerror(reason));
}

static bool print_manifest(const char *name, shape dims, const float *values) {
  size_t count = shape_count(dims);
  float low = values[0], high = values[0];
  for (size_t i = 1; i < count; i++) {
    low = values[i] < low ? values[i] : low;
    high = values[i] > high ? values[i] : high;
  }
  char text[80];
  int used = 0;
  for (int d = 0; d < 3; d++)
    if (used > 0 || dims.size[d] > 1 || d == 2)
      used += snprintf(text + used, sizeof text - (size_t)used, "%s%zu", used > 0 ? "x" : "", dims.size[d]);
  printf("%-12s %-12s %16.9g %16.9g\n", name, text, (double)low, (double)high);
  if (fflush(stdout) != 0)
    return fail("standard output", strerror(errno));
  return true;
}

uint64_t run_seed(const run *r, uint64_t usual) {
  return usual + 1000 * r->seed;
}

bool save_values(const char *folder, const char *name, const float *values, size_t count) {
  char path[PATH_ROOM], draft[PATH_ROOM];
  int length = snprintf(path, sizeof path, "%s/%s.f32", folder, name);
  int room = snprintf(draft, sizeof draft, "%s/.%s.f32.%ld", folder, name, (long)getpid());
  if (length < 0 || length >= PATH_ROOM || room < 0 || room >= PATH_ROOM)
    return fail(folder, "the path is too long");
  return write_file(draft, path, values, count);
}

bool run_save(const run *r, const char *name, shape dims, const float *values) {
  if (r->take)
    return r->take(r->taker, name, dims, values);
  return save_values(r->folder, name, values, shape_count(dims)) && print_manifest(name, dims, values);
}
