/* model.c: owns --like: the lattice and the layout of a file that others are to be added to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "compression.h"
#include "io/reader.h"
#include "report/library.h"
#include "report/report.h"

bool model_open(model *m, const char *path) {
  frame_reader r;
  ghz_frame first = {.memory = NULL};
  bool more = false;
  if (!reader_open(&r, path))
    return false;
  bool ok = reader_next(&r, NULL, &first, &more); /* every file has a frame */
  *m = (model){path, r.header, first.info.lattice};
  ok = ok && library_ok(path, NULL, ghz_lattice_undivided(&first.info.lattice, &m->lattice));
  if (ok && m->lattice.step != first.info.lattice.step && m->lattice.eb > first.info.bound)
    ok = fail(path, "was divided, and no file that adds to it has its bound: take --like of what was divided");
  reader_close(&r);
  ghz_frame_free(&first);
  return ok;
}
