/* device_error.c: what went wrong in the last use of a device on a thread. */
/* SPDX-License-Identifier: BSD-3-Clause */

#include "payload/device.h"

#ifdef GHZ_HAVE_CUDA

#include "payload/device_runtime.h"

#include <stdio.h>

static _Thread_local char message[120];

const char *ghz_device_message(void) {
  return message;
}

void ghz_device_note(const char *text) {
  snprintf(message, sizeof message, "%s", text);
}

ghz_status ghz_device_checked(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return GHZ_OK;
  cudaGetLastError();
  snprintf(message, sizeof message, "%s: %s", what, cudaGetErrorString(error));
  return error == cudaErrorMemoryAllocation ? GHZ_ENOMEM : GHZ_EDEVICE;
}

#endif
