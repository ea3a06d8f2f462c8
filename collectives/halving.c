/* halving.c: recursive halving, then doubling: segment s is summed at member s and spreads from there again.
 *
 * In a halving step two members share the segments that both hold: each keeps those that agree with it in one
 * more bit of the segment's number. Doubling runs the same steps backwards, with copies of the finished sums.
 */

#include "fold.h"

int ghz_halving_segments(int ranks) {
  return fold_members(ranks);
}

/* Returns the step that follows. */
static uint32_t halve(const fold *f, int segment, route *r) {
  uint32_t step = 1;
  int here = 1;
  for (int bit = f->members / 2; bit; bit /= 2, step++) {
    int peer = fold_rank(f, f->member ^ bit);
    if (here)
      route_add(r, (segment ^ f->member) & bit ? HOP_SEND : HOP_MERGE, peer, step);
    here = here && !((segment ^ f->member) & bit);
  }
  return step;
}

static void double_up(const fold *f, int segment, uint32_t step, route *r) {
  int apart = segment ^ f->member;
  for (int bit = 1; bit < f->members; bit *= 2, step++) {
    int peer = fold_rank(f, f->member ^ bit);
    if (apart < bit)
      route_add(r, HOP_SEND, peer, step);
    else if (apart < 2 * bit)
      route_add(r, HOP_TAKE, peer, step);
  }
}

void ghz_halving_allreduce(place at, int segment, route *r) {
  fold f = fold_of(at);
  fold_in(at, &f, r);
  if (f.member >= 0)
    double_up(&f, segment, halve(&f, segment, r), r);
  fold_out(at, &f, r);
}
