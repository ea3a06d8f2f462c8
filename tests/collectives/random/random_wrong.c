/* random_wrong.c: arguments that are wrong, or not the other ranks', and the error due. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "mistakes.h"
#include "random_args.h"
#include "random_request.h"
#include "suite.h"

static int fits(const mistake *m, const test_request *r, const test_comm *on) {
  return m->anywhere && m->fits(r->what) && (m->alone || on->ranks > 1); /* somebody to differ from */
}

static void check_error(const test_request *r, int code, int want, int complaints) {
  char sentence[MPI_MAX_ERROR_STRING] = "";
  int length, class = ghz_mpi_error_class(code);
  check(all_same((uint64_t)(code != MPI_SUCCESS ? class : 0), r->comm), "ranks have different errors");
  if (!check(code != MPI_SUCCESS, "the call succeeds"))
    return;
  MPI_Error_string(code, sentence, &length);
  check(class == want, "the class is %d, should be %d: %s", class, want, sentence);
  check(comms_errors == complaints + 1 && comms_error == code,
        "the handler was called %d times, with %d; the call returns %d", comms_errors - complaints, comms_error,
        code);
  check(request_is_named(r, sentence), "the sentence is: %s", sentence);
}

void args_wrong(const test_comm *on, uint64_t seed, const char *where) {
  uint64_t state = seed, *d = &state, dice;
  test_request r = request_draw(on, d);
  const mistake *m;
  do
    m = &mistakes[draw_below(d, (uint64_t)mistake_count)];
  while (!fits(m, &r, on));
  dice = draw(d);
  int here_too = request_is_among(on, dice), complaints = comms_errors;
  suite_case("%swrong: %s: %s by %s, %s of %lld, root %d; %s", where, m->what, collective_names[r.what],
             ghz_mpi_algorithm_name(r.options.algorithm), ghz_mpi_mode_name(r.options.mode), (long long)r.count,
             r.root, here_too ? "here" : "elsewhere");
  /* Ranks whose count or type is wrong look for the range of what they say before they hear of it:
   * they have so much. */
  const test_request wanted = r;
  r.count += 100000;
  r.type = MPI_DOUBLE;
  request_prepare(&r, on, seed);
  r.count = wanted.count;
  r.type = wanted.type;
  uint64_t before = hash_bytes(r.sent.data, r.sent.size);
  if (here_too)
    m->make(&r, on->rank, on->ranks, dice >> 1);
  int code = request_make(&r, &r.options);
  check_error(&r, code, m->error_class, complaints);
  check(hash_bytes(r.sent.data, r.sent.size) == before, "sendbuf has changed");
  request_free(&r);
}
