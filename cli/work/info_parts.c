/* info_parts.c: owns the tables of what the bytes of compressed files are for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "info_parts.h"

#include <stdio.h>

#include "report/text.h"

/* Behind the parts: bytes of a file that are of no stream. */
enum { IN_FILE = STREAM_PARTS, FILE_PARTS };

static const struct {
  const char *text, *json;
} names[FILE_PARTS] = {
    [IN_TABLES] = {"tables of tiles", "tables"},       [IN_HEADS] = {"heads of tiles", "heads"},
    [IN_WIDTHS_C] = {"widths of C", "widths_c"},       [IN_WIDTHS_R] = {"widths of R", "widths_r"},
    [IN_VALUES_C] = {"values of C", "values_c"},       [IN_VALUES_R] = {"values of R", "values_r"},
    [IN_SPECIALS] = {"NaN and Inf", "specials"},       [IN_RAW] = {"raw, of one value", "raw"},
    [IN_FREQUENCIES] = {"frequencies", "frequencies"}, [IN_ZSTD] = {"all, by zstd", "zstd"},
    [IN_FILE] = {"file around them", "file"}};

static uint64_t rest_of(const info_parts *p, uint64_t bytes) {
  for (int i = 0; i < STREAM_PARTS; i++)
    bytes -= p->stored[i];
  return bytes;
}

static void print_cell(uint64_t bytes, uint64_t of) {
  printf(" %12s %5.1f %%", text_bytes(bytes).text, of ? 100 * (double)bytes / (double)of : 0);
}

void info_print_parts(const info_parts *p, uint64_t stream_bytes, uint64_t bytes, bool packed) {
  printf("  what the bytes are for%s\n", packed ? ": unpacked, and packed" : "");
  for (int i = 0; i < FILE_PARTS; i++) {
    const uint64_t streams = i < IN_FILE ? p->streams[i] : 0,
                   stored = i < IN_FILE ? p->stored[i] : rest_of(p, bytes);
    if (streams + stored == 0)
      continue;
    printf("    %-18s", names[i].text);
    if (packed)
      print_cell(streams, stream_bytes);
    print_cell(stored, bytes);
    printf("\n");
  }
}

static void json_parts(const char *name, const uint64_t *parts, int n) {
  printf(", \"%s\": {", name);
  for (int i = 0; i < n; i++)
    printf("%s\"%s\": %llu", i ? ", " : "", names[i].json, (unsigned long long)parts[i]);
  printf("}");
}

void info_json_parts(const info_parts *p, uint64_t bytes) {
  uint64_t parts[FILE_PARTS];
  for (int i = 0; i < STREAM_PARTS; i++)
    parts[i] = p->stored[i];
  parts[IN_FILE] = rest_of(p, bytes);
  json_parts("stream_parts", p->streams, IN_FREQUENCIES);
  json_parts("parts", parts, FILE_PARTS);
}
