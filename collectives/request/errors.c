/* errors.c: error codes that MPI_Error_string explains.
 *
 * MPI never takes a code back, so each sentence gets one code, once. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "request/collective.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCES = 1024 }; /* beyond them, errors get the plain code of their class */

typedef struct sentence {
  char text[256];
  int code, error_class;
} sentence;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sentence sentences[SENTENCES];
static int count;

static int is_explained(int code, const char *text) {
  char found[MPI_MAX_ERROR_STRING];
  int length;
  return MPI_Add_error_string(code, text) == MPI_SUCCESS &&
         MPI_Error_string(code, found, &length) == MPI_SUCCESS && strcmp(found, text) == 0;
}

/* A code in one of MPI's own classes. MPICH gives those no sentences: there, a code in a class of
 * ours. */
static int new_code(int error_class, const char *text) {
  static int own_class = -1;
  int code;
  if (MPI_Add_error_code(error_class, &code) == MPI_SUCCESS && is_explained(code, text))
    return code;
  if (own_class < 0 && (MPI_Add_error_class(&own_class) != MPI_SUCCESS ||
                        MPI_Add_error_string(own_class, "error in libghzmpi") != MPI_SUCCESS))
    return error_class;
  return MPI_Add_error_code(own_class, &code) == MPI_SUCCESS && is_explained(code, text) ? code : error_class;
}

/* The code of a sentence that was raised before, or a new one. */
static int code_of(int error_class, const char *text) {
  for (int i = 0; i < count; i++)
    if (strcmp(sentences[i].text, text) == 0)
      return sentences[i].code;
  if (count == SENTENCES)
    return error_class;
  sentence *s = &sentences[count++];
  snprintf(s->text, sizeof s->text, "%s", text);
  s->error_class = error_class;
  return s->code = new_code(error_class, text);
}

int ghz_mpi_error_class(int code) {
  int error_class = MPI_ERR_UNKNOWN, found = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count && !found; i++)
    if ((found = sentences[i].code == code))
      error_class = sentences[i].error_class;
  pthread_mutex_unlock(&lock);
  if (!found)
    MPI_Error_class(code, &error_class);
  return error_class;
}

error ghz_error(int error_class, const char *format, ...) {
  error e = {.code = error_class};
  va_list values;
  va_start(values, format);
  vsnprintf(e.text, sizeof e.text, format, values);
  va_end(values);
  return e;
}

error ghz_error_of_device(ghz_status status) {
  if (status == GHZ_OK)
    return (error){0};
  return ghz_error(status == GHZ_ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_OTHER, "%s", ghz_device_message());
}

int ghz_error_raise(MPI_Comm comm, const char *name, const error *e) {
  char text[sizeof sentences->text];
  int code = e->code;
  if (e->origin == ERROR_RAISED)
    return code;
  if (e->origin == ERROR_OURS) {
    snprintf(text, sizeof text, "%s: %s", name, e->text);
    pthread_mutex_lock(&lock);
    code = code_of(e->code, text);
    pthread_mutex_unlock(&lock);
  }
  MPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, code);
  return code;
}
