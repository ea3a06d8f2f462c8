/* schedule_stages.c: communicators made from the world and from each other. */
#include "schedule_stages.h"
#include "suite.h"

enum making { DUPLICATE, REVERSED, SHUFFLED, PARTS, SOME, GROUP, LINE, MAKINGS };

static const char *const names[MAKINGS] = {"duplicate", "reversed", "shuffled", "parts",
                                           "some",      "group",    "line"};

enum { MOST_RANKS = 64 };

stage stages[STAGES];
int stages_complaints, stages_complaint;
long stages_made;

static MPI_Errhandler listening;

static void on_error(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  stages_complaints++;
  stages_complaint = *code;
}

/* ---- Making one -------------------------------------------------------------------------------------- */

/* Some ranks of a communicator, in any order. Returns how many. */
static int choose_ranks(const stage *from, uint64_t dice, int *chosen) {
  int n = 0;
  for (int r = 0; r < from->ranks && r < MOST_RANKS; r++)
    if (mix(dice, (uint64_t)r) % 3 != 0) {
      int at = (int)(mix(dice, 100 + (uint64_t)r) % (uint64_t)(n + 1));
      chosen[n++] = chosen[at];
      chosen[at] = r;
    }
  return n;
}

/* Not by MPI_Comm_create_group, whose messages Open MPI 4.1 gives to others' receives with MPI_ANY_TAG. */
static MPI_Comm make_group(const stage *from, uint64_t dice) {
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
static MPI_Comm make(enum making how, const stage *from, uint64_t dice) {
  MPI_Comm made = MPI_COMM_NULL;
  uint64_t own = mix(dice, (uint64_t)from->rank);
  int color = 0, key = from->rank, periodic = (int)(dice % 2);
  switch (how) {
  case DUPLICATE:
    MPI_Comm_dup(from->comm, &made);
    return made;
  case GROUP:
    return make_group(from, dice);
  case LINE:
    MPI_Cart_create(from->comm, 1, &from->ranks, &periodic, 1, &made);
    return made;
  case REVERSED:
    key = -from->rank;
    break;
  case SHUFFLED:
    key = (int)(own % 1000);
    break;
  case PARTS:
    color = (int)(own % (2 + dice % 2));
    key = -from->rank;
    break;
  default:
    color = own % 4 ? 0 : MPI_UNDEFINED;
    break;
  }
  MPI_Comm_split(from->comm, color, key, &made);
  return made;
}

/* ---- Having several ---------------------------------------------------------------------------------- */

static stage stage_of(MPI_Comm comm, const char *kind) {
  stage s = {.comm = comm, .kind = kind};
  if (comm == MPI_COMM_NULL)
    return s;
  MPI_Comm_set_errhandler(comm, listening);
  MPI_Comm_rank(comm, &s.rank);
  MPI_Comm_size(comm, &s.ranks);
  s.lead = (uint64_t)here.rank;
  MPI_Bcast(&s.lead, 1, MPI_UINT64_T, 0, comm);
  return s;
}

static void remake(int slot, int from, uint64_t dice) {
  enum making how = (enum making)(dice % MAKINGS);
  MPI_Comm made = MPI_COMM_NULL;
  if (stages[from].comm != MPI_COMM_NULL)
    made = make(how, &stages[from], mix(dice, stages[from].lead));
  if (stages[slot].comm != MPI_COMM_NULL)
    MPI_Comm_free(&stages[slot].comm); /* maybe what the new one was made of */
  stages[slot] = stage_of(made, names[how]);
  stages_made += made != MPI_COMM_NULL;
}

void stages_begin(void) {
  MPI_Comm_create_errhandler(on_error, &listening);
  stages[WORLD] = stage_of(MPI_COMM_WORLD, "world");
  stages[SELF] = stage_of(MPI_COMM_SELF, "self");
  for (int i = SELF + 1; i < STAGES; i++) {
    stages[i].comm = MPI_COMM_NULL;
    remake(i, WORLD, mix(here.seed, 1000 + (uint64_t)i));
  }
}

void stages_change(uint64_t step) {
  uint64_t state = mix(mix(here.seed, 0x57a6e), step);
  if (draw_below(&state, 10) > 0)
    return;
  int slot = SELF + 1 + (int)draw_below(&state, STAGES - SELF - 1), from = WORLD;
  if (draw_below(&state, 2))
    from = SELF + 1 + (int)draw_below(&state, STAGES - SELF - 1);
  suite_case("step %llu: a communicator is made", (unsigned long long)step);
  remake(slot, from, draw(&state));
}

void stages_end(void) {
  for (int i = SELF + 1; i < STAGES; i++)
    if (stages[i].comm != MPI_COMM_NULL)
      MPI_Comm_free(&stages[i].comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&listening);
}
