/* directory.c: owns the state of a small directory, in memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "directory.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void must(int fine, const char *what) {
  if (fine)
    return;
  perror(what);
  exit(2);
}

/* ---- Bytes ---- */
int same(bytes a, bytes b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

bytes read_descriptor(int fd) {
  bytes all = {malloc(65536), 0};
  size_t room = 65536;
  for (ssize_t n = 1; n > 0; all.size += (size_t)n) {
    if (all.size == room)
      all.data = realloc(all.data, room *= 2);
    must(all.data != NULL, "memory");
    n = read(fd, all.data + all.size, room - all.size);
    must(n >= 0, "read");
  }
  return all;
}

bytes read_file(const char *path) {
  int fd = open(path, O_RDONLY);
  must(fd >= 0, path);
  bytes all = read_descriptor(fd);
  close(fd);
  return all;
}

/* ---- The directory ---- */
static void take_item(state *s, const char *name) {
  char target[PATH_MAX];
  struct stat status;
  must(lstat(name, &status) == 0 && s->count < FILES_MAX, name);
  if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
    return;
  item *i = &s->items[s->count++];
  snprintf(i->name, sizeof i->name, "%s", name);
  i->is_link = S_ISLNK(status.st_mode);
  if (!i->is_link) {
    i->bytes = read_file(name);
    return;
  }
  ssize_t n = readlink(name, target, sizeof target);
  must(n >= 0, name);
  i->bytes = (bytes){malloc((size_t)n + 1), (size_t)n};
  must(i->bytes.data != NULL, "memory");
  memcpy(i->bytes.data, target, (size_t)n);
  i->bytes.data[n] = '\0';
}

void take_state(state *s) {
  DIR *directory = opendir(".");
  must(directory != NULL, ".");
  s->count = 0;
  for (struct dirent *d; (d = readdir(directory));)
    take_item(s, d->d_name);
  closedir(directory);
}

void free_state(state *s) {
  while (s->count > 0)
    free(s->items[--s->count].bytes.data);
}

static const item *find(const state *s, const char *name) {
  for (int i = 0; i < s->count; i++)
    if (strcmp(s->items[i].name, name) == 0)
      return &s->items[i];
  return NULL;
}

int same_item(const state *a, const state *b, const char *name) {
  const item *x = find(a, name), *y = find(b, name);
  return x && y ? x->is_link == y->is_link && same(x->bytes, y->bytes) : x == y;
}

int is_temporary(const char *name) { return strncmp(name, ".ghz-", 5) == 0 && strlen(name) == 11; }

int temporaries(const state *s) {
  int n = 0;
  for (int i = 0; i < s->count; i++)
    n += is_temporary(s->items[i].name);
  return n;
}

void restore(const state *now, const state *before) {
  for (int i = 0; i < now->count; i++)
    if (!same_item(now, before, now->items[i].name))
      must(unlink(now->items[i].name) == 0, "unlink");
  for (int i = 0; i < before->count; i++) {
    const item *old = &before->items[i];
    if (same_item(now, before, old->name))
      continue;
    if (old->is_link) {
      must(symlink((const char *)old->bytes.data, old->name) == 0, old->name);
      continue;
    }
    int fd = open(old->name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    must(fd >= 0 && write(fd, old->bytes.data, old->bytes.size) == (ssize_t)old->bytes.size, old->name);
    close(fd);
  }
}
