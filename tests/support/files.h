/* files.h: files in memory for tests: written and read by calls that count, and fail when asked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "support.h"
#include <ghz/file.h>

typedef struct memory_file {
  uint8_t *data;
  size_t size, room;
  size_t position;     /* of reading one after the other */
  unsigned reads;      /* calls */
  uint64_t bytes;      /* that they gave */
  unsigned fails_from; /* this call, from 1, and all later ones fail; 0: none */
  unsigned calls;
} memory_file;

ghz_file_sink memory_sink(memory_file *m);
/* seekable: with read_at. */
ghz_file_source memory_source(memory_file *m, int seekable);
void memory_file_free(memory_file *m);
#define MEMORY_FILE(name) memory_file name __attribute__((cleanup(memory_file_free))) = {0}

/* Dimensions, slowest first, and what is written. */
typedef struct file_case {
  unsigned ndim;
  uint64_t dims[5];
  int fortran, flat;
  uint64_t frame_values; /* about */
  ghz_type type;
  int pack, fill;
} file_case;

extern const file_case file_cases[];
extern const size_t file_case_count;

ghz_file_header header_of(const file_case *c);

/* Values of a case: waves, and with a fill some of those; scratch memory. */
void *values_of(const file_case *c, uint64_t *count);

/* Writes a case, in pieces of varying lengths. */
void write_case(const file_case *c, ghz_context *ctx, memory_file *m);

/* The same values as all frames of a file give, one after the other; scratch memory. */
void *read_frames(memory_file *m, int seekable, ghz_context *ctx, ghz_status *status);

/* The same of a file that is sound. */
void *file_values(memory_file *m, ghz_context *ctx, const char *what);

/* Fails with the message of the thread. */
void worked(ghz_status status, const char *what);

ghz_file *opened(memory_file *m, int seekable);
