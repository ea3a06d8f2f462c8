/* golden.h: the streams that are kept in files, and how they are made again. */
#ifndef GHZ_TESTS_GOLDEN_H
#define GHZ_TESTS_GOLDEN_H

#include "reference.h"
#include <ghz.h>

typedef struct golden_case {
  const char *name;
  ghz_type type;
  int order;
  double eb;
  const char *maker;
  size_t n;
  uint64_t seed;
  int copies;        /* the stream is the sum of this many arrays, with seeds from `seed` on */
  uint64_t checksum; /* of the decompressed values */
} golden_case;

extern const golden_case golden_cases[];
extern const size_t golden_count;

/* What takes more than a table to make; a name that holds "message" is that of a message, in a file NAME.msg. */
typedef struct golden_result {
  const char *name;
  ref_bytes (*make)(ghz_context *ctx);
  uint64_t checksum;
} golden_result;

extern const golden_result golden_results[];
extern const size_t golden_result_count;
const char *golden_ending(const char *name); /* of the file: "ghz", or "msg" */

/* Makes the stream of a case; release with ref_free. Aborts where libghz fails. */
ref_bytes golden_stream(const golden_case *g, ghz_context *ctx);
/* FNV-1a over the bytes of the decompressed values of a stream or message, every NaN taken as the canonical one. */
uint64_t golden_checksum(ref_bytes stream, ghz_context *ctx);

#endif
