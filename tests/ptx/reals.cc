// reals.cc: arithmetic of float and double, rounded to nearest. A float that is not a number has
// the bits that a GPU gives it.
// SPDX-License-Identifier: BSD-3-Clause
#include "lanes.h"
#include <cmath>

namespace ptx {
namespace {

float usual_nan(float x) {
  constexpr uint32_t bits = 0x7fffffff;
  if (x != x)
    memcpy(&x, &bits, sizeof x);
  return x;
}
double usual_nan(double x) { return x; }

struct Add {
  template <class T> static T of(T a, T b) { return usual_nan(a + b); }
};
struct Subtract {
  template <class T> static T of(T a, T b) { return usual_nan(a - b); }
};
struct Multiply {
  template <class T> static T of(T a, T b) { return usual_nan(a * b); }
};
struct Divide {
  template <class T> static T of(T a, T b) { return usual_nan(a / b); }
};
struct MultiplyAdd {
  template <class T> static T of(T a, T b, T c) { return usual_nan(std::fma(a, b, c)); }
};
// -0 is less than +0, and what is not a number is passed over.
struct Least {
  template <class T> static T of(T a, T b) {
    return a == b ? (std::signbit(a) ? a : b) : usual_nan(std::fmin(a, b));
  }
};
struct Greatest {
  template <class T> static T of(T a, T b) {
    return a == b ? (std::signbit(a) ? b : a) : usual_nan(std::fmax(a, b));
  }
};
struct Root {
  template <class T> static T of(T a) { return usual_nan(std::sqrt(a)); }
};
struct Reciprocal {
  template <class T> static T of(T a) { return usual_nan(1 / a); }
};
struct Negate {
  template <class T> static T of(T a) { return -a; }
};
struct Absolute {
  template <class T> static T of(T a) { return std::fabs(a); }
};

template <class Op> void of_one(Decoding &d) {
  plain_operands(d, 1);
  d.i.run = for_reals(d, [](auto x) -> Operation { return one_source<decltype(x), Op>; });
}
template <class Op> void of_two(Decoding &d) {
  plain_operands(d, 2);
  d.i.run = for_reals(d, [](auto x) -> Operation { return two_sources<decltype(x), Op>; });
}

// Where an approximation could be meant, the rounding has to be there.
void rounded(Decoding &d) {
  if (!d.has("rn"))
    d.refuse();
}

void fused(Decoding &d) {
  rounded(d);
  plain_operands(d, 3);
  d.i.run = for_reals(d, [](auto x) -> Operation { return three_sources<decltype(x), MultiplyAdd>; });
}

void root(Decoding &d) {
  rounded(d);
  of_one<Root>(d);
}

void reciprocal(Decoding &d) {
  rounded(d);
  of_one<Reciprocal>(d);
}

void quotient(Decoding &d) {
  rounded(d);
  of_two<Divide>(d);
}

} // namespace

// The opcodes that integers have, too.
void decode_real(Decoding &d) {
  static const Decoders decoders = {
      {"add", of_two<Add>},   {"sub", of_two<Subtract>}, {"mul", of_two<Multiply>}, {"div", quotient},
      {"min", of_two<Least>}, {"max", of_two<Greatest>}, {"neg", of_one<Negate>},   {"abs", of_one<Absolute>}};
  d.has("rn");
  const auto found = decoders.find(d.name);
  if (found == decoders.end())
    d.refuse();
  found->second(d);
}

void add_reals(Decoders &all) {
  all["fma"] = fused;
  all["sqrt"] = root;
  all["rcp"] = reciprocal;
}

} // namespace ptx
