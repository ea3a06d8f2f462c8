/* mutate.h: changes of inputs that pass first checks: sizes, offsets and checksums fit again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "crafted.h"

static inline size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* libFuzzer's own changes of any bytes; and what it asks a fuzzer for. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

/* Changes a stream, or a message if the bytes begin like one, in place. Returns its new size. */
size_t mutate_stream(uint8_t *data, size_t size, size_t room, uint64_t *state);

/* Changes an input: so many bytes of choices, then streams, each behind its length in 4 bytes. */
size_t mutate_parts(uint8_t *data, size_t size, size_t room, size_t choices, uint64_t *state);

/* Changes a compressed file, whose checksums are made to fit again (mutate_container.c). */
size_t mutate_container(uint8_t *data, size_t size, size_t room, uint64_t *state);
