// lanes.h: operations that each lane does for itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "decode.h"
#include "machine.h"

namespace ptx {

template <class T, class Op> void one_source(Warp &w, const Instruction &i, Mask mask) {
  auto *to = w.to<decltype(Op::of(T()))>(i);
  const T *a = w.from<T>(i, 0);
  each(mask, [=](unsigned l) { to[l] = Op::of(a[l]); });
}

template <class T, class Op> void two_sources(Warp &w, const Instruction &i, Mask mask) {
  auto *to = w.to<decltype(Op::of(T(), T()))>(i);
  const T *a = w.from<T>(i, 0), *b = w.from<T>(i, 1);
  each(mask, [=](unsigned l) { to[l] = Op::of(a[l], b[l]); });
}

template <class T, class Op> void three_sources(Warp &w, const Instruction &i, Mask mask) {
  auto *to = w.to<decltype(Op::of(T(), T(), T()))>(i);
  const T *a = w.from<T>(i, 0), *b = w.from<T>(i, 1), *c = w.from<T>(i, 2);
  each(mask, [=](unsigned l) { to[l] = Op::of(a[l], b[l], c[l]); });
}

// Operands to[0], from[0] ... of the instruction's type.
inline void plain_operands(Decoding &d, unsigned sources) {
  d.want_operands(1 + sources, 1 + sources);
  d.to(0, 0);
  d.sources(1, sources, d.type.bytes());
}

} // namespace ptx
