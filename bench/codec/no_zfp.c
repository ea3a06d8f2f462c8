/* no_zfp.c: stands in for zfp.c where there is no libzfp. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu.h"

const char *peer_name(void) {
  return NULL;
}

size_t peer_room(const field *f) {
  (void)f;
  return 0;
}

size_t peer_pack(const field *f, double tolerance, void *dst, size_t room) {
  (void)f, (void)tolerance, (void)dst, (void)room;
  return 0;
}

void peer_unpack(const field *f, double tolerance, void *src, size_t size, float *dst) {
  (void)f, (void)tolerance, (void)src, (void)size, (void)dst;
}
