/* device_runtime.h: what the files share that use the CUDA runtime. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_DEVICE_RUNTIME_H
#define GHZ_MPI_DEVICE_RUNTIME_H

#include "payload/device.h"

#include <cuda_runtime_api.h>

/* Takes note of an error, which the runtime is made to forget. */
ghz_status ghz_device_checked(cudaError_t error, const char *what);

/* Takes note of what ghz_device_message is to say. */
void ghz_device_note(const char *text);

/* Makes the device `on->number` current, and sets `on->previous`. */
void ghz_device_make_current(buffer_location *on);

#endif
