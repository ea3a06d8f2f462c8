/* streams.c: prints a checksum of what the library makes of some arrays, for comparing machines:
 * every line must be the same everywhere (law L3). Arguments are .ghz streams; a line tells what
 * each decompresses to.
 *
 * The arrays are made of integers and exact operations alone, so that they are the same everywhere
 * themselves. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/ghz.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40000, STREAM_MOST = 1 << 26 };

static uint64_t hash(const void *data, size_t size) { /* FNV-1a */
  const unsigned char *byte = data;
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    h = (h ^ byte[i]) * 0x100000001b3u;
  return h;
}

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* ---- Arrays ---- */
static double smooth(size_t i, uint64_t *state) {
  double t = (double)(i % 8192) / 4096 - 1;
  return t * t * t - t + (double)(next_random(state) >> 40) * 0x1p-40;
}

static double noise(size_t i, uint64_t *state) {
  (void)i;
  return (double)(int64_t)next_random(state) * 0x1p-60;
}

static double sparse(size_t i, uint64_t *state) { return i / 3000 % 2 ? noise(i, state) : 0; }

/* Any exponent, and NaN and infinities among them. */
static double wild(size_t i, uint64_t *state) {
  uint64_t bits = next_random(state);
  float f;
  uint32_t half = (uint32_t)(bits >> 32);
  memcpy(&f, &half, sizeof f);
  return bits % 16 ? (double)i * 0x1p-10 : (double)f;
}

static const struct {
  const char *name;
  double (*value)(size_t i, uint64_t *state);
} arrays[] = {{"smooth", smooth}, {"noise", noise}, {"sparse", sparse}, {"wild", wild}};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static void fill(int array, ghz_type type, uint64_t seed, void *x) {
  for (size_t i = 0; i < N; i++) {
    double value = arrays[array].value(i, &seed);
    if (type == GHZ_F32)
      ((float *)x)[i] = (float)value;
    else
      ((double *)x)[i] = value;
  }
}

/* ---- What is done with them ---- */
static ghz_context *ctx;
static unsigned char values[N * sizeof(double)];

static void must(ghz_status status, const char *what) {
  if (status == GHZ_OK)
    return;
  fprintf(stderr, "streams: %s: %s: %s\n", what, ghz_status_text(status), ctx ? ghz_context_message(ctx) : "");
  exit(1);
}

static void *room(size_t size) {
  void *p = malloc(size ? size : 1);
  if (!p)
    exit(2);
  return p;
}

static void print(const char *what, ghz_bytes stream) {
  ghz_info info;
  must(ghz_info_read(stream, &info), what);
  size_t size = (size_t)info.count * ghz_type_size(info.lattice.type);
  void *out = room(size);
  must(ghz_decompress(ctx, stream, info.lattice.type, out, (size_t)info.count), what);
  printf("%-32s %8zu bytes %016llx, values %016llx\n", what, stream.size,
         (unsigned long long)hash(stream.data, stream.size), (unsigned long long)hash(out, size));
  free(out);
}

/* Compresses two arrays, and prints a, b, a + b and 3a - 2b. */
static void try_array(int array, ghz_type type, const ghz_shape *shape, int order, ghz_bound bound) {
  static const int64_t coefficients[] = {3, -2};
  static const char *const kinds[] = {"abs", "rel", "psnr"};
  char name[64];
  ghz_lattice lattice;
  ghz_bytes in[2], out;
  size_t one = ghz_shape_bound(shape, type, 1), five = ghz_shape_bound(shape, type, 5);
  void *dst = room(five), *stream[2] = {room(one), room(one)};
  for (int i = 1; i >= 0; i--) {
    fill(array, type, (uint64_t)i + 1, values);
    if (i == 1) {
      const void *all = values;
      must(ghz_lattice_for(ctx, type, bound, NULL, 1, &all, N, &lattice), "lattice");
    }
    in[i].data = stream[i];
    must(ghz_compress_shape(ctx, &lattice, order, values, shape, stream[i], one, &in[i].size), "compress");
  }
  int length = snprintf(name, sizeof name, "%s f%d %dD order %d %s %g ", arrays[array].name,
                        type == GHZ_F32 ? 32 : 64, shape->dims, order, kinds[bound.kind], bound.value);
  print(strcat(name, "a"), in[0]);
  out.data = dst;
  must(ghz_add(ctx, in[0], in[1], dst, five, &out.size), name);
  name[length] = '\0';
  print(strcat(name, "a+b"), out);
  must(ghz_linear(ctx, 2, in, coefficients, 1, dst, five, &out.size), name);
  name[length] = '\0';
  print(strcat(name, "3a-2b"), out);
  free(dst);
  free(stream[0]);
  free(stream[1]);
}

static void try_file(const char *path) {
  static unsigned char data[STREAM_MOST];
  FILE *f = fopen(path, "rb");
  const char *slash = strrchr(path, '/');
  if (!f) {
    perror(path);
    exit(1);
  }
  print(slash ? slash + 1 : path, (ghz_bytes){data, fread(data, 1, sizeof data, f)});
  fclose(f);
}

int main(int argc, char **argv) {
  static const ghz_shape shapes[] = {{1, {1, 1, N}}, {2, {5, 80, 100}}, {3, {10, 40, 100}}};
  static const ghz_bound bounds[] = {{GHZ_ABS, 1e-3}, {GHZ_REL, 1e-5}, {GHZ_PSNR, 60}};
  must(ghz_context_create(&ctx, 0), "context");
  for (int array = 0; array < ARRAYS; array++)
    for (int type = GHZ_F32; type <= GHZ_F64; type++)
      for (int s = 0; s < 3; s++)
        for (int order = GHZ_ORDER_BEST; order <= 2; order++)
          for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
            try_array(array, (ghz_type)type, &shapes[s], order, bounds[b]);
  for (int i = 1; i < argc; i++)
    try_file(argv[i]);
  ghz_context_free(ctx);
  return 0;
}
