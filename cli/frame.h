/* frame.h: the container of compressed files: a header, frames with a checksum each, an end.
 * docs/FILE_FORMAT.md has its bytes. */
#ifndef GHZ_CLI_FRAME_H
#define GHZ_CLI_FRAME_H

#include <ghz.h>

#include "buffer.h"
#include "file.h"
#include "input.h"
#include "output.h"
#include "shape.h"

#define FRAME_MAGIC "GHZF"
#define FRAME_BYTES ((uint64_t)64 << 20)     /* of input in a frame, unless the user says otherwise */
#define FRAME_VALUES_MAX ((uint64_t)1 << 26) /* values of a frame, at most: bounds every reader's memory */

/* What the header of a file says. */
typedef struct frame_header {
  ghz_type type;
  shape shape;
  uint64_t total;        /* values, or COUNT_UNKNOWN */
  uint64_t frame_values; /* values per frame; the last may have fewer */
  double step, eb;
} frame_header;

/* A frame in memory, with its length before and its checksum after the stream. */
typedef struct frame {
  buffer bytes;
  size_t size; /* of the stream */
  ghz_info info;
} frame;

/* Makes room for a stream of `capacity` bytes; frame_stream is where it goes. */
bool frame_reserve(frame *f, size_t capacity, const char *name);
void *frame_stream(const frame *f);
ghz_bytes frame_bytes(const frame *f);
void frame_free(frame *f);

/* Reads the header of a stream that was just made into info. */
bool frame_inspect(frame *f, const char *name);

typedef struct frame_reader {
  file file;
  frame_header header; /* total is known from the start if the file is regular and whole */
  uint64_t frames;     /* read or skipped so far */
  uint64_t values;     /* in them */
  bool last;           /* the last frame was short, so no other may follow */
  bool ended;          /* the end was read */
} frame_reader;

/* Opens a compressed file and reads its header. Calls that return false have printed why. */
bool reader_open(frame_reader *r, const char *path);

/* The same for a file that is open already, and is closed if this fails. */
bool reader_adopt(frame_reader *r, const file *f);

/* Reads and checks the next frame. *more is false at the end of the file, which is checked too. */
bool reader_next(frame_reader *r, frame *f, bool *more);

/* Passes over the next frame, which must not be the last that is needed. */
bool reader_skip(frame_reader *r, bool *more);

void reader_close(frame_reader *r);

typedef struct frame_writer {
  output *out;
  uint64_t values;
  uint64_t frames;
} frame_writer;

bool writer_begin(frame_writer *w, output *out, const frame_header *header);

/* Writes a frame, whose stream and size are set. */
bool writer_frame(frame_writer *w, frame *f);

bool writer_end(frame_writer *w);

#endif
