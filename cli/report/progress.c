/* progress.c: owns the progress bar: when it is drawn, and its text. Only a terminal shows it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "report.h"
#include "seconds.h"
#include "text.h"

enum { CELLS = 24 };
static const char filled[] = "========================", blank[] = "                        ";

static struct {
  const char *label;
  uint64_t total, unit;
  double start, drawn;
  bool active;
} bar;

void progress_begin(const char *label, uint64_t total, uint64_t unit) {
  report_erase_bar();
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
  report_show_bar(line);
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
  report_erase_bar();
  bar.active = false;
}
