/* doubling.c: recursive doubling: in step k, ranks that differ in bit k exchange the sums that they have.
 *
 * Ranks beyond the largest power of two are folded in first: of the first 2 * extra ranks, the even ones hand
 * theirs to the odd ones, and get the result in the end.
 */

#include "fold.h"

void ghz_doubling_allreduce(place at, int segment, route *r) {
  fold f = fold_of(at);
  (void)segment;
  fold_in(at, &f, r);
  uint32_t step = 1;
  for (int bit = 1; f.member >= 0 && bit < f.members; bit *= 2, step++) {
    int peer = fold_rank(&f, f.member ^ bit);
    route_add(r, HOP_SEND, peer, step);
    route_add(r, HOP_MERGE, peer, step);
  }
  fold_out(at, &f, r);
}
