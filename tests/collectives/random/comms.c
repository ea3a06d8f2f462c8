/* comms.c: communicators made from the world and from each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "comms.h"
#include "mistakes.h"
#include "suite.h"

enum making { DUPLICATE, REVERSED, SHUFFLED, PARTS, SOME, GROUP, LINE, MAKINGS };

static const char *const names[MAKINGS] = {"duplicate", "reversed", "shuffled", "parts",
                                           "some",      "group",    "line"};

enum { MOST_RANKS = 64 };

test_comm comms[COMMS];

/* ---- Making one ---- */
/* Some ranks of a communicator, in any order. Returns how many. */
static int choose_ranks(const test_comm *from, uint64_t dice, int *chosen) {
  int n = 0;
  for (int r = 0; r < from->ranks && r < MOST_RANKS; r++)
    if (mix(dice, (uint64_t)r) % 3 != 0) {
      int at = (int)(mix(dice, 100 + (uint64_t)r) % (uint64_t)(n + 1));
      chosen[n++] = chosen[at];
      chosen[at] = r;
    }
  return n;
}

/* Not by MPI_Comm_create_group, whose messages Open MPI 4.1 gives to receives with MPI_ANY_TAG. */
static MPI_Comm make_group(const test_comm *from, uint64_t dice) {
  int chosen[MOST_RANKS], n = choose_ranks(from, dice, chosen);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group all, some;
  MPI_Comm_group(from->comm, &all);
  MPI_Group_incl(all, n, chosen, &some);
  MPI_Comm_create(from->comm, some, &made);
  if (n > 0)
    MPI_Group_free(&some);
  MPI_Group_free(&all);
  return made;
}

/* Collective over `from`; its members throw the same dice. */
static MPI_Comm make(enum making how, const test_comm *from, uint64_t dice) {
  MPI_Comm made = MPI_COMM_NULL;
  uint64_t own = mix(dice, (uint64_t)from->rank);
  int color = 0, key = from->rank, periodic = (int)(dice % 2);
  switch (how) {
  case DUPLICATE: MPI_Comm_dup(from->comm, &made); return made;
  case GROUP: return make_group(from, dice);
  case LINE: MPI_Cart_create(from->comm, 1, &from->ranks, &periodic, 1, &made); return made;
  case REVERSED: key = -from->rank; break;
  case SHUFFLED: key = (int)(own % 1000); break;
  case PARTS:
    color = (int)(own % (2 + dice % 2));
    key = -from->rank;
    break;
  default: color = own % 4 ? 0 : MPI_UNDEFINED; break;
  }
  MPI_Comm_split(from->comm, color, key, &made);
  return made;
}

/* ---- Having several ---- */
static test_comm comm_of(MPI_Comm comm, const char *kind) {
  test_comm s = {.comm = comm, .kind = kind};
  if (comm == MPI_COMM_NULL)
    return s;
  listen_to(comm);
  MPI_Comm_rank(comm, &s.rank);
  MPI_Comm_size(comm, &s.ranks);
  s.lead = (uint64_t)here.rank;
  MPI_Bcast(&s.lead, 1, MPI_UINT64_T, 0, comm);
  return s;
}

static void remake(int slot, int from, uint64_t dice) {
  enum making how = (enum making)(dice % MAKINGS);
  MPI_Comm made = MPI_COMM_NULL;
  if (comms[from].comm != MPI_COMM_NULL)
    made = make(how, &comms[from], mix(dice, comms[from].lead));
  if (comms[slot].comm != MPI_COMM_NULL)
    MPI_Comm_free(&comms[slot].comm); /* maybe what the new one was made of */
  comms[slot] = comm_of(made, names[how]);
}

void comms_begin(void) {
  comms[WORLD] = comm_of(MPI_COMM_WORLD, "world");
  comms[SELF] = comm_of(MPI_COMM_SELF, "self");
  for (int i = SELF + 1; i < COMMS; i++) {
    comms[i].comm = MPI_COMM_NULL;
    remake(i, WORLD, mix(here.seed, 1000 + (uint64_t)i));
  }
}

void comms_change(uint64_t step) {
  uint64_t state = mix(mix(here.seed, 0x57a6e), step);
  if (draw_below(&state, 10) > 0)
    return;
  int slot = SELF + 1 + (int)draw_below(&state, COMMS - SELF - 1), from = WORLD;
  if (draw_below(&state, 2))
    from = SELF + 1 + (int)draw_below(&state, COMMS - SELF - 1);
  suite_case("step %llu: a communicator is made", (unsigned long long)step);
  remake(slot, from, draw(&state));
}

void comms_end(void) {
  for (int i = SELF + 1; i < COMMS; i++)
    if (comms[i].comm != MPI_COMM_NULL)
      MPI_Comm_free(&comms[i].comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}
