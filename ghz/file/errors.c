/* errors.c: owns the messages of files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "file/errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context/context.h"
#include "numerals.h"

enum { NAME_END = 100 }; /* of a long name the message has the end, so that there is room for why */

ghz_status(ghz_file_fail)(const char *name, ghz_status status, const char *format, ...) {
  char text[MESSAGE_SIZE];
  const size_t length = name ? strlen(name) : 0;
  const char *shown = length > NAME_END ? name + length - NAME_END : name;
  va_list args;
  const locale_t programs = numerals_begin();
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  numerals_end(programs);
  return ghz_fail(NULL, status, "%s%s%s%s", length > NAME_END ? "..." : "", name ? shown : "", name ? ": " : "",
                  text);
}

ghz_status ghz_file_pass(const char *name, uint64_t frame, const ghz_context *ctx, ghz_status status) {
  char said[MESSAGE_SIZE];
  if (status == GHZ_OK)
    return GHZ_OK;
  snprintf(said, sizeof said, "%s", ghz_context_message(ctx));
  return ghz_file_fail(name, status, "frame %llu: %s%s%s", (ull)frame, ghz_status_text(status),
                       said[0] ? ": " : "", said);
}
