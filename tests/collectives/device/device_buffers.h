/* device_buffers.h: where buffers of calls lie, in programs linked with device_buffers.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

typedef enum device_placement {
  DEVICE_SOME, /* another choice for every call: all, none, those of some ranks, or here and there; the default */
  DEVICE_ALL,
  DEVICE_NONE,
  DEVICE_EVEN, /* those of even ranks */
  DEVICE_MIXED /* sendbufs of even ranks, recvbufs of the others */
} device_placement;

extern device_placement device_place;

/* Calls of this rank that had a buffer on the device. */
extern long device_placed;
