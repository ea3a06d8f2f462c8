/* settings.h: what a call's options and the environment together ask for. */
#ifndef GHZ_MPI_SETTINGS_H
#define GHZ_MPI_SETTINGS_H

#include "ghz_mpi.h"

typedef struct settings {
  ghz_bound bound; /* value 0: nobody gave one */
  int of_result, average, contributions, threads, keep_root;
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
  int mode_asked; /* by the options, not by the environment alone */
  uint64_t threshold;
  ghz_mpi_report *report;
} settings;

/* Merges them. Returns NULL, or what is wrong; *s is usable anyhow. Thread-safe. */
const char *ghz_settings_make(const ghz_mpi_options *options, settings *s);

/* Whether a call of so many bytes goes straight to MPI: it is small, and nothing is asked for that would need
 * us. Costs next to nothing. Thread-safe. */
int ghz_settings_bypass(const ghz_mpi_options *options, uint64_t bytes);

/* Whether the environment asks for messages on stderr. Thread-safe. */
int ghz_settings_verbose(void);

/* Whether the environment says that MPI takes device memory; -1: it says nothing. Thread-safe. */
int ghz_settings_cuda_aware(void);

#endif
