/* cargo_model.h: what a simulation tells the cargoes that stand in for the real ones. */
#ifndef GHZ_SCALE_CARGO_MODEL_H
#define GHZ_SCALE_CARGO_MODEL_H

#include "parameters.h"

#include <ghz.h>

/* They keep the pointer. */
void cargo_model_use(const parameters *p);

ghz_status __wrap_ghz_range(ghz_context *ctx, ghz_type type, const void *x, size_t n, double *min, double *max);

#endif
