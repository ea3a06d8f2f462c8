// program.h: a module of PTX, decoded: instructions, functions, variables, and where a kernel keeps
// what its threads own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace ptx {

// One bit for each lane of a warp. Registers of predicates are such words, too.
using Mask = uint32_t;
constexpr Mask all_lanes = 0xffffffffu;
constexpr unsigned lanes = 32;

struct Warp;
struct Instruction;
struct Function;

using Operation = void (*)(Warp &, const Instruction &, Mask);

enum class Flow : uint8_t { plain, branch, call, leave, meet, barrier };
enum class Space : uint8_t { generic, global, shared, local, param };

// Where the 32 values of an operand stand: in the registers of a warp, in the constants of the
// function, among what a thread is told (its index ...).
enum Area : uint8_t { in_registers, in_constants, in_specials, nowhere };

struct Operand {
  uint32_t at = 0; // bytes from the beginning of the area
  Area area = nowhere;
  uint8_t size = 0; // of a value: 2, 4 or 8; 0 of a predicate
};

struct Address {
  enum Base : uint8_t { absolute, in_register, of_local, of_param, of_argument } base = absolute;
  Operand holder;
  int64_t offset = 0;
};

// A place in the sources; `caller` is where that was inlined.
struct Place {
  uint32_t file = 0, line = 0, function = 0, caller_file = 0, caller_line = 0;
};

struct Instruction {
  Operation run = nullptr;
  Flow flow = Flow::plain;
  Space space = Space::generic;
  uint8_t size = 0;  // of the value that the type names
  uint8_t count = 1; // of the values that are loaded or stored
  uint8_t variant = 0;
  bool is_signed = false;
  bool negated = false, negated_source = false; // the predicate of a guard, and one that is read
  bool strong = false;                          // orders with other blocks: relaxed, volatile, atomic
  bool meets_here = false;                      // a label: lanes that parted may meet
  bool dropped = false;
  Operand guard, members;
  Operand to[4], from[4];
  Address address, other_address;
  uint32_t target = 0; // instruction, or function
  uint32_t function = 0, opcode = 0;
  Place place;
  std::vector<uint32_t> arguments, results; // of a call: offsets among the caller's parameters
  mutable uint64_t runs = 0;
};

// A parameter of a function that is called, or of a kernel.
struct Formal {
  uint32_t offset, size;
};

struct Function {
  std::string name;
  bool is_kernel = false;
  uint32_t number = 0, begin = 0, end = 0;
  uint32_t registers = 0, local = 0, params = 0; // bytes: of a warp, of a lane, of a lane
  std::vector<Formal> formals, results;
  uint32_t argument_bytes = 0;
  std::vector<uint32_t> calls;
};

// Where the functions that a kernel calls keep their registers and memory. There is no recursion.
struct Kernel {
  const Function *function = nullptr;
  std::vector<uint32_t> registers_at, local_at, params_at; // by the number of the function
  uint32_t registers = 0, local = 0, params = 0;
};

struct Variable {
  std::unique_ptr<uint8_t[]> memory;
  uint8_t *data;
  uint32_t size;
};

// What a thread is told by registers of its own, in the order of their place in Area::in_specials.
extern const char *const special_names[];
extern const unsigned special_count;

struct Module {
  std::vector<Instruction> code;
  std::vector<std::unique_ptr<Function>> functions;
  std::unordered_map<std::string, Function *> by_name;
  std::map<std::string, Variable> variables; // in global and constant memory
  std::map<std::string, uint32_t> shared;    // offsets
  uint32_t shared_bytes = 0;
  std::vector<uint64_t> constants; // values of 32 lanes, one behind the other
  std::unordered_map<std::string, uint32_t> constants_known;
  std::vector<std::string> opcodes;
  std::unordered_map<std::string, uint32_t> opcodes_known;
  std::map<uint32_t, std::string> files;
  std::map<uint32_t, std::string> inlined; // names of functions that were inlined
  std::map<const Function *, Kernel> kernels;
};

// PTX that cannot be run: an opcode that is not known, a variable that is not there.
struct Refusal : std::runtime_error {
  using runtime_error::runtime_error;
};

// Decodes a module. Throws a Refusal.
std::unique_ptr<Module> parse(const std::string &text);

// The kernel of this name, or NULL.
const Kernel *find_kernel(Module &module, const std::string &name);

// "compress.cu:68", and the function where it was inlined.
std::string describe(const Module &module, const Instruction &instruction);

inline uint32_t round_up(uint32_t value, uint32_t multiple) {
  return multiple ? (value + multiple - 1) / multiple * multiple : value;
}

} // namespace ptx
