// scope.cc: finds what names mean inside a function, and gives registers and variables their place.
// SPDX-License-Identifier: BSD-3-Clause
#include "scope.h"
#include <algorithm>
#include <cstring>

namespace ptx {

const char *const special_names[] = {"%tid.x", "%ntid.x", "%ctaid.x", "%nctaid.x", "%laneid", "%lanemask_ge"};
const unsigned special_count = sizeof special_names / sizeof *special_names;

void Scope::refuse(const std::string &what) const { throw Refusal(what + " in " + function.name); }

void Scope::close() {
  if (names.size() == 1)
    refuse("a brace too many");
  names.pop_back();
}

const Operand *Scope::find(const std::string &word) const {
  for (size_t i = names.size(); i-- > 0;) {
    const auto found = names[i].find(word);
    if (found != names[i].end())
      return &found->second;
  }
  return nullptr;
}

Operand Scope::new_register(Type type) {
  Operand made;
  made.area = in_registers;
  made.size = type.kind == 'p' ? 0 : static_cast<uint8_t>(std::max(2u, type.bytes()));
  made.at = function.registers;
  function.registers += made.size ? made.size * lanes : 8;
  return made;
}

void Scope::declare_registers(const std::string &statement) {
  const std::string rest = trimmed(statement.substr(4));
  const size_t blank = rest.find_first_of(" \t\n");
  Type type;
  if (blank == std::string::npos || !type_of(rest.substr(1, blank - 1), type) || type.bits > 64)
    refuse("type of '" + statement + "'");
  for (const std::string &name : split(rest.substr(blank))) {
    const size_t angle = name.find('<');
    if (angle == std::string::npos) {
      names.back()[name] = new_register(type);
      continue;
    }
    const std::string stem = name.substr(0, angle);
    const int count = atoi(name.c_str() + angle + 1);
    for (int i = 0; i < count; i++)
      names.back()[stem + std::to_string(i)] = new_register(type);
  }
}

// Calls declare the same names again and again; they share memory.
void Scope::declare_parameter(const Declaration &d) {
  const auto known = memory.find(d.name);
  if (known != memory.end() && known->second.base == Address::of_param && known->second.bytes >= d.bytes)
    return;
  function.params = round_up(function.params, std::max(d.alignment, 8u));
  memory[d.name] = {Address::of_param, function.params, d.bytes};
  function.params += round_up(d.bytes, 8);
}

void Scope::declare(const std::string &statement) {
  if (begins(statement, ".pragma"))
    return;
  if (begins(statement, ".reg"))
    return declare_registers(statement);
  const Declaration d = declaration_of(statement);
  if (d.space == ".local") {
    function.local = round_up(function.local, std::max(d.alignment, 16u));
    memory[d.name] = {Address::of_local, function.local, d.bytes};
    function.local += d.bytes;
  } else if (d.space == ".param") {
    declare_parameter(d);
  } else if (d.space == ".shared") {
    module.shared_bytes = round_up(module.shared_bytes, std::max(d.alignment, 16u));
    module.shared[d.name] = module.shared_bytes;
    module.shared_bytes += d.bytes;
  } else {
    refuse("declaration '" + statement + "'");
  }
}

void Scope::declare_formals(const std::string &list, std::vector<Formal> &formals) {
  for (const std::string &text : split(list)) {
    const Declaration d = declaration_of(text);
    if (function.is_kernel) {
      function.argument_bytes = round_up(function.argument_bytes, d.alignment);
      memory[d.name] = {Address::of_argument, function.argument_bytes, d.bytes};
      formals.push_back({function.argument_bytes, d.bytes});
      function.argument_bytes += d.bytes;
    } else {
      declare_parameter(d);
      formals.push_back({memory[d.name].offset, d.bytes});
    }
  }
}

Operand Scope::destination(const std::string &word, unsigned bytes) const {
  if (word == "_") {
    Operand nothing;
    nothing.size = static_cast<uint8_t>(bytes);
    return nothing;
  }
  const Operand *found = find(word);
  if (!found)
    refuse("destination " + word);
  return *found;
}

Operand Scope::constant(uint64_t value, unsigned bytes) {
  const unsigned size = bytes ? std::max(bytes, 2u) : 0;
  if (!size && value) // a predicate
    value = all_lanes;
  Operand made;
  made.area = in_constants;
  made.size = static_cast<uint8_t>(size);
  const std::string key = std::to_string(value) + " " + std::to_string(size);
  const auto known = module.constants_known.find(key);
  if (known != module.constants_known.end()) {
    made.at = known->second;
    return made;
  }
  made.at = static_cast<uint32_t>(module.constants.size() * sizeof(uint64_t));
  module.constants.resize(module.constants.size() + (size ? lanes * size / sizeof(uint64_t) : 1), value);
  uint8_t *to = reinterpret_cast<uint8_t *>(module.constants.data()) + made.at;
  for (unsigned lane = 0; lane < lanes; lane++)
    memcpy(to + lane * size, &value, size);
  module.constants_known[key] = made.at;
  return made;
}

Operand Scope::source(const std::string &word, unsigned bytes) {
  if (const Operand *found = find(word))
    return *found;
  uint64_t value;
  if (number_of(word, bytes, value))
    return constant(value, bytes);
  for (unsigned i = 0; i < special_count; i++)
    if (word == special_names[i])
      return Operand{i * lanes * 4, in_specials, 4};
  const size_t plus = word.find('+');
  const std::string name = trimmed(word.substr(0, plus));
  const uint64_t offset = plus == std::string::npos ? 0 : strtoull(word.c_str() + plus + 1, nullptr, 0);
  const auto variable = module.variables.find(name);
  if (variable != module.variables.end())
    return constant(reinterpret_cast<uint64_t>(variable->second.data) + offset, 8);
  const auto shared = module.shared.find(name);
  if (shared == module.shared.end())
    refuse("operand " + word);
  return constant(shared->second + offset, bytes);
}

Address Scope::address(const std::string &text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    refuse("address " + text);
  const std::string inner = trimmed(text.substr(1, text.size() - 2));
  const size_t plus = inner.find('+');
  const std::string name = trimmed(inner.substr(0, plus));
  Address a;
  if (plus != std::string::npos)
    a.offset = strtoll(trimmed(inner.substr(plus + 1)).c_str(), nullptr, 0);
  uint64_t value;
  if (const Operand *found = find(name)) {
    a.base = Address::in_register;
    a.holder = *found;
  } else if (number_of(name, 8, value)) {
    a.offset += static_cast<int64_t>(value);
  } else if (memory.count(name)) {
    a.base = memory[name].base;
    a.offset += memory[name].offset;
  } else if (module.variables.count(name)) {
    a.offset += reinterpret_cast<int64_t>(module.variables[name].data);
  } else if (module.shared.count(name)) {
    a.offset += module.shared[name];
  } else {
    refuse("address " + text);
  }
  return a;
}

uint32_t Scope::parameter(const std::string &word) const {
  const auto found = memory.find(word);
  if (found == memory.end() || found->second.base != Address::of_param)
    refuse("parameter " + word);
  return found->second.offset;
}

} // namespace ptx
