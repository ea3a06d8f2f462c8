/* memory_file.c: two files without names, and the command's messages, formed and thrown away. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "memory_file.h"
#include "fuzz.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int messages;

/* The linker puts it in the place of fail(). */
bool __wrap_fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool __wrap_fail(const char *name, const char *format, ...) {
  char text[8192];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  MUST(length > 0 && name && name[0], "a message without text, or without a name: %s", text);
  messages++;
  return false;
}

int messages_taken(void) {
  int taken = messages;
  messages = 0;
  return taken;
}

file memory_file(int which, const char *name, const void *data, size_t size, bool seekable) {
  static int descriptors[2] = {-1, -1};
  if (descriptors[which] < 0)
    descriptors[which] = memfd_create("fuzz", MFD_CLOEXEC);
  int fd = descriptors[which];
  MUST(fd >= 0 && ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "a file in memory");
  MUST(size == 0 || pwrite(fd, data, size, 0) == (ssize_t)size, "%zu bytes in memory", size);
  return (file){.name = name, .fd = fd, .seekable = seekable, .size = seekable ? size : 0};
}

uint8_t *memory_file_bytes(const file *f, size_t *size) {
  struct stat status;
  MUST(fstat(f->fd, &status) == 0, "the size of a file in memory");
  uint8_t *data = scratch((size_t)status.st_size);
  MUST(pread(f->fd, data, (size_t)status.st_size, 0) == status.st_size, "the bytes of a file in memory");
  *size = (size_t)status.st_size;
  return data;
}
