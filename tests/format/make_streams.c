/* make_streams.c: writes streams of every kind that FORMAT.md knows, what the library decompresses
 * them to, and messages that they are made of, for the second decoder to be compared with:
 * NAME.ghz, NAME.raw and NAME.0.msg, NAME.1.msg, ... in the directory given. */
#include "ghz.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_MAX = 20000 };

static ghz_context *context;
static const char *directory;
static uint64_t state = 1;
static int saved;

static void require(ghz_status status, const char *what) {
  if (status == GHZ_OK)
    return;
  fprintf(stderr, "%s: %s (%s)\n", what, ghz_status_text(status), ghz_context_message(context));
  exit(1);
}

static double uniform(void) { /* [-1, 1) */
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-52 - 1;
}

static void save(const char *name, const char *suffix, const void *data, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", directory, name, suffix);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
    perror(path);
    exit(1);
  }
}

/* A stream that owns its bytes. */
typedef struct stream {
  uint8_t *data;
  size_t size, capacity;
} stream;

static ghz_bytes bytes(const stream *s) { return (ghz_bytes){s->data, s->size}; }

static stream room_for(size_t n, ghz_type type, uint32_t terms) {
  stream s = {NULL, 0, ghz_size_bound(n, type, terms)};
  s.data = malloc(s.capacity);
  if (!s.data)
    exit(1);
  return s;
}

/* Writes the stream as messages: three pieces, some of them without tiles. */
static void keep_messages(const char *name, const stream *s, uint64_t tiles) {
  uint64_t cuts[4] = {0, tiles / 3, tiles - tiles / 4, tiles};
  for (int i = 0; i < 3; i++) {
    ghz_slice slice;
    char suffix[16];
    require(ghz_slice_view(bytes(s), cuts[i], cuts[i + 1] - cuts[i], &slice), name);
    size_t size = ghz_slice_size(&slice);
    uint8_t *message = malloc(size);
    require(ghz_slice_pack(&slice, message, size, &size), name);
    snprintf(suffix, sizeof suffix, "%d.msg", i);
    save(name, suffix, message, size);
    free(message);
  }
}

/* Writes the stream, its values and messages, and says what is in it. */
static void keep(const char *name, stream s) {
  ghz_info info;
  ghz_statistics st;
  require(ghz_info_read(bytes(&s), &info), name);
  require(ghz_scan(context, bytes(&s), &st), name);
  size_t size = (size_t)info.count * ghz_type_size(info.lattice.type);
  void *values = malloc(size + 1);
  require(ghz_decompress(context, bytes(&s), info.lattice.type, values, (size_t)info.count), name);
  save(name, "ghz", s.data, s.size);
  save(name, "raw", values, size);
  keep_messages(name, &s, info.tiles);
  printf(
      "%-22s terms %7u  tiles: empty %llu raw %llu special %llu  order %llu %llu %llu  mode %llu %llu %llu\n",
      name, info.terms, (unsigned long long)st.empty, (unsigned long long)st.raw,
      (unsigned long long)st.specials, (unsigned long long)st.order[0], (unsigned long long)st.order[1],
      (unsigned long long)st.order[2], (unsigned long long)st.mode[0], (unsigned long long)st.mode[1],
      (unsigned long long)st.mode[2]);
  free(values);
  free(s.data);
  saved++;
}

static stream compress(const ghz_lattice *l, int order, const double *x, size_t n) {
  static float narrow[LENGTH_MAX];
  stream s = room_for(n, l->type, 1);
  const void *values = x;
  if (l->type == GHZ_F32) {
    for (size_t i = 0; i < n; i++)
      narrow[i] = (float)x[i];
    values = narrow;
  }
  require(ghz_compress(context, l, order, values, n, s.data, s.capacity, &s.size), "compress");
  return s;
}

/* ---- Inputs: what stands in units of the step, from `scale` on ---- */
static void smooth(double *x, size_t n, double scale) {
  for (size_t i = 0; i < n; i++)
    x[i] = scale * sin((double)i * 0.01) + 0.3 * uniform();
}

static void noise(double *x, size_t n, double scale) {
  for (size_t i = 0; i < n; i++)
    x[i] = scale * uniform();
}

static void ramp(double *x, size_t n, double scale) {
  for (size_t i = 0; i < n; i++)
    x[i] = scale - scale * (double)i / (double)n;
}

static void sparse(double *x, size_t n, double scale) {
  for (size_t i = 0; i < n; i++)
    x[i] = i / 1024 % 3 == 0 && i % 7 == 0 ? scale * uniform() : 0;
}

static void land(double *x, size_t n, double scale) {
  for (size_t i = 0; i < n; i++) {
    x[i] = scale * cos((double)i * 0.003);
    if (i % 500 < 40)
      x[i] = NAN;
    if (i % 911 == 5)
      x[i] = i % 2 ? INFINITY : -INFINITY;
  }
}

static void nothing_finite(double *x, size_t n, double scale) {
  for (size_t i = 0; i < n; i++)
    x[i] = scale > 0 && i % 3 == 0 ? INFINITY : NAN;
}

typedef struct maker {
  const char *name;
  void (*fill)(double *x, size_t n, double scale);
} maker;

static const maker makers[] = {{"smooth", smooth}, {"noise", noise}, {"ramp", ramp},
                               {"sparse", sparse}, {"land", land},   {"none", nothing_finite}};
static const double scales[] = {0x1p3, 0x1.8p15, 0x1p20, 0x1p33, 0x1p42, 0x1p60}; /* coarse, ... , outside */
static const size_t lengths[] = {0, 1, 2, 7, 9, 100, 1000, 1024, 1025, 3000, 17409};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void scaled(double *x, size_t n, double factor) {
  for (size_t i = 0; i < n; i++)
    x[i] *= factor;
}

static ghz_lattice lattice_of(ghz_type type, double eb) {
  ghz_lattice l;
  require(ghz_lattice_make(type, (ghz_bound){GHZ_ABS, eb}, 0, 0, &l), "lattice");
  return l;
}

/* Every input at every magnitude, with lengths and orders in turn. */
static void fresh_streams(ghz_type type) {
  static double x[LENGTH_MAX];
  char name[64];
  unsigned turn = 0;
  for (size_t m = 0; m < COUNT(makers); m++)
    for (size_t s = 0; s < COUNT(scales); s++) {
      ghz_lattice l = lattice_of(type, 0.37);
      size_t n = m == 0 ? 3000 : lengths[turn % COUNT(lengths)];
      int order = (int)(turn % 4) - 1;
      turn++;
      makers[m].fill(x, n, scales[s]);
      scaled(x, n, l.step);
      snprintf(name, sizeof name, "f%d_%s_%zu", type == GHZ_F32 ? 32 : 64, makers[m].name, s);
      keep(name, compress(&l, order, x, n));
    }
  for (size_t i = 0; i < COUNT(lengths); i++) {
    ghz_lattice l = lattice_of(type, 1e-3);
    smooth(x, lengths[i], 200);
    scaled(x, lengths[i], l.step);
    snprintf(name, sizeof name, "f%d_length_%zu", type == GHZ_F32 ? 32 : 64, lengths[i]);
    keep(name, compress(&l, (int)(i % 4) - 1, x, lengths[i]));
  }
}

/* Sums of streams of different order and mode, and what scaling and extrema make. */
static void results(ghz_type type) {
  static double x[LENGTH_MAX];
  enum { OPERANDS = 6 };
  static const size_t n = 5000;
  stream s[OPERANDS];
  ghz_bytes b[OPERANDS];
  char name[64];
  const char *t = type == GHZ_F32 ? "f32" : "f64";
  ghz_lattice l = lattice_of(type, 0.01);
  for (int i = 0; i < OPERANDS; i++) {
    makers[i % 5].fill(x, n, scales[i % 4]);
    scaled(x, n, l.step);
    s[i] = compress(&l, i % 4 - 1, x, n);
    b[i] = bytes(&s[i]);
  }
  stream r = room_for(n, type, OPERANDS);
  snprintf(name, sizeof name, "%s_sum", t);
  require(ghz_sum(context, OPERANDS, b, r.data, r.capacity, &r.size), name);
  keep(name, r);
  r = room_for(n, type, OPERANDS);
  snprintf(name, sizeof name, "%s_mean", t);
  require(ghz_mean(context, OPERANDS, b, r.data, r.capacity, &r.size), name);
  keep(name, r);
  r = room_for(n, type, 8192);
  snprintf(name, sizeof name, "%s_combination", t);
  require(ghz_combine(context, 4, b, (int64_t[]){1000, -5001, 7, 0}, r.data, r.capacity, &r.size), name);
  keep(name, r);
  r = room_for(n, type, 2);
  snprintf(name, sizeof name, "%s_cancelled", t);
  require(ghz_subtract(context, b[2], b[2], r.data, r.capacity, &r.size), name);
  keep(name, r);
  r = room_for(n, type, 1);
  snprintf(name, sizeof name, "%s_scaled", t);
  require(ghz_scale(context, b[4], -1.0 / 3, r.data, r.capacity, &r.size), name);
  keep(name, r);
  r = room_for(n, type, 1);
  snprintf(name, sizeof name, "%s_maximum", t);
  require(ghz_maximum(context, b[0], b[4], r.data, r.capacity, &r.size), name);
  keep(name, r);
  r = room_for(n, type, 1);
  snprintf(name, sizeof name, "%s_no_terms", t);
  require(ghz_combine(context, 1, b, (int64_t[]){0}, r.data, r.capacity, &r.size), name);
  keep(name, r);
  for (int i = 0; i < OPERANDS; i++)
    free(s[i].data);
}

/* As many terms as there may be: integers beyond 2^53, widths beyond 56, anchors of 8 bytes. */
static void many_terms(ghz_type type) {
  static double x[2000];
  const char *t = type == GHZ_F32 ? "f32" : "f64";
  int64_t most = type == GHZ_F32 ? 8388607 : 16383;
  char name[64];
  ghz_lattice l = lattice_of(type, 0.01);
  for (int order = 0; order < 3; order++) {
    noise(x, COUNT(x), type == GHZ_F32 ? 0x1p35 : 0x1p44);
    scaled(x, COUNT(x), l.step);
    stream s = compress(&l, order, x, COUNT(x)), r = room_for(COUNT(x), type, (uint32_t)most);
    ghz_bytes b = bytes(&s);
    snprintf(name, sizeof name, "%s_terms_%d", t, order);
    require(ghz_combine(context, 1, &b, &most, r.data, r.capacity, &r.size), name);
    keep(name, r);
    free(s.data);
  }
}

/* Floats at the edges: bounds beyond the type, sums that overflow, NaN of many kinds in raw
 * tiles. */
static void edges(void) {
  float big[] = {3e38f, -3e38f, 1, -0.0f, 1e-42f, INFINITY, 0};
  uint32_t signalling = 0xff812345;
  uint8_t buffer[4096];
  stream s = {buffer, 0, sizeof buffer}, r;
  memcpy(&big[6], &signalling, 4);
  const double bounds[] = {1e-60, 1e-42, 1e-3, 1e36, 1e60};
  char name[64];
  for (size_t i = 0; i < COUNT(bounds); i++) {
    ghz_lattice l = lattice_of(GHZ_F32, bounds[i]);
    require(ghz_compress(context, &l, GHZ_ORDER_BEST, big, COUNT(big), s.data, s.capacity, &s.size), "edges");
    r = room_for(COUNT(big), GHZ_F32, 1);
    memcpy(r.data, s.data, s.size);
    r.size = s.size;
    snprintf(name, sizeof name, "f32_bound_%zu", i);
    keep(name, r);
    r = room_for(COUNT(big), GHZ_F32, 2);
    snprintf(name, sizeof name, "f32_bound_%zu_twice", i);
    require(ghz_add(context, bytes(&s), bytes(&s), r.data, r.capacity, &r.size), name);
    keep(name, r);
  }
  /* On the lattice, and twice too large for the type. */
  static float high[1024];
  for (size_t i = 0; i < COUNT(high); i++)
    high[i] = i % 2 ? -0x1.8p126f : 0x1.8p126f;
  ghz_lattice l = lattice_of(GHZ_F32, 1e34);
  static uint8_t large[8192];
  stream h = {large, 0, sizeof large};
  require(ghz_compress(context, &l, GHZ_ORDER_BEST, high, COUNT(high), h.data, h.capacity, &h.size),
          "overflow");
  r = room_for(COUNT(high), GHZ_F32, 4);
  ghz_bytes b = bytes(&h);
  require(ghz_combine(context, 1, &b, (int64_t[]){4}, r.data, r.capacity, &r.size), "overflow");
  keep("f32_overflow", r);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: make_streams DIRECTORY\n");
    return 2;
  }
  directory = argv[1];
  require(ghz_context_create(&context, 1), "context");
  for (int type = GHZ_F32; type <= GHZ_F64; type++) {
    fresh_streams((ghz_type)type);
    results((ghz_type)type);
    many_terms((ghz_type)type);
  }
  edges();
  ghz_context_free(context);
  printf("%d streams\n", saved);
  return 0;
}
