/* unload.c: the library is unloaded while a thread lives that called it without a context: the
 * thread ends in peace. usage: unload libghz.so */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <ghz/ghz.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

typedef ghz_status (*range_call)(ghz_context *ctx, ghz_type type, const void *x, size_t n, double *min,
                                 double *max);

static range_call range;
static sem_t called, unloaded;
static int failed;

static void *run(void *unused) {
  float x[3] = {1, 2, 3};
  double min, max;
  failed |= range(NULL, GHZ_F32, x, 3, &min, &max) != GHZ_OK || max != 3;
  sem_post(&called);
  sem_wait(&unloaded);
  return unused;
}

int main(int count, char **arguments) {
  pthread_t thread;
  void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "%s\n", count == 2 ? dlerror() : "usage: unload libghz.so");
    return 1;
  }
  *(void **)&range = dlsym(library, "ghz_range");
  sem_init(&called, 0, 0);
  sem_init(&unloaded, 0, 0);
  if (!range || pthread_create(&thread, NULL, run, NULL) != 0)
    return 1;
  sem_wait(&called);
  failed |= dlclose(library) != 0 || dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD) != NULL;
  sem_post(&unloaded);
  pthread_join(thread, NULL);
  return failed;
}
