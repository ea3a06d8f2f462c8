// scope.h: what names mean inside a function: registers, variables, parameters, labels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "program.h"
#include "syntax.h"

namespace ptx {

class Scope {
public:
  Scope(Module &of, Function &inside) : module(of), function(inside) {}

  void open() { names.emplace_back(); }
  void close();
  // A statement that begins with a dot: registers, local memory, parameters of calls.
  void declare(const std::string &statement);
  void declare_formals(const std::string &list, std::vector<Formal> &formals);

  Operand destination(const std::string &word, unsigned bytes) const;
  Operand source(const std::string &word, unsigned bytes);
  Operand constant(uint64_t value, unsigned bytes);
  // "[base+offset]"
  Address address(const std::string &text);
  // Whether a word names memory of its own: a variable of the function or a parameter.
  bool names_memory(const std::string &word) const { return memory.count(word) != 0; }
  // The offset of a parameter of a call.
  uint32_t parameter(const std::string &word) const;

  Module &module;
  Function &function;

private:
  struct Memory {
    Address::Base base;
    uint32_t offset, bytes;
  };
  std::vector<std::unordered_map<std::string, Operand>> names{1};
  std::unordered_map<std::string, Memory> memory;

  const Operand *find(const std::string &word) const;
  Operand new_register(Type type);
  void declare_registers(const std::string &statement);
  void declare_parameter(const Declaration &d);
  [[noreturn]] void refuse(const std::string &what) const;
};

} // namespace ptx
