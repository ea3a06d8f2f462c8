/* errors.h: MPI error codes with sentences of our own. */
#ifndef GHZ_MPI_ERRORS_H
#define GHZ_MPI_ERRORS_H

#include <mpi.h>

/* Makes (or finds again) an error code of a class whose string is "call: what", and hands it to the error
 * handler of comm. Returns the code. Thread-safe as far as MPI is. */
int ghz_mpi_raise(MPI_Comm comm, int error_class, const char *call, const char *what);

/* Says on stderr that a call is left to MPI, and why; once per process, call and reason, and only if the
 * environment wants to know. */
void ghz_mpi_explain(const char *call, const char *why);

#endif
