/* report.c: owns the form of every message: one line, to stderr, "ghz: FILE: reason". */
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "progress.h"

static int current_level = LEVEL_NORMAL;

void report_set_level(int level) {
  current_level = level;
}

int report_level(void) {
  return current_level;
}

/* Prints a line after clearing the progress bar; control characters in file names must not break the line. */
static void print_line(const char *prefix, const char *name, const char *suffix, const char *format,
                       va_list list) {
  char line[4096];
  int head = snprintf(line, sizeof line, "%s%.3500s%s", prefix, name, name[0] ? ": " : "");
  size_t used = head < 0 ? 0 : (size_t)head < sizeof line ? (size_t)head : sizeof line - 1;
  vsnprintf(line + used, sizeof line - used, format, list);
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      *c = '?';
  progress_hide();
  fprintf(stderr, "%s%s\n", line, suffix);
}

bool fail(const char *name, const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_line("ghz: ", name, "", format, list);
  va_end(list);
  return false;
}

int fail_usage(const char *verb, const char *format, ...) {
  char prefix[64], suffix[64];
  const char *space = verb ? " " : "", *name = verb ? verb : "";
  snprintf(prefix, sizeof prefix, "ghz%s%s: ", space, name);
  snprintf(suffix, sizeof suffix, " (see ghz%s%s --help)", space, name);
  va_list list;
  va_start(list, format);
  print_line(prefix, "", suffix, format, list);
  va_end(list);
  return EXIT_USAGE;
}

void note(int level, const char *format, ...) {
  if (current_level < level)
    return;
  va_list list;
  va_start(list, format);
  print_line("", "", "", format, list);
  va_end(list);
}

number_text text_bytes(uint64_t bytes) {
  static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  number_text t;
  if (bytes < 1024) {
    snprintf(t.text, sizeof t.text, "%u B", (unsigned)bytes);
    return t;
  }
  double value = (double)bytes / 1024;
  unsigned u = 0;
  for (; value >= 1023.95 && u < 5; u++)
    value /= 1024;
  snprintf(t.text, sizeof t.text, "%.1f %s", value, unit[u]);
  return t;
}

number_text text_double(double value) {
  number_text t;
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(t.text, sizeof t.text, "%.*g", digits, value);
    if (isnan(value) || strtod(t.text, NULL) == value)
      break;
  }
  return t;
}

number_text text_json(double value) {
  return isfinite(value) ? text_double(value) : (number_text){"null"};
}

/* The length of the well-formed UTF-8 sequence at s, or 0. */
static unsigned utf8_length(const unsigned char *s) {
  unsigned n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
  for (unsigned i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  bool outside = (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90);
  return overlong || outside ? 0 : n;
}

void json_string(FILE *to, const char *text) {
  fputc('"', to);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    unsigned n = utf8_length(s);
    if (n == 0)
      fputs("\\ufffd", to);
    else if (*s < ' ' || *s == 127)
      fprintf(to, "\\u%04x", *s);
    else if (*s == '"' || *s == '\\')
      fprintf(to, "\\%c", *s);
    else
      fwrite(s, 1, n, to);
    s += n ? n : 1;
  }
  fputc('"', to);
}

double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
