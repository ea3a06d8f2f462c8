/* schedule_stages.h: communicators of all sorts, which come and go as a seed and the number of a step say. */
#ifndef GHZ_TESTS_SCHEDULE_STAGES_H
#define GHZ_TESTS_SCHEDULE_STAGES_H

#include <mpi.h>
#include <stdint.h>

/* A communicator as this rank sees it: comm MPI_COMM_NULL where it is not a member. */
typedef struct stage {
  MPI_Comm comm;
  int rank, ranks;
  uint64_t lead; /* the rank in the world of its rank 0, by which the parts of a split differ */
  const char *kind;
} stage;

enum { WORLD, SELF, STAGES = 7 };

extern stage stages[STAGES];

/* How often a communicator's error handler was called, and with what. */
extern int stages_complaints, stages_complaint;

/* Made so far, on this rank. */
extern long stages_made;

void stages_begin(void);

/* What changes before a step: mostly nothing, else one is freed and another one made. Collective over the world. */
void stages_change(uint64_t step);

void stages_end(void);

#endif
