/* report.c: owns stderr: every message is one line, "ghz: FILE: reason"; a progress bar, which
 * only a terminal shows, is erased before it. And the command's name in texts of help. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "text.h"

static int current_level = LEVEL_NORMAL;
static bool bar_visible;

void report_set_level(int level) {
  current_level = level;
}

int report_level(void) {
  return current_level;
}

static void show_bar(const char *text) {
  fprintf(stderr, "\r\033[K%s", text);
  fflush(stderr);
  bar_visible = true;
}

static void erase_bar(void) {
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
  fflush(stdout); /* what stands before it, if both go to one place */
  erase_bar();
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

/* ---- The name in texts of help --------------------------------------------------------------- */

/* Whether the word ghz at `at` is followed by a verb or an option, and belongs to no other word. */
static bool begins_command(const char *text, const char *at) {
  const bool begins = at == text || strchr(" \n(", at[-1]);
  return begins && at[3] == ' ' && (isalpha((unsigned char)at[4]) || at[4] == '-');
}

void print_named(const char *text) {
  const char *next = text;
  for (const char *at = strstr(text, "ghz"); at; at = strstr(at + 3, "ghz"))
    if (begins_command(text, at)) {
      fwrite(next, 1, (size_t)(at - next), stdout);
      fputs(GHZ_COMMAND_NAME, stdout);
      next = at + 3;
    }
  fputs(next, stdout);
}

/* ---- The progress bar ------------------------------------------------------------------------ */

enum { CELLS = 24 };
static const char filled[] = "========================", blank[] = "                        ";

static struct {
  const char *label;
  uint64_t total, unit;
  double start, drawn;
  bool active;
} bar;

void progress_begin(const char *label, uint64_t total, uint64_t unit) {
  erase_bar();
  bar.label = label;
  bar.total = total;
  bar.unit = unit;
  bar.start = bar.drawn = seconds();
  bar.active = report_level() >= LEVEL_NORMAL && isatty(STDERR_FILENO);
}

static void draw(uint64_t done, double elapsed) {
  char share[128] = "", line[256];
  double bytes = (double)done * (double)bar.unit;
  if (bar.total != UINT64_MAX && bar.total > 0) {
    double part = (double)done / (double)bar.total;
    int full = (int)(part * CELLS);
    snprintf(share, sizeof share, " of %s [%.*s%.*s] %3.0f%%", text_bytes(bar.total * bar.unit).text, full,
             filled, CELLS - full, blank, 100 * part);
  }
  snprintf(line, sizeof line, "%.40s: %s%s %.2f GB/s", bar.label, text_bytes((uint64_t)bytes).text, share,
           bytes / elapsed / 1e9);
  show_bar(line);
}

void progress_set(uint64_t done) {
  if (!bar.active)
    return;
  double now = seconds();
  if (now - bar.start < 0.5 || now - bar.drawn < 0.1)
    return;
  bar.drawn = now;
  draw(bar.total != UINT64_MAX && done > bar.total ? bar.total : done, now - bar.start);
}

void progress_end(void) {
  erase_bar();
  bar.active = false;
}

/* ---- libghz ---------------------------------------------------------------------------------- */

bool library_open(ghz_context **ctx, int threads) {
  return library_ok("libghz", NULL, ghz_context_create(ctx, threads));
}

bool library_ok(const char *name, const ghz_context *ctx, ghz_status status) {
  if (status == GHZ_OK)
    return true;
  const char *message = ghz_context_message(ctx);
  return fail(name, "%s%s%s", ghz_status_text(status), message[0] ? ": " : "", message);
}
