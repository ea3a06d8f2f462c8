/* report.c: owns stderr: every message is one line, "ghz: FILE: reason"; a progress bar is erased
 * before it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

#include "name.h"

static int current_level = LEVEL_NORMAL;
static bool bar_visible;

void report_set_level(int level) {
  current_level = level;
}

int report_level(void) {
  return current_level;
}

void report_show_bar(const char *text) {
  fprintf(stderr, "\r\033[K%s", text);
  fflush(stderr);
  bar_visible = true;
}

void report_erase_bar(void) {
  if (bar_visible)
    fputs("\r\033[K", stderr);
  bar_visible = false;
}

/* Prints one line. Control characters, which a file name may hold, are replaced: they would break
 * the line. */
static void print_line(const char *prefix, const char *name, const char *suffix, const char *format,
                       va_list list) {
  char line[4096];
  int head = snprintf(line, sizeof line, "%s%.3500s%s", prefix, name, name[0] ? ": " : "");
  size_t used = head < 0 ? 0 : (size_t)head < sizeof line ? (size_t)head : sizeof line - 1;
  vsnprintf(line + used, sizeof line - used, format, list);
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      *c = '?';
  report_erase_bar();
  fprintf(stderr, "%s%s\n", line, suffix);
}

bool(fail)(const char *name, const char *format, ...) {
  va_list list;
  va_start(list, format);
  print_line(GHZ_COMMAND_NAME ": ", name, "", format, list);
  va_end(list);
  return false;
}

int fail_usage(const char *verb, const char *format, ...) {
  char prefix[64], suffix[64];
  const char *space = verb ? " " : "", *name = verb ? verb : "";
  snprintf(prefix, sizeof prefix, GHZ_COMMAND_NAME "%s%s: ", space, name);
  snprintf(suffix, sizeof suffix, " (see " GHZ_COMMAND_NAME "%s%s --help)", space, name);
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
