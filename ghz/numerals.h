/* numerals.h: owns the locale in which numbers are written into texts and read from them: C's,
 * whatever the program has chosen. Where it has a comma, 0.5 is "0" and a rest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_NUMERALS_H
#define GHZ_NUMERALS_H

#include <locale.h>

/* For this thread alone. Returns what numerals_end puts back; 0: nothing was changed. */
static inline locale_t numerals_begin(void) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return plain ? uselocale(plain) : plain;
}

static inline void numerals_end(locale_t programs) {
  if (programs)
    freelocale(uselocale(programs));
}

#endif
