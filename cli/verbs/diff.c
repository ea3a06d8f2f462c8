/* diff.c: owns `ghz diff`: how far two compressed files are apart. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "h5/h5.h"
#include "report/report.h"
#include "report/text.h"
#include "verbs.h"
#include "work/combine.h"

typedef unsigned long long n;

typedef struct file_pair {
  const options *o;
  const char *name[2];
  shape shape; /* that one of them knows, or none */
  ghz_context *ctx;
  frame_reader reader[2];
  ghz_frame frame[2];
  ghz_tally tally;
} file_pair;

/* Reads the next frame of both; *more is false at the end of both. */
static bool next_frames(file_pair *p, bool *more) {
  bool other;
  if (!reader_next(&p->reader[0], p->ctx, &p->frame[0], more) ||
      !reader_next(&p->reader[1], p->ctx, &p->frame[1], &other))
    return false;
  return *more == other ||
         fail(p->reader[*more].file->name, "has fewer values than %s", p->reader[!*more].file->name);
}

static bool add_frames(file_pair *p) {
  const char *name = p->reader[1].file->name;
  for (bool more = true; more;) {
    if (!next_frames(p, &more))
      return false;
    if (more && !library_ok(name, p->ctx,
                            ghz_tally_add_pair(p->ctx, &p->tally, p->frame[0].stream, p->frame[1].stream)))
      return false;
    progress_set(p->reader[0].values);
  }
  return true;
}

/* Where the largest difference is. */
static void print_place(const shape *s, const ghz_comparison *c, bool json) {
  uint64_t index[GHZ_FILE_NDIM];
  if (!json && c->count)
    printf("  largest at        %s\n", shape_place(s, c->index).text);
  if (json && c->count == 0)
    printf(", \"max_difference_at\": null");
  else if (json)
    printf(", \"max_difference_at\": %llu", (n)c->index);
  if (json && c->count && s->ndim) {
    shape_index(s, c->index, index);
    printf(", \"max_difference_index\": ");
    json_numbers(index, s->ndim);
  }
}

static void print(const file_pair *p, const ghz_comparison *c) {
  const bool json = p->o->json;
  if (json) {
    printf("{\"files\": [");
    json_string(stdout, p->name[0]);
    printf(", ");
    json_string(stdout, p->name[1]);
    printf("], \"count\": %llu, \"specials\": %llu, \"mismatches\": %llu", (n)c->count, (n)c->specials,
           (n)c->mismatches);
  } else {
    printf("%s, %s\n  pairs             %llu\n", p->name[0], p->name[1], (n)c->count);
    if (c->specials)
      printf("  left out          %llu (fill values, NaN, infinities), %llu of them in one file alone\n",
             (n)c->specials, (n)c->mismatches);
  }
  estimate_show(json, "dot product", "dot", &c->product);
  estimate_show(json, "mean difference", "mean_difference", &c->mean);
  estimate_show(json, "rms difference", "rms_difference", &c->rms);
  estimate_show(json, "largest", "max_difference", &c->largest);
  print_place(&p->shape, c, json);
  if (json)
    puts("}");
}

static bool compare_files(file_pair *p) {
  ghz_comparison c;
  if (!readers_agree(&p->reader[1], &p->reader[0], &p->reader[0]) ||
      !lattices_agree(&p->reader[1], &p->reader[0]))
    return false;
  p->name[0] = p->reader[0].file->name;
  p->name[1] = p->reader[1].file->name;
  progress_begin("diff", p->reader[0].header.count, ghz_type_size(p->reader[0].header.lattice.type));
  bool ok = add_frames(p);
  progress_end();
  p->shape = p->reader[p->reader[0].header.array.ndim == 0].header.array;
  ok = ok && library_ok(p->reader[1].file->name, NULL, ghz_tally_comparison(&p->tally, NULL, &c));
  if (ok)
    print(p, &c);
  return ok;
}

static bool open_and_compare(file_pair *p) {
  if (!reader_open(&p->reader[0], p->o->files[0]))
    return false;
  bool ok = reader_open(&p->reader[1], p->o->files[1]);
  if (ok) {
    ok = compare_files(p);
    reader_close(&p->reader[1]);
  }
  reader_close(&p->reader[0]);
  return ok;
}

/* ---- HDF5 ------------------------------------------------------------------------------------ */

static bool add_chunks(const char *name, ghz_context *ctx, const ghz_frame *f, void *tally) {
  return library_ok(name, ctx, ghz_tally_add_pair(ctx, tally, f[0].stream, f[1].stream));
}

static bool compare_variables(const options *o, ghz_context *ctx, const h5_variable *v) {
  file_pair p = {.o = o, .name = {v[0].label, v[1].label}, .shape = v[0].array};
  ghz_comparison c;
  if (!h5_each_chunk(v, 2, ctx, add_chunks, &p.tally) ||
      !library_ok(v[1].label, NULL, ghz_tally_comparison(&p.tally, NULL, &c)))
    return false;
  c.specials -= v[0].padding;
  c.index = c.count ? h5_index(v, c.index) : c.index;
  print(&p, &c);
  return true;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static bool compare_operands(file_pair *p) {
  const options *o = p->o;
  return o->var || h5_named(o->files[0]) ? h5_each_variable(o, p->ctx, o->files, 2, compare_variables)
                                         : open_and_compare(p);
}

static int run(const options *o) {
  file_pair p = {.o = o};
  bool ok = library_open(&p.ctx, o->threads);
  if (ok) {
    ok = compare_operands(&p);
    ghz_context_free(p.ctx);
  }
  ghz_frame_free(&p.frame[0]);
  ghz_frame_free(&p.frame[1]);
  return ok ? EXIT_OK : EXIT_DATA;
}

const verb verb_diff = {
    .name = "diff",
    .operands = "A.ghz B.ghz",
    .summary = "print how far apart two compressed files are, and their dot product",
    .details =
        "Prints the dot product of two files, the mean and the root mean square of A - B, the largest\n"
        "difference and where it is, computed and with intervals as in ghz stats. Both files must have the\n"
        "same type, shape and bound, as for ghz sub. ghz compare decompresses instead: it takes files of any\n"
        "kind and bound, and says whether a result keeps its bound. Of HDF5 and netCDF files, compares the\n"
        "variable --var, or all of A that the HDF5 filter compressed; --json prints an object for each.",
    .examples = "  ghz diff after.ghz before.ghz\n",
    .least = 2,
    .most = 2,
    .run = run,
};
