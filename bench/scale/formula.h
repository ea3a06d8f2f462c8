/* formula.h: the time of an allreduce in closed form, for a network without contention. */
#ifndef GHZ_SCALE_FORMULA_H
#define GHZ_SCALE_FORMULA_H

#include "parameters.h"

typedef enum formula_algorithm { RING, HALVING, DOUBLING, FORMULA_ALGORITHMS } formula_algorithm;
typedef enum formula_mode { PLAIN, HOMOMORPHIC, RECOMPRESS, FORMULA_MODES } formula_mode;

extern const char *const formula_algorithm_names[FORMULA_ALGORITHMS];
extern const char *const formula_mode_names[FORMULA_MODES];

typedef struct setting {
  const parameters *codec;
  double ranks;
  double bytes;     /* per rank */
  double bandwidth; /* of each rank's link, bytes per second, each way at once */
  double latency;   /* seconds from rank to rank */
  double piece;     /* bytes that travel and are worked on at a time; 0: as the library does it */
} setting;

typedef struct estimate {
  double seconds;
  double sent;    /* bytes, by each rank */
  double network; /* seconds that the link is busy */
  double codec;   /* seconds that the processor is busy */
} estimate;

/* Halving and doubling need a power of two: seconds are infinite otherwise. */
estimate formula_allreduce(const setting *s, formula_algorithm algorithm, formula_mode mode);

/* The fastest algorithm without compression; without the agreement that precedes our calls. */
double formula_uncompressed(const setting *s, formula_algorithm *which);

/* The same with compression. */
double formula_compressed(const setting *s, formula_algorithm *which);

#endif
