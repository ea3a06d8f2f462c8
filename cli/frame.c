/* frame.c: owns the container "GHZF": its header, frames, end, and every check of them. */
#include "frame.h"

#include <string.h>
#include <xxhash.h>

#include "bytes.h"
#include "library.h"
#include "report.h"

enum { VERSION = 1, FLAG_FORTRAN = 1, FLAG_NPY = 2 };
enum { HEADER_FIXED = 40, HEADER_MAX = HEADER_FIXED + 8 * SHAPE_MAX + 8, END_BYTES = 24 };
#define TERMS_MAX 8388607u      /* the most that a stream may sum: FORMAT.md */
#define TERMS_MAX_F64 16383u    /* for the default lattice of f64 */
#define PIECE ((size_t)1 << 22) /* first piece of a frame of unchecked length */

/* The seed is the number of the frame, so that frames which changed places are noticed; 0 for header and end. */
static void put_checksum(unsigned char *data, size_t size, uint64_t seed) {
  put_u64(data + size, XXH3_64bits_withSeed(data, size, seed));
}

static bool checksum_fits(const unsigned char *data, size_t size, uint64_t seed) {
  return get_u64(data + size) == XXH3_64bits_withSeed(data, size, seed);
}

/* ---- Frames in memory ---- */

bool frame_reserve(frame *f, size_t capacity, const char *name) {
  if (capacity == 0 || capacity > SIZE_MAX - 16)
    return fail(name, "the result would sum more terms than 62-bit integers hold");
  return buffer_reserve(&f->bytes, capacity + 16, name);
}

void *frame_stream(const frame *f) {
  return f->bytes.data + 8;
}

ghz_bytes frame_bytes(const frame *f) {
  return (ghz_bytes){frame_stream(f), f->size};
}

void frame_free(frame *f) {
  buffer_free(&f->bytes);
}

bool frame_inspect(frame *f, const char *name) {
  return library_ok(name, NULL, ghz_info_read(frame_bytes(f), &f->info));
}

/* ---- Header ---- */

static size_t encode_header(const frame_header *h, unsigned char *b) {
  memcpy(b, FRAME_MAGIC, 4);
  b[4] = VERSION;
  b[5] = (unsigned char)h->type;
  b[6] = (unsigned char)h->shape.ndim;
  b[7] = (unsigned char)((h->shape.fortran ? FLAG_FORTRAN : 0) | (h->shape.npy ? FLAG_NPY : 0));
  put_u64(b + 8, h->total);
  put_u64(b + 16, h->frame_values);
  put_f64(b + 24, h->step);
  put_f64(b + 32, h->eb);
  for (unsigned i = 0; i < h->shape.ndim; i++)
    put_u64(b + HEADER_FIXED + 8 * i, h->shape.dims[i]);
  size_t size = HEADER_FIXED + 8 * h->shape.ndim;
  put_checksum(b, size, 0);
  return size + 8;
}

static void decode_header(const unsigned char *b, frame_header *h) {
  *h = (frame_header){.type = b[5] ? GHZ_F64 : GHZ_F32,
                      .shape = {.ndim = b[6], .fortran = b[7] & FLAG_FORTRAN, .npy = b[7] & FLAG_NPY},
                      .total = get_u64(b + 8),
                      .frame_values = get_u64(b + 16),
                      .step = get_f64(b + 24),
                      .eb = get_f64(b + 32)};
  for (unsigned i = 0; i < h->shape.ndim; i++)
    h->shape.dims[i] = get_u64(b + HEADER_FIXED + 8 * i);
}

static bool check_header(const char *name, const frame_header *h) {
  uint64_t count;
  bool shaped = h->shape.ndim > 0 || h->shape.npy;
  if (h->frame_values == 0 || h->frame_values % GHZ_CHUNK || h->frame_values > FRAME_VALUES_MAX)
    return fail(name, "damaged header: %llu values per frame", (unsigned long long)h->frame_values);
  if (h->total != COUNT_UNKNOWN && h->total > COUNT_UNKNOWN / 16)
    return fail(name, "damaged header: %llu values", (unsigned long long)h->total);
  if (shaped && (!shape_count(&h->shape, &count) || count != h->total))
    return fail(name, "damaged header: the shape does not match the number of values");
  return true;
}

static bool read_header(frame_reader *r) {
  unsigned char b[HEADER_MAX];
  const char *name = r->file.name;
  size_t got, rest;
  if (!file_read(&r->file, b, 8, &got))
    return false;
  if (got == 0)
    return fail(name, "is empty");
  if (got < 4 || memcmp(b, FRAME_MAGIC, 4) != 0)
    return fail(name, "not a .ghz file");
  if (got < 8)
    return fail(name, "truncated: ends in the header");
  if (b[4] != VERSION)
    return fail(name, "version %u of the file format; this command reads version %d", b[4], VERSION);
  if (b[6] > SHAPE_MAX)
    return fail(name, "damaged header: %u dimensions", b[6]);
  if (b[5] > 1 || b[7] > (FLAG_FORTRAN | FLAG_NPY))
    return fail(name, "written by a newer version of ghz, or damaged: type %u, flags %u", b[5], b[7]);
  rest = (size_t)HEADER_FIXED - 8 + 8 * b[6] + 8;
  if (!file_read(&r->file, b + 8, rest, &got))
    return false;
  if (got < rest)
    return fail(name, "truncated: ends in the header");
  if (!checksum_fits(b, rest, 0))
    return fail(name, "damaged header: its checksum does not match");
  decode_header(b, &r->header);
  return check_header(name, &r->header);
}

/* Takes the number of values from the end of a regular file whose header lacks it, if the end is sound. */
static bool find_total(frame_reader *r) {
  file *f = &r->file;
  unsigned char b[END_BYTES];
  size_t got;
  if (r->header.total != COUNT_UNKNOWN || !f->seekable || f->size - f->position < END_BYTES)
    return true;
  uint64_t position = f->position;
  f->position = f->size - END_BYTES;
  if (!file_read(f, b, END_BYTES, &got))
    return false;
  f->position = position;
  if (got == END_BYTES && get_u64(b) == 0 && checksum_fits(b, 16, 0) && get_u64(b + 8) <= COUNT_UNKNOWN / 16)
    r->header.total = get_u64(b + 8);
  return true;
}

bool reader_adopt(frame_reader *r, const file *f) {
  *r = (frame_reader){.file = *f};
  if (read_header(r) && find_total(r))
    return true;
  reader_close(r);
  return false;
}

bool reader_open(frame_reader *r, const char *path) {
  file f;
  return file_open(&f, path) && reader_adopt(r, &f);
}

void reader_close(frame_reader *r) {
  file_close(&r->file);
}

/* ---- Reading frames ---- */

static bool truncated(const frame_reader *r) {
  return fail(r->file.name, "truncated: ends in frame %llu", (unsigned long long)r->frames);
}

/* Reads the end of the file, whose length field of 0 was read already. */
static bool read_end(frame_reader *r) {
  unsigned char b[END_BYTES] = {0}, next;
  const char *name = r->file.name;
  size_t got;
  if (!file_read(&r->file, b + 8, 16, &got))
    return false;
  if (got < 16)
    return fail(name, "truncated: ends in the last %d bytes", END_BYTES);
  if (!checksum_fits(b, 16, 0))
    return fail(name, "damaged: the checksum of the end does not match");
  uint64_t total = get_u64(b + 8);
  if (r->frames == 0 || total != r->values || (r->header.total != COUNT_UNKNOWN && r->header.total != total))
    return fail(name, "damaged: holds %llu values where %llu are announced", (unsigned long long)r->values,
                (unsigned long long)total);
  if (!file_peek(&r->file, &next, 1, &got))
    return false;
  return got == 0 || fail(name, "more bytes follow the end of the compressed data");
}

/* Reads the length of the next frame's stream; 0 at the end, which is then checked unless values were skipped.
 */
static bool read_length(frame_reader *r, uint64_t *length) {
  unsigned char b[8];
  size_t got;
  if (!file_read(&r->file, b, 8, &got))
    return false;
  if (got < 8)
    return truncated(r);
  *length = get_u64(b);
  if (*length == 0)
    return true;
  uint64_t most = ghz_size_bound((size_t)r->header.frame_values, r->header.type, TERMS_MAX);
  if (most == 0)
    most = ghz_size_bound((size_t)r->header.frame_values, r->header.type, TERMS_MAX_F64);
  if (*length > most || r->last)
    return fail(r->file.name, "damaged: the length of frame %llu is impossible", (unsigned long long)r->frames);
  if (r->file.seekable && *length + 8 > r->file.size - r->file.position)
    return truncated(r);
  return true;
}

/* Reads stream and checksum behind the length, in pieces that grow where the length cannot be checked. */
static bool read_body(frame_reader *r, frame *f, uint64_t length) {
  size_t want = (size_t)length + 8, have = 0;
  while (have < want) {
    size_t piece = r->file.seekable ? want : have > PIECE ? have : PIECE, got;
    if (piece > want - have)
      piece = want - have;
    if (!buffer_reserve(&f->bytes, 8 + have + piece, r->file.name) ||
        !file_read(&r->file, f->bytes.data + 8 + have, piece, &got))
      return false;
    if (got < piece)
      return truncated(r);
    have += piece;
  }
  f->size = (size_t)length;
  put_u64(f->bytes.data, length);
  if (!checksum_fits(f->bytes.data, f->size + 8, r->frames))
    return fail(r->file.name, "damaged: the checksum of frame %llu does not match",
                (unsigned long long)r->frames);
  return true;
}

static bool same_double(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

/* The values that the next frame must have, as far as that is known. */
static bool count_fits(const frame_reader *r, uint64_t count) {
  const frame_header *h = &r->header;
  if (h->total == COUNT_UNKNOWN)
    return count <= h->frame_values && (count > 0 || r->frames == 0);
  uint64_t left = h->total - r->values;
  return count == (left < h->frame_values ? left : h->frame_values);
}

static bool check_stream(const frame_reader *r, const frame *f) {
  const frame_header *h = &r->header;
  const ghz_lattice *lattice = &f->info.lattice;
  if (lattice->type != h->type || !same_double(lattice->step, h->step) || !same_double(lattice->eb, h->eb))
    return fail(r->file.name, "damaged: frame %llu differs from the header in type, step or bound",
                (unsigned long long)r->frames);
  if (!count_fits(r, f->info.count))
    return fail(r->file.name, "damaged: frame %llu has a wrong number of values",
                (unsigned long long)r->frames);
  return true;
}

static void advance(frame_reader *r, uint64_t count) {
  r->values += count;
  r->frames++;
  r->last = count < r->header.frame_values || r->values == r->header.total;
}

bool reader_next(frame_reader *r, frame *f, bool *more) {
  uint64_t length = 0;
  *more = false;
  if (r->ended)
    return true;
  if (!read_length(r, &length))
    return false;
  *more = length > 0;
  if (!*more)
    return r->ended = read_end(r);
  if (!read_body(r, f, length) || !frame_inspect(f, r->file.name) || !check_stream(r, f))
    return false;
  advance(r, f->info.count);
  return true;
}

bool reader_skip(frame_reader *r, bool *more) {
  uint64_t length = 0, got;
  if (!read_length(r, &length))
    return false;
  *more = length > 0;
  if (!*more)
    return true;
  if (!file_skip(&r->file, length + 8, &got))
    return false;
  if (got < length + 8)
    return truncated(r);
  uint64_t left = r->header.total - r->values;
  advance(r, left < r->header.frame_values ? left : r->header.frame_values);
  return true;
}

/* ---- Writing ---- */

bool writer_begin(frame_writer *w, output *out, const frame_header *header) {
  unsigned char b[HEADER_MAX];
  *w = (frame_writer){.out = out};
  return output_write(out, b, encode_header(header, b));
}

bool writer_frame(frame_writer *w, frame *f) {
  put_u64(f->bytes.data, f->size);
  put_checksum(f->bytes.data, f->size + 8, w->frames++);
  w->values += f->info.count;
  return output_write(w->out, f->bytes.data, f->size + 16);
}

bool writer_end(frame_writer *w) {
  unsigned char b[END_BYTES] = {0};
  put_u64(b + 8, w->values);
  put_checksum(b, 16, 0);
  return output_write(w->out, b, END_BYTES);
}
