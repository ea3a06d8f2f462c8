/* errors.c: error codes that MPI_Error_string can explain. MPI never frees a code: each sentence gets one,
 * once. */

#include "control/errors.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/settings.h"

enum { SENTENCES = 1024 }; /* more are not told apart: they get the plain class */

typedef struct sentence {
  char text[MPI_MAX_ERROR_STRING];
  int code, error_class;
} sentence;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sentence *sentences[SENTENCES];
static int count;

/* Under the lock. NULL: too many, or no memory. *old says whether it was there. */
static sentence *find(const char *text, int *old) {
  *old = 1;
  for (int i = 0; i < count; i++)
    if (strcmp(sentences[i]->text, text) == 0)
      return sentences[i];
  *old = 0;
  sentence *s = count < SENTENCES ? calloc(1, sizeof *s) : NULL;
  if (s) {
    snprintf(s->text, sizeof s->text, "%s", text);
    sentences[count++] = s;
  }
  return s;
}

static int explained(int code, const char *text) {
  char found[MPI_MAX_ERROR_STRING];
  int length;
  return MPI_Add_error_string(code, text) == MPI_SUCCESS &&
         MPI_Error_string(code, found, &length) == MPI_SUCCESS && strcmp(found, text) == 0;
}

/* A code in one of MPI's own classes; if that gets no sentence of ours, as in MPICH, one in a class of ours. */
static int new_code(int error_class, const char *text) {
  static int own_class = -1;
  int code;
  if (MPI_Add_error_code(error_class, &code) == MPI_SUCCESS && explained(code, text))
    return code;
  if (own_class < 0 && (MPI_Add_error_class(&own_class) != MPI_SUCCESS ||
                        MPI_Add_error_string(own_class, "error in libghzmpi") != MPI_SUCCESS))
    return error_class;
  return MPI_Add_error_code(own_class, &code) == MPI_SUCCESS && explained(code, text) ? code : error_class;
}

static int code_of(int error_class, const char *text) {
  int old, code = error_class;
  pthread_mutex_lock(&lock);
  sentence *s = find(text, &old);
  if (s && !old) {
    s->code = new_code(error_class, text);
    s->error_class = error_class;
  }
  if (s)
    code = s->code;
  pthread_mutex_unlock(&lock);
  return code;
}

int ghz_mpi_error_class(int code) {
  int error_class = MPI_ERR_UNKNOWN, found = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count && !found; i++)
    if ((found = sentences[i]->code == code))
      error_class = sentences[i]->error_class;
  pthread_mutex_unlock(&lock);
  if (!found)
    MPI_Error_class(code, &error_class);
  return error_class;
}

int ghz_mpi_raise(MPI_Comm comm, int error_class, const char *call, const char *what) {
  char text[MPI_MAX_ERROR_STRING];
  snprintf(text, sizeof text, "%s: %s", call, what);
  int code = code_of(error_class, text);
  MPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, code);
  return code;
}

void ghz_mpi_explain(const char *call, const char *why) {
  static char said[64][96];
  static int n;
  char text[96];
  int known = 0;
  if (!ghz_settings_verbose())
    return;
  snprintf(text, sizeof text, "%s goes to MPI: %s", call, why);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < n && !known; i++)
    known = strcmp(said[i], text) == 0;
  if (!known && n < 64)
    memcpy(said[n++], text, sizeof text);
  pthread_mutex_unlock(&lock);
  if (!known)
    fprintf(stderr, "libghzmpi: %s\n", text);
}
