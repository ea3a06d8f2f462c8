// intrinsics.h: CUDA's device functions, as far as they are used: the overloads and the semantics
// of its documentation.
//
// What is undefined there is refused (a message, abort) or gives garbage. Memory is stronger than
// on a device: every thread sees at once what another wrote before it was switched away.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "kernel.h"
#include <algorithm>
#include <cstring>
#include <math.h>
#include <type_traits>

#define SIMT_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace simt {

template <class To, class From> inline To reinterpret(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

template <class T> inline uint64_t pack(T value) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) >= 4 && sizeof(T) <= 8,
                "warps exchange numbers of 4 or 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T> inline T unpack(uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// The ends of this lane's segment of `width` lanes.
inline unsigned segment_first(unsigned width) { return current->lane & ~(width - 1); }
inline unsigned segment_last(unsigned width) { return current->lane | (width - 1); }

// What lane `source` gave; as in PTX, lanes out of reach read themselves, and the value of a lane
// out of the mask is not defined.
template <class T> inline T shuffle(uint32_t mask, T value, unsigned source, bool reached, Site site) {
  const unsigned from = reached ? source : current->lane;
  const uint64_t *given = meet(mask, pack(value), site);
  return unpack<T>(mask >> from & 1 ? given[from] : garbage());
}

inline void check_width(int width, Site site) {
  if (width < 1 || width > 32 || (width & (width - 1)))
    die("%s at %s:%d: width %d is no power of two up to 32", site.what, site.file, site.line, width);
}

inline void check_distance(unsigned distance, Site site) {
  if (distance > 31)
    die("%s at %s:%d: a distance of %u lanes", site.what, site.file, site.line, distance);
}

template <class T, class Operation> inline T reduce(uint32_t mask, T value, Operation operation, Site site) {
  const uint64_t *given = meet(mask, pack(value), site);
  T result = value;
  bool first = true;
  for (unsigned lane = 0; lane < 32; lane++)
    if (mask >> lane & 1) {
      result = first ? unpack<T>(given[lane]) : operation(result, unpack<T>(given[lane]));
      first = false;
    }
  return result;
}

inline unsigned ballot(uint32_t mask, int predicate, Site site) {
  const uint64_t *given = meet(mask, predicate != 0, site);
  unsigned votes = 0;
  for (unsigned lane = 0; lane < 32; lane++)
    if (mask >> lane & 1)
      votes |= static_cast<unsigned>(given[lane]) << lane;
  return votes;
}

template <class T> inline void check_access(const T *p, Site site) {
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "more than one load or store");
  if (reinterpret_cast<uintptr_t>(p) % sizeof(T))
    die("%s at %s:%d: address %p is not a multiple of %zu", site.what, site.file, site.line,
        static_cast<const void *>(p), sizeof(T));
}

template <class T, class Operation> inline T atomic(T *p, Operation operation, Site site) {
  if (reinterpret_cast<uintptr_t>(p) % sizeof(T))
    die("%s at %s:%d: address %p is not a multiple of %zu", site.what, site.file, site.line,
        static_cast<const void *>(p), sizeof(T));
  pause_sometimes(8);
  const T old = *p;
  *p = operation(old);
  pause_sometimes(8);
  return old;
}

// Keeps the compiler from fusing a rounded result with what follows.
template <class T> inline T rounded(T x) {
#ifdef __x86_64__
  asm("" : "+x"(x));
#elif defined(__aarch64__)
  asm("" : "+w"(x));
#else
  asm("" : "+m"(x));
#endif
  return x;
}

} // namespace simt

// ---- Meetings of a block and of a warp ----
inline void __syncthreads(SIMT_HERE) { simt::barrier({"__syncthreads", file, line}); }

inline void __syncwarp(unsigned mask = 0xffffffffu, SIMT_HERE) {
  simt::meet(mask, 0, {"__syncwarp", file, line});
}

template <class T> inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIMT_HERE) {
  const simt::Site site = {"__shfl_sync", file, line};
  simt::check_width(width, site);
  const unsigned segment = static_cast<unsigned>(width);
  return simt::shuffle(
      mask, value, simt::segment_first(segment) | (static_cast<unsigned>(source) & (segment - 1)), true, site);
}

template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_HERE) {
  const simt::Site site = {"__shfl_up_sync", file, line};
  simt::check_width(width, site);
  simt::check_distance(delta, site);
  const unsigned lane = simt::current->lane;
  return simt::shuffle(mask, value, lane - delta,
                       lane >= simt::segment_first(static_cast<unsigned>(width)) + delta, site);
}

template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_HERE) {
  const simt::Site site = {"__shfl_down_sync", file, line};
  simt::check_width(width, site);
  simt::check_distance(delta, site);
  const unsigned lane = simt::current->lane;
  return simt::shuffle(mask, value, lane + delta,
                       lane + delta <= simt::segment_last(static_cast<unsigned>(width)), site);
}

// Lanes may read earlier segments, but not later ones.
template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, SIMT_HERE) {
  const simt::Site site = {"__shfl_xor_sync", file, line};
  simt::check_width(width, site);
  simt::check_distance(static_cast<unsigned>(lanes), site);
  const unsigned source = simt::current->lane ^ static_cast<unsigned>(lanes);
  return simt::shuffle(mask, value, source, source <= simt::segment_last(static_cast<unsigned>(width)), site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_HERE) {
  return simt::ballot(mask, predicate, {"__ballot_sync", file, line});
}
inline int __any_sync(unsigned mask, int predicate, SIMT_HERE) {
  return simt::ballot(mask, predicate, {"__any_sync", file, line}) != 0;
}
inline int __all_sync(unsigned mask, int predicate, SIMT_HERE) {
  return simt::ballot(mask, predicate, {"__all_sync", file, line}) == mask;
}

#define SIMT_REDUCE(name, type, expression)                                                                    \
  inline type name(unsigned mask, type value, SIMT_HERE) {                                                     \
    return simt::reduce(mask, value, [](type a, type b) { return static_cast<type>(expression); },             \
                        {#name, file, line});                                                                  \
  }
SIMT_REDUCE(__reduce_add_sync, unsigned, a + b)
SIMT_REDUCE(__reduce_add_sync, int, static_cast<unsigned>(a) + static_cast<unsigned>(b))
SIMT_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
SIMT_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
SIMT_REDUCE(__reduce_or_sync, unsigned, a | b)
#undef SIMT_REDUCE

// ---- Memory ----
inline void __threadfence() { simt::pause_sometimes(8); }
inline void __threadfence_system() { simt::pause_sometimes(8); }

// A load that passes by the cache of the multiprocessor may be one that polls.
template <class T> inline T __ldcg(const T *p, SIMT_HERE) {
  simt::check_access(p, {"__ldcg", file, line});
  simt::pause_sometimes(4);
  return *p;
}
template <class T> inline void __stcg(T *p, T value, SIMT_HERE) {
  simt::check_access(p, {"__stcg", file, line});
  simt::pause_sometimes(8);
  *p = value;
}

#define SIMT_ATOMIC(name, type, expression)                                                                    \
  inline type name(type *p, type value, SIMT_HERE) {                                                           \
    return simt::atomic(p, [=](type old) { return static_cast<type>(expression); }, {#name, file, line});      \
  }
SIMT_ATOMIC(atomicAdd, unsigned, old + value)
SIMT_ATOMIC(atomicAdd, unsigned long long, old + value)
SIMT_ATOMIC(atomicOr, unsigned, old | value)
SIMT_ATOMIC(atomicExch, unsigned, ((void)old, value))
SIMT_ATOMIC(atomicMin, int, value < old ? value : old)
SIMT_ATOMIC(atomicMax, unsigned long long, value > old ? value : old)
#undef SIMT_ATOMIC

// ---- Bits ----
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> (shift & 31));
}

inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}

inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; i++)
    c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  return c;
}
inline int __dp4a(int a, int b, int c) {
  unsigned sum = static_cast<unsigned>(c);
  for (int i = 0; i < 4; i++)
    sum += static_cast<unsigned>(static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i));
  return static_cast<int>(sum);
}

#define SIMT_PAIRS(name, which)                                                                                \
  inline unsigned name(unsigned a, unsigned b) {                                                               \
    return which(a >> 16, b >> 16) << 16 | which(a & 0xffffu, b & 0xffffu);                                    \
  }
SIMT_PAIRS(__vmaxu2, std::max)
SIMT_PAIRS(__vminu2, std::min)
#undef SIMT_PAIRS

// ---- Numbers ----
inline unsigned __float_as_uint(float x) { return simt::reinterpret<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return simt::reinterpret<float>(x); }
inline long long __double_as_longlong(double x) { return simt::reinterpret<long long>(x); }
inline double __longlong_as_double(long long x) { return simt::reinterpret<double>(x); }
inline float __fadd_rn(float a, float b) { return simt::rounded(a + b); }
inline float __fsub_rn(float a, float b) { return simt::rounded(a - b); }
inline float __fmul_rn(float a, float b) { return simt::rounded(a * b); }
inline double __dsub_rn(double a, double b) { return simt::rounded(a - b); }
inline double __dmul_rn(double a, double b) { return simt::rounded(a * b); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline int __float2int_rn(float a) { return static_cast<int>(lrintf(a)); } // in the range of int

// min and max of every pair of types that CUDA has them for; of mixed signs the unsigned type.
#define SIMT_MIN_MAX(result, first, second)                                                                    \
  inline result min(first a, second b) {                                                                       \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b);  \
  }                                                                                                            \
  inline result max(first a, second b) {                                                                       \
    return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b);  \
  }
#define SIMT_MIN_MAX_SIGNS(type)                                                                               \
  SIMT_MIN_MAX(type, type, type)                                                                               \
  SIMT_MIN_MAX(unsigned type, unsigned type, unsigned type)                                                    \
  SIMT_MIN_MAX(unsigned type, type, unsigned type)                                                             \
  SIMT_MIN_MAX(unsigned type, unsigned type, type)
SIMT_MIN_MAX_SIGNS(int)
SIMT_MIN_MAX_SIGNS(long)
SIMT_MIN_MAX_SIGNS(long long)
#undef SIMT_MIN_MAX_SIGNS
#undef SIMT_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

#undef SIMT_HERE
