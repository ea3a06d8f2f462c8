/* recent.c: owns the streams of the chunks that were decompressed last. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "recent.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Of a chunk at most so many samples are kept, of eight values in a row each, spread evenly. */
enum { STREAMS_MAX = 256, SAMPLES_MAX = 64, SAMPLE = 8 };

struct recent_stream {
  recent_stream *older, *newer;
  ghz_bytes bytes;
  size_t count_of_numbers, samples, sample_bytes; /* these two of the chunk */
  uint8_t data[];                                 /* the numbers, then the samples */
};

static struct {
  pthread_mutex_t lock;
  recent_stream *newest, *oldest;
  size_t streams, bytes;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void) {
  pthread_mutex_lock(&memory.lock);
}

static void unlock(void) {
  pthread_mutex_unlock(&memory.lock);
}

/* A child of fork() has the list as no other thread was changing it, and the lock free. */
__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(lock, unlock, unlock);
}

/* How much is kept: the environment variable GHZ_KEEP_MIB, of the Python package as well. */
static size_t bytes_max(void) {
  const char *text = getenv("GHZ_KEEP_MIB");
  const int number = text && *text && !text[strspn(text, "0123456789")];
  const unsigned long long mib = number ? strtoull(text, NULL, 10) : 64;
  return mib > SIZE_MAX >> 20 ? SIZE_MAX : (size_t)mib << 20;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static size_t samples_of(const recent_chunk *c) {
  const size_t most = c->count / (4 * SAMPLE);
  return most > SAMPLES_MAX ? SAMPLES_MAX : most ? most : c->count >= SAMPLE;
}

/* Sample i, at a place of its share of the values that does not follow lines of the array. */
static const uint8_t *sample_at(const recent_chunk *c, size_t i) {
  /* Where there is a sample, there are values. NOLINTNEXTLINE(clang-analyzer-*) */
  const size_t share = c->count / samples_of(c), room = share - SAMPLE + 1;
  const size_t at = i * share + (size_t)(fmod((double)i * 0.6180339887, 1) * (double)room);
  return (const uint8_t *)c->values + at * ghz_type_size(c->type);
}

static int same_throughout(const uint8_t *sample, size_t each) {
  return memcmp(sample, sample + each, (SAMPLE - 1) * each) == 0;
}

/* Whether it says nothing: zeros, or what is missing. */
static int is_empty(const recent_chunk *c, const uint8_t *sample) {
  double v;
  float single;
  const size_t each = ghz_type_size(c->type);
  memcpy(&v, sample, each == 8 ? 8 : 4);
  memcpy(&single, sample, sizeof single);
  v = each == 8 ? v : (double)single;
  return same_throughout(sample, each) && (v == 0 || isnan(v) || (c->has_fill && v == c->fill));
}

/* How many samples of a stream's values stand in the chunk; 0 unless they make it likely that it is
 * the same: half of all, or one that is no constant. */
static size_t likeness(const recent_stream *s, const recent_chunk *c) {
  const size_t numbers = c->count_of_numbers * sizeof *c->numbers;
  size_t equal = 0, telling = 0, varied = 0;
  if (s->count_of_numbers != c->count_of_numbers || memcmp(s->data, c->numbers, numbers) != 0)
    return 0;
  for (size_t i = 0; i < s->samples; i++) {
    const uint8_t *was = s->data + numbers + i * s->sample_bytes;
    if (is_empty(c, was))
      continue;
    telling++;
    if (memcmp(was, sample_at(c, i), s->sample_bytes) != 0)
      continue;
    equal++;
    varied += !same_throughout(was, ghz_type_size(c->type));
  }
  return varied || 2 * equal >= telling ? equal : 0;
}

/* ---- The list -------------------------------------------------------------------------------- */

static void release(recent_stream *s) {
  if (s)
    free((void *)(uintptr_t)s->bytes.data);
  free(s);
}

/* Both with the lock. */
static void link_first(recent_stream *s) {
  s->newer = NULL;
  s->older = memory.newest;
  *(s->older ? &s->older->newer : &memory.oldest) = s;
  memory.newest = s;
  memory.streams++;
  memory.bytes += s->bytes.size;
}

static void take_out(recent_stream *s) { /* the list has one. NOLINTNEXTLINE(clang-analyzer-*) */
  *(s->newer ? &s->newer->older : &memory.newest) = s->older;
  *(s->older ? &s->older->newer : &memory.oldest) = s->newer;
  memory.streams--;
  memory.bytes -= s->bytes.size;
}

/* Puts it first, and takes off what is too much. */
static void put_first(recent_stream *s) {
  recent_stream *dropped = NULL;
  const size_t most = bytes_max();
  lock();
  link_first(s);
  while (memory.streams > STREAMS_MAX || memory.bytes > most) {
    recent_stream *last = memory.oldest;
    take_out(last);
    last->older = dropped;
    dropped = last;
  }
  unlock();
  while (dropped) {
    /* None is dropped twice. NOLINTNEXTLINE(clang-analyzer-*) */
    recent_stream *next = dropped->older;
    release(dropped);
    dropped = next;
  }
}

void ghz_recent_keep(const recent_chunk *c, void *stream, size_t size) {
  const size_t numbers = c->count_of_numbers * sizeof *c->numbers, samples = samples_of(c),
               each = SAMPLE * ghz_type_size(c->type);
  recent_stream *s = samples ? malloc(sizeof *s + numbers + samples * each) : NULL;
  if (!s) {
    free(stream);
    return;
  }
  *s = (recent_stream){.bytes = {stream, size},
                       .count_of_numbers = c->count_of_numbers,
                       .samples = samples,
                       .sample_bytes = each};
  memcpy(s->data, c->numbers, numbers);
  for (size_t i = 0; i < samples; i++)
    memcpy(s->data + numbers + i * each, sample_at(c, i), each);
  put_first(s);
}

recent_stream *ghz_recent_take(const recent_chunk *c) {
  recent_stream *best = NULL;
  size_t most = 0;
  lock();
  for (recent_stream *s = memory.newest; s; s = s->older) {
    const size_t like = likeness(s, c);
    best = like > most ? s : best;
    most = like > most ? like : most;
  }
  if (best)
    take_out(best);
  unlock();
  return best;
}

ghz_bytes ghz_recent_bytes(const recent_stream *s) {
  return s->bytes;
}

void ghz_recent_return(recent_stream *s) {
  if (s)
    put_first(s);
}

__attribute__((destructor)) static void forget(void) {
  for (recent_stream *s = memory.newest; s;) {
    recent_stream *next = s->older;
    release(s);
    s = next;
  }
  memory.newest = memory.oldest = NULL;
}
