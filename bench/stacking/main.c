/* main.c: owns the order of events of ghz_stacking: snapshots, exact stack, ways of stacking, figures. */
#include "stacking.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The folder of the pictures; made here, so that a bad name is found before the work. */
static bool folder_ready(const options *o) {
  struct stat found;
  if (!o->out || my_rank() != 0 || mkdir(o->out, 0777) == 0)
    return true;
  int reason = errno;
  if (stat(o->out, &found) == 0 && S_ISDIR(found.st_mode))
    return true;
  return complain("%s: %s", o->out, strerror(reason));
}

static bool figures(const way *ways, int n, const snapshots *s, const options *o) {
  bool good = n > 0;
  for (int i = 0; i < n; i++)
    good &= ways[i].good;
  if (my_rank() != 0 || n == 0)
    return all_true(good);
  report_print(ways, n, s, o);
  good &= !o->csv || report_csv(ways, n, s, o);
  if (fflush(stdout) != 0)
    good = complain("standard output: %s", strerror(errno));
  return all_true(good);
}

static bool work(const options *o) {
  static way ways[WAYS_MOST];
  snapshots s;
  exact_stack e;
  if (!all_true(folder_ready(o)) || !snapshots_make(&s, o))
    return false;
  bool good = exact_make(&e, &s, o);
  if (good) {
    good = figures(ways, stack_run(ways, &s, &e, o), &s, o);
    free(e.values);
  }
  free(s.values);
  return good;
}

int main(int argc, char **argv) {
  options o;
  MPI_Init(&argc, &argv);
  int status = options_read(argc, argv, &o);
  if (status == GO_ON)
    status = work(&o) ? EXIT_SUCCESS : EXIT_FAILURE;
  MPI_Finalize();
  return status;
}
