/* names.c: owns how HDF5 files are recognised, by their names or their first bytes, and what a
 * build without HDF5 says of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "h5.h"
#include "io/input.h"
#include "report/report.h"

/* Of a regular file: what a pipe has would be lost. HDF5 may begin behind bytes of others. */
static bool looks_so(const char *name) {
  char b[8];
  struct stat status;
  const bool regular = strcmp(name, "-") != 0 && stat(name, &status) == 0 && S_ISREG(status.st_mode);
  FILE *f = regular ? fopen(name, "rb") : NULL;
  bool is = false;
  for (long at = 0; f && !is && at <= 65536; at = at ? 2 * at : 512)
    is = fseek(f, at, SEEK_SET) == 0 && fread(b, sizeof b, 1, f) == 1 &&
         memcmp(b, "\x89HDF\r\n\x1a\n", sizeof b) == 0;
  if (f)
    fclose(f);
  return is;
}

bool h5_named(const char *name) {
  return strcmp(format_named(name), ".nc") == 0 || (!type_of_name(name).given && looks_so(name));
}

bool h5_is_none(const char *name) {
  struct stat status;
  if (strcmp(name, "-") == 0)
    return true;
  return strcmp(format_named(name), ".nc") != 0 && stat(name, &status) == 0 && S_ISREG(status.st_mode) &&
         access(name, R_OK) == 0 && !looks_so(name);
}

bool h5_operand(const options *o, const char *path) {
  return o->var || h5_named(path);
}

bool h5_lacks(const char *name) {
  return fail(name, "this ghz was built without HDF5");
}
