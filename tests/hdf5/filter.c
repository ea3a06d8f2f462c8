/* filter.c: tests of the HDF5 filter, called as HDF5 calls it: what it makes of chunks that do not
 * compress, of padding, and of chunks and numbers that lie; what it says. (Values and metadata, by
 * h5py: plugins/python/tests/test_hdf5.py.) */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <hdf5/parameters.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inputs.h"

#define CHECK(condition)                                                                                       \
  ((condition) ? (void)0 : (printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(EXIT_FAILURE)))

enum { MANDATORY = 0, OPTIONAL = 1, REVERSE = 0x100 };

static struct filter_class { /* H5Z_class2_t */
  int version, id;
  unsigned encoder, decoder;
  const char *name;
  int (*can_apply)(int64_t, int64_t, int64_t), (*set_local)(int64_t, int64_t, int64_t);
  size_t (*filter)(unsigned flags, size_t n, const unsigned values[], size_t bytes, size_t *capacity,
                   void **buffer);
} filter;

/* A chunk of values, and the numbers that describe it. */
typedef struct subject {
  ghz_h5_parameters parameters;
  unsigned words[GHZ_H5_WORDS_MAX];
  size_t n, count, bytes;
  void *values;
} subject;

static subject subject_make(const char *input, ghz_type type, ghz_bound bound, unsigned rank,
                            const uint64_t *chunk) {
  subject s = {.parameters = {.bound = bound, .rank = rank, .type = type}, .count = 1};
  for (unsigned i = 0; i < rank; i++) {
    s.parameters.chunk[i] = chunk[i];
    s.count *= chunk[i];
  }
  s.bytes = s.count * ghz_type_size(type);
  s.values = malloc(s.bytes);
  const void *made = input_make(input_named(input), type, s.count, 0, 1);
  CHECK(s.values && made);
  memcpy(s.values, made, s.bytes);
  s.n = ghz_h5_write(&s.parameters, s.words);
  return s;
}

static subject wave(ghz_type type) {
  return subject_make("walk", type, (ghz_bound){GHZ_ABS, 0.4}, 3, (uint64_t[]){20, 30, 40});
}

typedef struct chunk {
  void *data;
  size_t size;
} chunk;

static chunk copy(const void *data, size_t size) {
  chunk c = {malloc(size ? size : 1), size};
  CHECK(c.data);
  memcpy(c.data, data, size);
  return c;
}

/* Runs the filter. Where it fails, nothing may have changed. */
static size_t run(const subject *s, unsigned flags, chunk *c) {
  const chunk before = copy(c->data, c->size);
  void *place = c->data;
  size_t capacity = c->size;
  const size_t size = filter.filter(flags, s->n, s->words, c->size, &capacity, &c->data);
  if (size == 0)
    CHECK(c->data == place && memcmp(before.data, place, before.size) == 0);
  else
    CHECK(capacity >= size);
  free(before.data);
  c->size = size;
  return size;
}

static chunk compressed(const subject *s, unsigned flags) {
  chunk c = copy(s->values, s->bytes);
  CHECK(run(s, flags, &c) > 0);
  return c;
}

/* ---- Chunks ---- */

/* A chunk that does not compress stays as it is, or grows by a byte for a tile and a header. */
static void test_noise(void) {
  subject s = subject_make("fine_noise", GHZ_F32, (ghz_bound){GHZ_ABS, 1e-30}, 1, (uint64_t[]){20000});
  chunk c = copy(s.values, s.bytes);
  CHECK(run(&s, OPTIONAL, &c) == 0);
  c.size = s.bytes;
  CHECK(run(&s, MANDATORY, &c) <= s.bytes + 20 + 200);
  free(c.data);
  free(s.values);
}

/* A stream as large as its values is no gain: the values stay. */
static void test_equal_size(void) {
  int met = 0;
  for (unsigned i = 0; i < 400; i++) {
    const ghz_bound bound = {GHZ_ABS, ldexp(1, -(int)(i % 20))};
    subject s = subject_make("walk", GHZ_F64, bound, 1, (uint64_t[]){5 + i / 20});
    chunk stream = compressed(&s, MANDATORY), c = copy(s.values, s.bytes);
    CHECK((run(&s, OPTIONAL, &c) == 0) == (stream.size >= s.bytes));
    met += stream.size == s.bytes;
    free(c.data);
    free(stream.data);
    free(s.values);
  }
  CHECK(met > 0);
}

/* The bound that a chunk of 270 to 280 has, of which `padding` fills the end. */
static double bound_with_padding(float padding, size_t padded, unsigned fill) {
  subject s = subject_make("walk", GHZ_F32, (ghz_bound){GHZ_REL, 1e-3}, 2, (uint64_t[]){100, 100});
  ghz_info info;
  for (size_t i = 0; i < s.count; i++)
    ((float *)s.values)[i] = i < s.count - padded ? 270 + (float)(i % 11) : padding;
  s.parameters.fill = fill;
  s.parameters.fill_value = -999;
  s.n = ghz_h5_write(&s.parameters, s.words);
  chunk c = compressed(&s, MANDATORY);
  CHECK(ghz_info_read((ghz_bytes){c.data, c.size}, &info) == GHZ_OK);
  free(c.data);
  free(s.values);
  return info.bound;
}

static void test_padding(void) {
  const double bound = bound_with_padding(0, 0, 0);
  CHECK(bound > 0.009 && bound <= 0.01);
  CHECK(bound_with_padding(0, 3000, 0) == bound);
  CHECK(bound_with_padding(0, 3000, GHZ_H5_FILL_FOUND) == bound);
  CHECK(bound_with_padding(-999, 3000, GHZ_H5_FILL_FOUND) == bound);
  CHECK(bound_with_padding(-999, 3000, GHZ_H5_FILL_GIVEN) == bound);
  CHECK(bound_with_padding(-999, 3000, 0) > 100 * bound);
}

/* ---- What is said on stderr ---- */

/* The lines that the filter writes of chunks of 20 to 30, some of which are something else. */
static size_t lines_of(const char *wanted, ghz_bound bound, float other, size_t every, unsigned fill) {
  subject s = subject_make("walk", GHZ_F32, bound, 2, (uint64_t[]){100, 100});
  FILE *said = tmpfile();
  const int kept = dup(STDERR_FILENO);
  char line[500];
  size_t lines = 0;
  CHECK(said && kept >= 0 && dup2(fileno(said), STDERR_FILENO) >= 0);
  for (size_t i = 0; i < s.count; i++)
    ((float *)s.values)[i] = i % every ? 20 + (float)(i % 11) : other;
  s.parameters.fill = fill;
  s.parameters.fill_value = (double)other;
  s.n = ghz_h5_write(&s.parameters, s.words);
  for (int again = 0; again < 3; again++) {
    chunk c = compressed(&s, MANDATORY);
    free(c.data);
  }
  CHECK(dup2(kept, STDERR_FILENO) >= 0 && close(kept) == 0);
  for (rewind(said); fgets(line, sizeof line, said); lines++)
    CHECK(strstr(line, wanted));
  fclose(said);
  free(s.values);
  return lines;
}

static void test_warnings(void) {
  const ghz_bound abs = {GHZ_ABS, 1e-2}, rel = {GHZ_REL, 1e-4};
  CHECK(lines_of("% of the values are -9999, a usual fill value: they set the range, and are added, as "
                 "numbers. Use ghz h5args --fill -9999\n",
                 abs, -9999, 7, 0) == 1);
  CHECK(lines_of("", abs, -9999, 7, 0) == 0); /* it was said */
  CHECK(lines_of("is larger than 100 % of the values other than 0, which come back as 0: their median "
                 "magnitude is 25; 14.3 % of the values are 1e+20",
                 rel, 1e20F, 7, 0) == 1);
  CHECK(lines_of("ghz, filter of HDF5: in a chunk the bound 100 is larger than ", (ghz_bound){GHZ_REL, 1e-5},
                 1e7F, 5000, 0) == 1);
  CHECK(lines_of("", rel, -9999, 7, GHZ_H5_FILL_FOUND) == 0);
  CHECK(lines_of("", rel, 1e20F, 7, GHZ_H5_FILL_GIVEN) == 0);
  CHECK(lines_of("", (ghz_bound){GHZ_ABS, 0.02}, 25, 7, 0) == 0);
}

/* ---- Lies ---- */

/* Whatever the filter makes of a chunk, it has the size that the numbers tell. */
static void decompress_lie(const subject *s, const void *data, size_t size) {
  chunk c = copy(data, size);
  ghz_h5_parameters p;
  ghz_shape shape;
  size_t bytes = 0;
  if (run(s, MANDATORY | REVERSE, &c) > 0) {
    CHECK(ghz_h5_read(s->n, s->words, &p) == NULL && ghz_h5_shape(&p, &shape, &bytes) == NULL);
    CHECK(c.size == bytes);
  }
  free(c.data);
}

static void test_damaged_chunks(void) {
  subject s = wave(GHZ_F32);
  chunk good = compressed(&s, MANDATORY);
  uint64_t state = 7;
  for (size_t size = 0; size < good.size; size += size < 300 ? 1 : 61) {
    chunk c = copy(good.data, size);
    CHECK(run(&s, MANDATORY | REVERSE, &c) == 0);
    free(c.data);
  }
  for (int i = 0; i < 4000; i++) {
    const size_t at = input_below(&state, i % 2 ? 120 : good.size);
    const unsigned char mask = (unsigned char)(1U << input_below(&state, 8));
    ((unsigned char *)good.data)[at] ^= mask;
    decompress_lie(&s, good.data, good.size);
    ((unsigned char *)good.data)[at] ^= mask;
  }
  decompress_lie(&s, "\x1f\x8b gzip, or whatever else", 26);
  decompress_lie(&s, s.values, s.bytes);
  free(good.data);
  free(s.values);
}

/* Streams that are whole, but not of this chunk. */
static void test_foreign_chunks(void) {
  const subject s = wave(GHZ_F32), other_type = wave(GHZ_F64);
  const subject other_shape =
      subject_make("walk", GHZ_F32, (ghz_bound){GHZ_ABS, 0.4}, 3, (uint64_t[]){30, 20, 40});
  const subject *const others[] = {&other_type, &other_shape};
  chunk narrow = compressed(&s, MANDATORY); /* its values would fit the wider type */
  CHECK(run(&other_type, MANDATORY | REVERSE, &narrow) == 0);
  free(narrow.data);
  for (size_t i = 0; i < 2; i++) {
    chunk c = compressed(others[i], MANDATORY);
    CHECK(run(&s, MANDATORY | REVERSE, &c) == 0);
    free(c.data);
    free(others[i]->values);
  }
  for (size_t bytes = 0; bytes < s.bytes; bytes += s.bytes / 7) { /* chunks of another size */
    chunk c = copy(s.values, bytes);
    CHECK(run(&s, MANDATORY, &c) == 0);
    free(c.data);
  }
  free(s.values);
}

static void test_lying_numbers(void) {
  static const unsigned lies[] = {0, 1, 2, 3, 255, 256, 512, 768, 0x7fffffff, 0x80000000, 0xffffffff};
  subject s = wave(GHZ_F64);
  chunk good = compressed(&s, MANDATORY);
  const subject told = s;
  for (s.n = 0; s.n < told.n; s.n++) {
    chunk c = copy(s.values, s.bytes);
    CHECK(run(&s, MANDATORY, &c) == 0);
    free(c.data);
    decompress_lie(&s, good.data, good.size);
  }
  for (size_t word = 0; word < told.n; word++)
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
      s = told;
      s.words[word] = lies[i];
      chunk c = copy(s.values, s.bytes);
      run(&s, MANDATORY, &c);
      free(c.data);
      decompress_lie(&s, good.data, good.size);
    }
  free(good.data);
  free(told.values);
}

/* ---- The process ---- */

static void read_and_write(const subject *s) {
  chunk c = compressed(s, MANDATORY);
  CHECK(run(s, MANDATORY | REVERSE, &c) == s->bytes);
  free(c.data);
}

#ifndef GHZ_SANITIZED
#define GHZ_SANITIZED 0
#endif

static volatile int working;

static void *work(void *s) {
  while (working)
    read_and_write(s);
  return NULL;
}

/* A child meets no lock and no threads of its parent. */
static void test_forks(void) {
  pthread_t threads[4];
  subject s = subject_make("walk", GHZ_F32, (ghz_bound){GHZ_ABS, 0.4}, 2, (uint64_t[]){64, 64}),
          large = subject_make("walk", GHZ_F32, (ghz_bound){GHZ_ABS, 0.4}, 2, (uint64_t[]){512, 512});
  CHECK(setenv("GHZ_THREADS", "2", 1) == 0);
  read_and_write(&large);
  working = 1;
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, work, &s) == 0);
  for (int i = 0; i < 200; i++) {
    int status;
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      read_and_write(&large);
      _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  }
  working = 0;
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  CHECK(unsetenv("GHZ_THREADS") == 0);
  free(s.values), free(large.values);
}

/* A chunk that was read and changed is compressed as any other if nothing is kept. */
static void test_keeping(void) {
  static const char *const kept[] = {"1", "0", "many", ""}; /* no number: 64 */
  for (int i = 0; i < 4; i++) {
    subject s = subject_make("zeros", GHZ_F32, (ghz_bound){GHZ_ABS, 0.01}, 3, (uint64_t[]){32, 32, 32});
    for (size_t at = 0; at < s.count; at++) /* smooth, so that the transform pays */
      ((float *)s.values)[at] = 10 * sinf((float)(at / 1024) / 9) * cosf((float)(at / 32 % 32 + at % 32) / 11);
    chunk c = compressed(&s, MANDATORY);
    CHECK(setenv("GHZ_KEEP_MIB", kept[i], 1) == 0);
    CHECK(run(&s, MANDATORY | REVERSE, &c) == s.bytes);
    ((float *)c.data)[5] += 1;
    memcpy(s.values, c.data, s.bytes);
    chunk again = compressed(&s, MANDATORY), plain;
    CHECK(setenv("GHZ_KEEP_MIB", "0", 1) == 0);
    free(compressed(&s, MANDATORY).data); /* what was kept is taken, put back, and dropped */
    plain = compressed(&s, MANDATORY);
    CHECK((again.size == plain.size && memcmp(again.data, plain.data, plain.size) == 0) == (i == 1));
    CHECK(unsetenv("GHZ_KEEP_MIB") == 0);
    free(c.data), free(again.data), free(plain.data), free(s.values);
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(plugin);
  int (*type)(void);
  const void *(*info)(void);
  *(void **)&type = dlsym(plugin, "H5PLget_plugin_type");
  *(void **)&info = dlsym(plugin, "H5PLget_plugin_info");
  CHECK(type && info && type() == 0);
  memcpy(&filter, info(), sizeof filter);
  CHECK(filter.version == 1 && filter.id == GHZ_H5_FILTER && filter.encoder && filter.decoder);
  CHECK(filter.can_apply(0, 0, 0) < 0 && filter.set_local(0, 0, 0) < 0); /* no HDF5 calls */
  test_noise();
  test_equal_size();
  test_padding();
  test_warnings();
  test_damaged_chunks();
  test_foreign_chunks();
  test_lying_numbers();
  test_keeping();
  if (!GHZ_SANITIZED) /* a sanitizer's own locks are met as other threads left them */
    test_forks();
  CHECK(dlclose(plugin) == 0);
  printf("the filter keeps what it promises\n");
  return EXIT_SUCCESS;
}
