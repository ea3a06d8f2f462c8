// decode.cc: takes an instruction apart, and finds the decoder of its opcode.
// SPDX-License-Identifier: BSD-3-Clause
#include "decode.h"
#include <algorithm>

namespace ptx {
namespace {

Decoders all_decoders() {
  Decoders decoders;
  for (const auto add : {add_arithmetic, add_bits, add_moves, add_conversions, add_comparisons, add_memory,
                         add_atomics, add_meetings, add_control})
    add(decoders);
  return decoders;
}

uint32_t number_of_opcode(Module &module, const std::string &opcode) {
  const auto known = module.opcodes_known.emplace(opcode, static_cast<uint32_t>(module.opcodes.size()));
  if (known.second)
    module.opcodes.push_back(opcode);
  return known.first->second;
}

} // namespace

Decoding::Decoding(Scope &where, Instruction &made, const std::string &text)
    : scope(where), i(made), statement(text) {
  std::string rest = text;
  take_guard(rest);
  const size_t end = rest.find_first_of(" \t\n");
  opcode = rest.substr(0, end);
  if (end != std::string::npos)
    operands = split(trimmed(rest.substr(end)));
  modifiers = split(opcode, '.');
  if (modifiers.empty())
    refuse();
  name = modifiers[0];
  modifiers.erase(modifiers.begin());
  for (const std::string &modifier : modifiers) {
    Type found;
    known.push_back(type_of(modifier, found));
    if (known.back())
      types.push_back(found);
  }
  if (!types.empty())
    type = types.back();
  i.size = static_cast<uint8_t>(type.bytes());
  i.is_signed = type.kind == 's';
}

void Decoding::take_guard(std::string &text) {
  if (text[0] != '@')
    return;
  const size_t end = text.find_first_of(" \t\n");
  i.negated = text[1] == '!';
  i.guard = scope.destination(text.substr(1 + i.negated, end - 1 - i.negated), 0);
  text = trimmed(text.substr(end));
}

bool Decoding::has(const char *modifier) {
  bool found = false;
  for (size_t k = 0; k < modifiers.size(); k++)
    if (modifiers[k] == modifier)
      found = known[k] = true;
  return found;
}

uint8_t Decoding::one_of(std::initializer_list<const char *> list) {
  uint8_t n = 0;
  for (const char *modifier : list) {
    if (has(modifier))
      return n;
    n++;
  }
  refuse();
}

void Decoding::want_operands(size_t least, size_t most) {
  if (operands.size() < least || operands.size() > most)
    refuse("has another number of operands");
}

void Decoding::check_size(const Operand &operand, unsigned bytes) const {
  if (operand.size != (bytes ? std::max(bytes, 2u) : 0))
    refuse("has an operand of another size");
}

void Decoding::to(unsigned n, size_t operand, unsigned bytes) {
  want_operands(operand + 1, 9);
  bytes = bytes ? bytes : type.bytes();
  i.to[n] = scope.destination(operands[operand], bytes);
  if (i.to[n].area != nowhere)
    check_size(i.to[n], bytes);
}

void Decoding::from(unsigned n, size_t operand, unsigned bytes) {
  want_operands(operand + 1, 9);
  i.from[n] = scope.source(operands[operand], bytes);
  check_size(i.from[n], bytes);
}

void Decoding::sources(size_t first_operand, unsigned count, unsigned bytes, unsigned first) {
  for (unsigned n = 0; n < count; n++)
    from(first + n, first_operand + n, bytes);
}

void Decoding::predicate_from(unsigned n, size_t operand) {
  want_operands(operand + 1, 9);
  std::string word = operands[operand];
  i.negated_source = word[0] == '!';
  i.from[n] = scope.destination(word.substr(i.negated_source), 0);
}

void Decoding::finish() const {
  for (size_t k = 0; k < modifiers.size(); k++)
    if (!known[k])
      refuse(("has the unknown modifier ." + modifiers[k]).c_str());
}

void Decoding::refuse(const char *why) const {
  throw Refusal("'" + statement + "' " + why + ", in " + scope.function.name);
}

Instruction decode(Scope &scope, const std::string &statement, std::vector<Wanted> &wanted) {
  static const Decoders decoders = all_decoders();
  Instruction i;
  Decoding d(scope, i, statement);
  const auto decoder = decoders.find(d.name);
  if (decoder == decoders.end())
    d.refuse("is an unknown opcode");
  i.opcode = number_of_opcode(scope.module, d.opcode);
  i.function = scope.function.number;
  decoder->second(d);
  d.finish();
  if (i.flow == Flow::branch)
    wanted.push_back({scope.module.code.size(), d.operands.at(0)});
  return i;
}

} // namespace ptx
