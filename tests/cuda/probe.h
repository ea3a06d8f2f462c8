/* probe.h: any bytes, sound ones or not, as streams and messages on the CPU and on the device: both
 * come to the same (law L5). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "gpu_support.h"

/* Reads the bytes on both sides. Yields the status on the CPU. */
ghz_status probe(trial *t, const reading *on_device, const char *what);

/* Computes with the bytes on both sides: both succeed with the same bytes, or both refuse. */
void probe_operation(trial *t, const operation *on_device, const char *what);

/* As either operand, and twice: so many kinds of operations in turn. */
enum { PROBED = 7 };
void probe_operations(trial *t, ref_bytes bytes, ref_bytes good, ghz_type type, ghz_shape shape, unsigned turn,
                      const char *what);

/* ---- For checks that do more ---- */
int refusal(ghz_status status);

/* On a device bytes may follow a stream, which knows its size; on the CPU they may not. */
ref_bytes trimmed(ref_bytes b, int message);

/* The header speaks of another array than the caller. */
int another_array(ref_bytes b, ghz_type type, const ghz_shape *s);

/* What the CPU makes of a reading. */
ghz_status verdict(trial *t, const reading *r, void *values);
