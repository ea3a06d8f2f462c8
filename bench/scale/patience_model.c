/* patience_model.c: waiting in a simulation: time passes there only inside calls, so polling would never end. */
#include <patience.h>

int ghz_wait_some(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  return MPI_Waitsome(n, requests, done, indices, statuses);
}

int ghz_wait(MPI_Request *request) {
  return MPI_Wait(request, MPI_STATUS_IGNORE);
}
