// decode.h: one instruction as text on its way to be decoded. Each opcode has a decoder, which asks
// for the modifiers that it knows; one that was not asked for is refused by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "scope.h"

namespace ptx {

class Decoding {
public:
  Decoding(Scope &where, Instruction &made, const std::string &text);

  bool has(const char *modifier);
  // The place in a list of modifiers, of which one must be there.
  uint8_t one_of(std::initializer_list<const char *> modifiers);
  void want_operands(size_t least, size_t most);
  // By default of the size of the type.
  void to(unsigned n, size_t operand, unsigned bytes = 0);
  void from(unsigned n, size_t operand, unsigned bytes);
  // Sources that follow one another, from[first] and so on.
  void sources(size_t first_operand, unsigned count, unsigned bytes, unsigned first = 0);
  // "!%p" is the negation of a predicate.
  void predicate_from(unsigned n, size_t operand);
  void finish() const; // all modifiers were understood
  [[noreturn]] void refuse(const char *why = "cannot be run") const;

  Scope &scope;
  Instruction &i;
  std::string opcode, name; // "add.s32", "add"
  std::vector<Type> types;
  Type type{'b', 32}; // the last
  std::vector<std::string> operands;

private:
  std::string statement;
  std::vector<std::string> modifiers;
  std::vector<bool> known;
  void take_guard(std::string &text);
  void check_size(const Operand &operand, unsigned bytes) const;
};

using Decoder = void (*)(Decoding &);
using Decoders = std::unordered_map<std::string, Decoder>;

void add_arithmetic(Decoders &);
void add_bits(Decoders &);
void add_moves(Decoders &);
void add_conversions(Decoders &);
void add_comparisons(Decoders &);
void add_memory(Decoders &);
void add_atomics(Decoders &);
void add_meetings(Decoders &);
void add_control(Decoders &);

// Decodes a statement. Labels are found later, by the names that are left in `wanted`.
struct Wanted {
  size_t instruction;
  std::string label;
};
Instruction decode(Scope &scope, const std::string &statement, std::vector<Wanted> &wanted);

// make(T()) for a type of so many bits.
template <class Make> Operation for_words(Decoding &d, Make make) {
  switch (d.type.bits) {
  case 16: return make(uint16_t());
  case 32: return make(uint32_t());
  case 64: return make(uint64_t());
  }
  d.refuse();
}
template <class Make> Operation for_reals(Decoding &d, Make make) {
  if (d.type.kind != 'f' || (d.type.bits != 32 && d.type.bits != 64))
    d.refuse();
  return d.type.bits == 32 ? make(float()) : make(double());
}
// Signed types give signed T.
template <class Make> Operation for_integers(Decoding &d, Make make) {
  if (d.type.kind == 'f')
    d.refuse();
  if (d.type.kind != 's')
    return for_words(d, make);
  switch (d.type.bits) {
  case 16: return make(int16_t());
  case 32: return make(int32_t());
  case 64: return make(int64_t());
  }
  d.refuse();
}
template <class Make> Operation for_numbers(Decoding &d, Make make) {
  return d.type.kind == 'f' ? for_reals(d, make) : for_integers(d, make);
}

} // namespace ptx
