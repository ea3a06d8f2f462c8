/* paste.h: joins names, for files that are included once per type or size. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_PASTE_H
#define GHZ_PASTE_H

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#endif
