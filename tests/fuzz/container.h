/* container.h: changes of compressed files whose checksums are made to fit again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stddef.h>
#include <stdint.h>

size_t mutate_container(uint8_t *data, size_t size, size_t room, uint64_t *state);
