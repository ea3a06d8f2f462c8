/* parameters.h: what the model knows of the codec: times of its calls and sizes of its messages, as measured.
 */
#ifndef GHZ_SCALE_PARAMETERS_H
#define GHZ_SCALE_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

enum { ROWS_MOST = 24, MESSAGE_HEAD = 64 /* GHZ_SLICE_HEADER */ };

/* Seconds of a call on so many original bytes: fixed + per_byte * bytes. */
typedef struct cost {
  double fixed, per_byte;
} cost;

/* Streams that sum `terms` fields. */
typedef struct terms_row {
  double terms;
  double bits; /* of a message, per value, without its head */
  cost combine, decompress;
} terms_row;

/* A file of these has a line for each: its name, then numbers. Lines with # are comments. */
typedef struct parameters {
  cost compress;
  cost operate; /* values += values */
  cost copy;
  cost scan; /* finding the range */
  terms_row rows[ROWS_MOST];
  int n_rows;
  double threads, efficiency; /* of the codec on each rank; both 1 after reading */
} parameters;

/* False: said why. */
bool parameters_read(parameters *p, const char *path);

/* Puts `factor` between the speeds of the codec and what was measured: for hardware that nobody measured here.
 */
void parameters_scale(parameters *p, double compress, double combine, double decompress);

/* Seconds on this rank, with its threads. `terms` of the longer operand, or of the stream. */
double compress_seconds(const parameters *p, double bytes);
double combine_seconds(const parameters *p, double bytes, double terms);
double decompress_seconds(const parameters *p, double bytes, double terms);
double operate_seconds(const parameters *p, double bytes);
double copy_seconds(const parameters *p, double bytes);
double scan_seconds(const parameters *p, double bytes);

/* Bytes of a message that holds so many original bytes. Beyond the last row, bits grow as they did between the
 * last two rows, per doubling of the terms. */
double message_bytes(const parameters *p, double bytes, double terms);

#endif
