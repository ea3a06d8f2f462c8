/* directory.h: the files of the current directory: remembered, compared, and made again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stddef.h>

enum { FILES_MAX = 64 };

typedef struct bytes {
  unsigned char *data;
  size_t size;
} bytes;

typedef struct item {
  char name[256];
  int is_link; /* the bytes are what it points to */
  bytes bytes;
} item;

typedef struct state {
  item items[FILES_MAX];
  int count;
} state;

/* Ends the program with errno's reason, unless `fine`. */
void must(int fine, const char *what);

/* All bytes from a descriptor or a file, to be freed. */
bytes read_descriptor(int fd);
bytes read_file(const char *path);
int same(bytes a, bytes b);

/* The regular files and symbolic links that there are. */
void take_state(state *s);
void free_state(state *s);

/* Whether both states hold that name with the same content, or neither holds it. */
int same_item(const state *a, const state *b, const char *name);

/* Whether ghz gives such names to files that are not finished; and how many there are. */
int is_temporary(const char *name);
int temporaries(const state *s);

/* Makes the directory, which is as `now`, as it was. */
void restore(const state *now, const state *before);
