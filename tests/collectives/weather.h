/* weather.h: delays messages, and has them arrive in another order. */
#ifndef GHZ_TESTS_WEATHER_H
#define GHZ_TESTS_WEATHER_H

#include <stdint.h>

/* From now on; seed 0: fair weather. Ranks need seeds of their own. */
void weather(uint64_t seed);

/* Sleeps for a while, in bad weather. */
void weather_pause(void);

#endif
