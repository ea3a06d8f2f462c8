// intrinsics.h: CUDA's device functions, as far as they are used: the overloads and the semantics
// of its documentation.
//
// What is undefined there is refused (a message, abort) or gives garbage. Memory is stronger than
// on a device: every thread sees at once what another wrote before it was switched away.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "kernel.h"
#include <cstring>
#include <limits>
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

// The types that __ldg and its like take.
template <class T> struct Loadable : std::bool_constant<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>> {};
template <> struct Loadable<uchar2> : std::true_type {};
template <> struct Loadable<ushort2> : std::true_type {};
template <> struct Loadable<int2> : std::true_type {};
template <> struct Loadable<uint2> : std::true_type {};
template <> struct Loadable<float2> : std::true_type {};
template <> struct Loadable<double2> : std::true_type {};
template <> struct Loadable<longlong2> : std::true_type {};
template <> struct Loadable<ulonglong2> : std::true_type {};
template <> struct Loadable<uchar4> : std::true_type {};
template <> struct Loadable<ushort4> : std::true_type {};
template <> struct Loadable<int4> : std::true_type {};
template <> struct Loadable<uint4> : std::true_type {};
template <> struct Loadable<float4> : std::true_type {};

template <class T> inline void check_access(const T *p, Site site) {
  static_assert(Loadable<T>::value, "no type that the device loads and stores at once");
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

// Rounded to the nearest integer, half to even; out of range: the nearest of the type; no number:
// `no_number`.
template <class To, class From> inline To nearest(From x, To no_number) {
  const From integer = rint(x), limit = static_cast<From>(std::numeric_limits<To>::max());
  if (integer != integer)
    return no_number;
  if (integer >= limit) // `limit` may be rounded up
    return std::numeric_limits<To>::max();
  if (integer <= static_cast<From>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return static_cast<To>(integer);
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
SIMT_REDUCE(__reduce_min_sync, int, a < b ? a : b)
SIMT_REDUCE(__reduce_max_sync, unsigned, a > b ? a : b)
SIMT_REDUCE(__reduce_max_sync, int, a > b ? a : b)
SIMT_REDUCE(__reduce_and_sync, unsigned, a &b)
SIMT_REDUCE(__reduce_or_sync, unsigned, a | b)
SIMT_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef SIMT_REDUCE

// ---- Memory ----
inline void __threadfence_block() { simt::pause_sometimes(8); }
inline void __threadfence() { simt::pause_sometimes(8); }
inline void __threadfence_system() { simt::pause_sometimes(8); }
inline void __nanosleep(unsigned) { simt::pause(); }

template <class T> inline T __ldg(const T *p, SIMT_HERE) {
  simt::check_access(p, {"__ldg", file, line});
  return *p;
}
template <class T> inline T __ldcs(const T *p, SIMT_HERE) {
  simt::check_access(p, {"__ldcs", file, line});
  return *p;
}
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
template <class T> inline void __stcs(T *p, T value, SIMT_HERE) {
  simt::check_access(p, {"__stcs", file, line});
  *p = value;
}

#define SIMT_ATOMIC(name, type, expression)                                                                    \
  inline type name(type *p, type value, SIMT_HERE) {                                                           \
    return simt::atomic(p, [=](type old) { return static_cast<type>(expression); }, {#name, file, line});      \
  }
#define SIMT_ATOMIC_INTEGERS(name, expression)                                                                 \
  SIMT_ATOMIC(name, int, expression)                                                                           \
  SIMT_ATOMIC(name, unsigned, expression)                                                                      \
  SIMT_ATOMIC(name, unsigned long long, expression)
SIMT_ATOMIC(atomicAdd, int, static_cast<unsigned>(old) + static_cast<unsigned>(value))
SIMT_ATOMIC(atomicAdd, unsigned, old + value)
SIMT_ATOMIC(atomicAdd, unsigned long long, old + value)
SIMT_ATOMIC(atomicAdd, float, old + value)
SIMT_ATOMIC(atomicAdd, double, old + value)
SIMT_ATOMIC_INTEGERS(atomicAnd, old &value)
SIMT_ATOMIC_INTEGERS(atomicOr, old | value)
SIMT_ATOMIC_INTEGERS(atomicXor, old ^ value)
SIMT_ATOMIC_INTEGERS(atomicExch, ((void)old, value))
SIMT_ATOMIC(atomicExch, float, ((void)old, value))
SIMT_ATOMIC_INTEGERS(atomicMin, value < old ? value : old)
SIMT_ATOMIC(atomicMin, long long, value < old ? value : old)
SIMT_ATOMIC_INTEGERS(atomicMax, value > old ? value : old)
SIMT_ATOMIC(atomicMax, long long, value > old ? value : old)
#undef SIMT_ATOMIC
#define SIMT_ATOMIC_CAS(type)                                                                                  \
  inline type atomicCAS(type *p, type compare, type value, SIMT_HERE) {                                        \
    return simt::atomic(p, [=](type old) { return old == compare ? value : old; }, {"atomicCAS", file, line}); \
  }
SIMT_ATOMIC_CAS(int)
SIMT_ATOMIC_CAS(unsigned)
SIMT_ATOMIC_CAS(unsigned long long)
#undef SIMT_ATOMIC_CAS
#undef SIMT_ATOMIC_INTEGERS

// ---- Bits ----
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; i++)
    reversed |= (x >> i & 1) << (31 - i);
  return reversed;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}

inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
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

namespace simt {

template <int bits, class Operation> inline unsigned each_field(unsigned a, unsigned b, Operation operation) {
  unsigned result = 0;
  for (int i = 0; i < 32; i += bits)
    result |= operation(a >> i & ((1u << bits) - 1), b >> i & ((1u << bits) - 1)) << i;
  return result;
}

inline unsigned greater(unsigned a, unsigned b) { return a > b ? a : b; }
inline unsigned lesser(unsigned a, unsigned b) { return a < b ? a : b; }

} // namespace simt

inline unsigned __vmaxu2(unsigned a, unsigned b) { return simt::each_field<16>(a, b, simt::greater); }
inline unsigned __vminu2(unsigned a, unsigned b) { return simt::each_field<16>(a, b, simt::lesser); }
inline unsigned __vmaxu4(unsigned a, unsigned b) { return simt::each_field<8>(a, b, simt::greater); }
inline unsigned __vminu4(unsigned a, unsigned b) { return simt::each_field<8>(a, b, simt::lesser); }

// ---- Numbers ----
inline unsigned __float_as_uint(float x) { return simt::reinterpret<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return simt::reinterpret<float>(x); }
inline int __float_as_int(float x) { return simt::reinterpret<int>(x); }
inline float __int_as_float(int x) { return simt::reinterpret<float>(x); }
inline long long __double_as_longlong(double x) { return simt::reinterpret<long long>(x); }
inline double __longlong_as_double(long long x) { return simt::reinterpret<double>(x); }
inline float __fadd_rn(float a, float b) { return simt::rounded(a + b); }
inline float __fsub_rn(float a, float b) { return simt::rounded(a - b); }
inline float __fmul_rn(float a, float b) { return simt::rounded(a * b); }
inline float __fdiv_rn(float a, float b) { return simt::rounded(a / b); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return simt::rounded(a + b); }
inline double __dsub_rn(double a, double b) { return simt::rounded(a - b); }
inline double __dmul_rn(double a, double b) { return simt::rounded(a * b); }
inline double __ddiv_rn(double a, double b) { return simt::rounded(a / b); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline int __float2int_rn(float x) { return simt::nearest<int>(x, 0); }
inline unsigned __float2uint_rn(float x) { return simt::nearest<unsigned>(x, 0); }
inline long long __float2ll_rn(float x) {
  return simt::nearest<long long>(x, std::numeric_limits<long long>::min());
}
inline int __double2int_rn(double x) { return simt::nearest<int>(x, std::numeric_limits<int>::min()); }
inline long long __double2ll_rn(double x) {
  return simt::nearest<long long>(x, std::numeric_limits<long long>::min());
}
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return static_cast<double>(x); }
inline double __uint2double_rn(unsigned x) { return static_cast<double>(x); }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

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
