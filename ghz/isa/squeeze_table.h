/* squeeze_table.h: for every choice of bytes among eight, how to pack them together and how to spread them
 * again, as byte shuffles (0x80: nothing). The preprocessor builds the tables; BELOW(m, i) is the number of
 * bits below i. */
#ifndef GHZ_SQUEEZE_TABLE_H
#define GHZ_SQUEEZE_TABLE_H

#include <stdint.h>

/* With SQUEEZE_SHIFTS defined, positions are bits (0, 8 .. 56) and "nothing" is 0: for shifts instead of
 * shuffles. */
#ifdef SQUEEZE_SHIFTS
#define PLACE(k) ((k)*8)
#define NOTHING 0
#else
#define PLACE(k) (k)
#define NOTHING 0x80
#endif

#define BIT(m, i) ((m) >> (i)&1)
#define BELOW(m, i)                                                                                            \
  ((BIT(m, 0) & ((i) > 0)) + (BIT(m, 1) & ((i) > 1)) + (BIT(m, 2) & ((i) > 2)) + (BIT(m, 3) & ((i) > 3)) +     \
   (BIT(m, 4) & ((i) > 4)) + (BIT(m, 5) & ((i) > 5)) + (BIT(m, 6) & ((i) > 6)) + (BIT(m, 7) & ((i) > 7)))
#define SPREAD(m, i) (uint8_t)(BIT(m, i) ? PLACE(BELOW(m, i)) : NOTHING)
#define IS(m, i, k) (BIT(m, i) && BELOW(m, i) == (k))
#define PACK(m, k)                                                                                             \
  (uint8_t)(IS(m, 0, k)   ? 0                                                                                  \
            : IS(m, 1, k) ? PLACE(1)                                                                           \
            : IS(m, 2, k) ? PLACE(2)                                                                           \
            : IS(m, 3, k) ? PLACE(3)                                                                           \
            : IS(m, 4, k) ? PLACE(4)                                                                           \
            : IS(m, 5, k) ? PLACE(5)                                                                           \
            : IS(m, 6, k) ? PLACE(6)                                                                           \
            : IS(m, 7, k) ? PLACE(7)                                                                           \
                          : NOTHING)
#define EACH(f, m)                                                                                             \
  { f(m, 0), f(m, 1), f(m, 2), f(m, 3), f(m, 4), f(m, 5), f(m, 6), f(m, 7) }
#define PACK_ALL(m) EACH(PACK, m)
#define SPREAD_ALL(m) EACH(SPREAD, m)
#define COUNT(m) (uint8_t) BELOW(m, 8)
#define X4(f, m) f(m), f((m) + 1), f((m) + 2), f((m) + 3)
#define X16(f, m) X4(f, m), X4(f, (m) + 4), X4(f, (m) + 8), X4(f, (m) + 12)
#define X64(f, m) X16(f, m), X16(f, (m) + 16), X16(f, (m) + 32), X16(f, (m) + 48)
#define X256(f) X64(f, 0), X64(f, 64), X64(f, 128), X64(f, 192)

static const uint8_t squeeze_table[256][8] = {X256(PACK_ALL)};
static const uint8_t expand_table[256][8] = {X256(SPREAD_ALL)};
static const uint8_t squeeze_count[256] __attribute__((unused)) = {X256(COUNT)};

#endif
