/* progress.c: owns the progress bar on stderr, which only a terminal gets to see. */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "report.h"

static struct {
  const char *label;
  uint64_t total, unit;
  double start, drawn;
  bool active, visible;
} bar;

void progress_begin(const char *label, uint64_t total, uint64_t unit) {
  progress_hide();
  bar.label = label;
  bar.total = total;
  bar.unit = unit;
  bar.start = bar.drawn = seconds();
  bar.active = report_level() >= LEVEL_NORMAL && isatty(STDERR_FILENO);
}

static void draw(uint64_t done, double elapsed) {
  double bytes = (double)done * (double)bar.unit;
  double speed = bytes / elapsed / 1e9;
  fprintf(stderr, "\r\033[K%.40s: %s", bar.label, text_bytes((uint64_t)bytes).text);
  if (bar.total != UINT64_MAX && bar.total > 0) {
    double part = (double)done / (double)bar.total;
    int full = (int)(part * 24);
    fprintf(stderr, " of %s [%.*s%.*s] %3.0f%%", text_bytes(bar.total * bar.unit).text, full,
            "========================", 24 - full, "                        ", 100 * part);
  }
  fprintf(stderr, " %.2f GB/s", speed);
  fflush(stderr);
  bar.visible = true;
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

void progress_hide(void) {
  if (bar.visible)
    fputs("\r\033[K", stderr);
  bar.visible = false;
}

void progress_end(void) {
  progress_hide();
  bar.active = false;
}
