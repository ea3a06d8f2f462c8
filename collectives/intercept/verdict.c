/* verdict.c: the end of the report, in words: what compression was worth, and what it did not
 * reach. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "intercept/intercept.h"

/* Calls of one name that were not compressed, for one reason. */
typedef struct rest {
  const char *name, *why;
  double calls, bytes;
} rest;

static void print_worth(FILE *f, const double *all) {
  const double raw = all[RAW], sent = all[SENT], seconds = all[PER_THREAD], gain = all[MPIS] - all[OURS];
  if (all[COMPRESSED] <= 0 || sent <= 0) {
    fprintf(f, "verdict: nothing was compressed\n");
    return;
  }
  fprintf(f, "verdict: %.0f calls were compressed: they sent %.0f bytes instead of %.0f, a ratio of %.2f\n",
          all[COMPRESSED], sent, raw, raw / sent);
  if (sent >= raw)
    fprintf(f, "verdict: this never pays off: the data do not compress under this bound\n");
  else if (seconds > 0)
    fprintf(f,
            "verdict: this pays off where a process gets less than %.2f Gbit/s of the network: "
            "it saved %.0f bytes for %.6f s of CPU, of %.3g threads a process, agreement included\n",
            8e-9 * (raw - sent) / seconds, raw - sent, all[SPENT], all[SPENT] / seconds);
  if (all[CHECKED] > 0)
    fprintf(f, "verdict: on this network a call %s %.4g ms: %.0f calls were made by MPI, too\n",
            gain < 0 ? "lost" : "gained", fabs(gain), all[CHECKED]);
  else
    fprintf(f, "verdict: no call was made by MPI, too: GHZ_MPI_CHECK=1 says what calls gain or lose on this "
               "network\n");
}

/* By bytes, then calls, the most first. */
static int compare(const void *a, const void *b) {
  const rest *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  return (x->calls < y->calls) - (x->calls > y->calls);
}

static const char *const reasons[FATES] = {
    [BY_MPI] = "made by MPI: the settings say so, such data did not compress, or no communicator was left",
    [FAILED] = "failed",
    [SMALL] = "below the threshold",
    [TYPE] = "not float, double or complex",
    [OPERATION] = "not the operations sum, min or max",
    [FOREIGN] = "not a communicator of several processes of MPI_COMM_WORLD",
    [NODE] = "its processes share a node, where memory is faster (GHZ_MPI_NODE=compress compresses there, too)",
    [UNWANTED] = "not in GHZ_MPI_CALLS, or without a bound"};

static int collect(const summary *sum, rest *list) {
  int n = 0;
  for (int c = 0; c < CALLS; c++)
    for (int i = BY_MPI; i < FATES; i++)
      if (sum->of[c][i] > 0)
        list[n++] = (rest){report_name(c), reasons[i], sum->of[c][i], sum->of[c][VOLUME + i]};
  return n;
}

void verdict_print(FILE *f, const summary *sum) {
  rest list[CALLS * FATES];
  const double *all = sum->of[CALLS];
  char text[400];
  if (ghz_loss_text(&sum->loss, "GHZ_MPI_FILL=", text, sizeof text)) /* what the ratio is no gain of */
    fprintf(f, "verdict: in %.0f of %.0f compressed calls %s\n", all[TAKEN], all[COMPRESSED], text);
  print_worth(f, all);
  const int n = collect(sum, list);
  qsort(list, (size_t)n, sizeof *list, compare);
  for (int i = 0; i < n; i++)
    fprintf(f, "not compressed: %s, %.0f calls, %.0f bytes: %s\n", list[i].name, list[i].calls, list[i].bytes,
            list[i].why);
}
