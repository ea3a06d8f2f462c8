// vectors.h: CUDA's vector types, as far as they are used, with CUDA's alignment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

struct uint3 {
  unsigned int x, y, z;
};
struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
};

#define SIMT_VECTOR2(name, type, alignment)                                                                    \
  struct alignas(alignment) name {                                                                             \
    type x, y;                                                                                                 \
  };                                                                                                           \
  inline name make_##name(type x, type y) { return {x, y}; }
#define SIMT_VECTOR4(name, type, alignment)                                                                    \
  struct alignas(alignment) name {                                                                             \
    type x, y, z, w;                                                                                           \
  };                                                                                                           \
  inline name make_##name(type x, type y, type z, type w) { return {x, y, z, w}; }

SIMT_VECTOR2(uchar2, unsigned char, 2)
SIMT_VECTOR2(ushort2, unsigned short, 4)
SIMT_VECTOR2(int2, int, 8)
SIMT_VECTOR2(uint2, unsigned int, 8)
SIMT_VECTOR2(float2, float, 8)
SIMT_VECTOR2(double2, double, 16)
SIMT_VECTOR2(longlong2, long long, 16)
SIMT_VECTOR2(ulonglong2, unsigned long long, 16)
SIMT_VECTOR4(uchar4, unsigned char, 4)
SIMT_VECTOR4(ushort4, unsigned short, 8)
SIMT_VECTOR4(int4, int, 16)
SIMT_VECTOR4(uint4, unsigned int, 16)
SIMT_VECTOR4(float4, float, 16)

#undef SIMT_VECTOR2
#undef SIMT_VECTOR4
