// parse.cc: modules: files, variables, functions and their bodies.
// SPDX-License-Identifier: BSD-3-Clause
#include "decode.h"
#include "machine.h"
#include <algorithm>
#include <cxxabi.h>

namespace ptx {
namespace {

// A function as text.
struct Draft {
  std::string name, results, formals, body;
  bool is_kernel = false;
};

std::string plain_name(const std::string &mangled) {
  int status = 0;
  char *text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text ? text : mangled;
  free(text);
  return name;
}

class ModuleParser {
public:
  explicit ModuleParser(const std::string &read) : text(without_comments(read)), reader(text) {}
  std::unique_ptr<Module> parse();

private:
  const std::string text;
  Reader reader;
  std::unique_ptr<Module> module = std::make_unique<Module>();
  std::vector<Draft> drafts;
  std::vector<std::string> dynamic_shared;

  void read_item();
  void read_section();
  void read_variable(const std::string &statement);
  void read_function(const std::string &head, bool has_body);
  void declare(const Draft &draft);
  void read_shared_of_bodies();
};

void fill(Module &module, const Declaration &d, Variable &variable) {
  const std::string list = d.values[0] == '{' ? d.values.substr(1, d.values.size() - 2) : d.values;
  uint8_t *to = variable.data;
  for (const std::string &word : split(list)) {
    uint64_t value = 0;
    const auto other = module.variables.find(word);
    if (other != module.variables.end())
      value = reinterpret_cast<uint64_t>(other->second.data);
    else if (!number_of(word, d.element, value))
      throw Refusal("value " + word + " of " + d.name);
    if (to + d.element > variable.data + variable.size)
      throw Refusal("too many values of " + d.name);
    memcpy(to, &value, d.element);
    to += d.element;
  }
}

void ModuleParser::read_variable(const std::string &statement) {
  const Declaration d = declaration_of(statement);
  if (d.space == ".shared" && (d.is_external || !d.bytes)) {
    dynamic_shared.push_back(d.name);
  } else if (d.space == ".shared") {
    module->shared_bytes = round_up(module->shared_bytes, std::max(d.alignment, 16u));
    module->shared[d.name] = module->shared_bytes;
    module->shared_bytes += d.bytes;
  } else {
    constexpr uint64_t alignment = 256;
    Variable &variable = module->variables[d.name];
    variable.memory = std::make_unique<uint8_t[]>(d.bytes + alignment);
    variable.data =
        variable.memory.get() + (alignment - reinterpret_cast<uint64_t>(variable.memory.get()) % alignment);
    variable.size = d.bytes;
    if (!d.values.empty())
      fill(*module, d, variable);
  }
}

// The names of inlined functions stand in .debug_str: a label, and lists of bytes.
void ModuleParser::read_section() {
  const bool names = reader.until("{").find(".debug_str") != std::string::npos;
  const std::string body = reader.body();
  if (!names)
    return;
  std::string label, name;
  const auto keep = [&] {
    const size_t digits = label.find_last_not_of("0123456789") + 1;
    if (!label.empty())
      module->inlined[static_cast<uint32_t>(atoi(label.c_str() + digits))] = plain_name(name);
    name.clear();
  };
  for (std::string word : words_of(body)) {
    if (word.back() == ':') {
      keep();
      label = word.substr(0, word.size() - 1);
    } else if (word != ".b8") {
      for (const std::string &byte : split(word))
        if (const int c = atoi(byte.c_str()))
          name += static_cast<char>(c);
    }
  }
  keep();
}

void ModuleParser::declare(const Draft &draft) {
  auto &known = module->by_name[draft.name];
  if (known)
    return;
  module->functions.push_back(std::make_unique<Function>());
  known = module->functions.back().get();
  known->name = draft.name;
  known->is_kernel = draft.is_kernel;
  known->number = static_cast<uint32_t>(module->functions.size() - 1);
}

// ".func (results) name (formals)"
void ModuleParser::read_function(const std::string &head, bool has_body) {
  Draft draft;
  draft.is_kernel = head.find(".entry") != std::string::npos;
  std::string rest = trimmed(head.substr(draft.is_kernel ? head.find(".entry") + 6 : head.find(".func") + 5));
  if (rest[0] == '(') {
    const size_t end = rest.find(')');
    draft.results = rest.substr(1, end - 1);
    rest = trimmed(rest.substr(end + 1));
  }
  const size_t open = rest.find('('), close = rest.find(')');
  draft.name = trimmed(rest.substr(0, std::min(open, rest.find_first_of(" \t\n"))));
  if (open != std::string::npos)
    draft.formals = rest.substr(open + 1, close - open - 1);
  if (has_body)
    draft.body = reader.body();
  declare(draft);
  if (has_body)
    drafts.push_back(draft);
}

void ModuleParser::read_item() {
  for (const char *line : {".version", ".target", ".address_size", ".loc\t", ".loc "})
    if (reader.ahead(line))
      return void(reader.until("\n"));
  if (reader.ahead(".file")) {
    const std::string line = reader.until("\n");
    const size_t begin = line.find('"'), end = line.rfind('"'), slash = line.rfind('/');
    if (begin < end)
      module->files[static_cast<uint32_t>(atoi(line.c_str() + 5))] =
          line.substr(slash == std::string::npos ? begin + 1 : slash + 1,
                      end - (slash == std::string::npos ? begin : slash) - 1);
    return;
  }
  if (reader.ahead(".section"))
    return read_section();
  char found;
  std::string head = reader.until(";{=", &found);
  const bool function = head.find(".entry") != std::string::npos || head.find(".func") != std::string::npos;
  if (function)
    return read_function(head, found == '{');
  if (found == '=')
    head += "=" + reader.until(";");
  if (!begins(trimmed(head), ".pragma"))
    read_variable(trimmed(head));
}

// Shared variables of bodies come before the dynamic ones.
void ModuleParser::read_shared_of_bodies() {
  for (const Draft &draft : drafts)
    for (size_t at = draft.body.find(".shared .align"); at != std::string::npos;
         at = draft.body.find(".shared .align", at + 1)) {
      const std::string statement = draft.body.substr(at, draft.body.find(';', at) - at);
      if (!module->shared.count(declaration_of(statement).name))
        read_variable(statement);
    }
  for (const std::string &name : dynamic_shared)
    module->shared[name] = round_up(module->shared_bytes, 128);
}

// ---- Bodies ----
class BodyParser {
public:
  BodyParser(Module &of, Function &inside) : module(of), function(inside), scope(of, inside) {}
  void declare_formals(const Draft &draft);
  void parse(const Draft &draft);

private:
  Module &module;
  Function &function;
  Scope scope;
  Place place;
  std::unordered_map<std::string, uint32_t> labels;
  std::vector<Wanted> wanted;
  std::string last_label;

  void read_line(const std::string &line);
  void read_statement(const std::string &statement);
  void find_labels();
  uint32_t label(const std::string &name) const;
  uint32_t here() const { return static_cast<uint32_t>(module.code.size()); }
};

// .loc file line column, function_name $L__info_stringN, inlined_at file line column
void BodyParser::read_line(const std::string &line) {
  unsigned file = 0, number = 0;
  if (sscanf(line.c_str(), ".loc %u %u", &file, &number) != 2 || !number)
    return;
  place = {file, number, ~0u, 0, 0};
  const size_t name = line.find("info_string"), inlined = line.find("inlined_at");
  if (name != std::string::npos)
    place.function = static_cast<uint32_t>(atoi(line.c_str() + name + 11));
  if (inlined != std::string::npos)
    sscanf(line.c_str() + inlined, "inlined_at %u %u", &place.caller_file, &place.caller_line);
}

void BodyParser::read_statement(const std::string &statement) {
  if (statement.empty())
    return;
  if (statement[0] == '.') {
    if (!begins(statement, ".shared") || !module.shared.count(declaration_of(statement).name))
      scope.declare(statement);
    return;
  }
  Instruction i = decode(scope, statement, wanted);
  i.place = place;
  i.meets_here = labels.count(last_label) && labels[last_label] == here();
  if (function.is_kernel && i.flow == Flow::leave)
    i.variant = 1;
  module.code.push_back(std::move(i));
}

uint32_t BodyParser::label(const std::string &name) const {
  const auto found = labels.find(name);
  if (found == labels.end())
    throw Refusal("label " + name + " in " + function.name);
  return found->second;
}

void BodyParser::find_labels() {
  for (const Wanted &one : wanted)
    module.code[one.instruction].target = label(one.label);
}

void BodyParser::declare_formals(const Draft &draft) {
  scope.declare_formals(draft.results, function.results);
  scope.declare_formals(draft.formals, function.formals);
}

void BodyParser::parse(const Draft &draft) {
  function.begin = here();
  Reader reader(draft.body);
  Piece piece;
  while (reader.next(piece)) {
    switch (piece.kind) {
    case Piece::open: scope.open(); break;
    case Piece::close: scope.close(); break;
    case Piece::line: read_line(piece.text); break;
    case Piece::label: labels[last_label = piece.text] = here(); break;
    case Piece::statement: read_statement(piece.text); break;
    }
  }
  find_labels();
  function.end = here();
  function.registers = round_up(function.registers, 64);
}

bool is_dropped(const Module &module, const Instruction &i, const std::string &what) {
  const std::string opcode = module.opcodes[i.opcode], place = describe(module, i);
  const size_t blank = what.find(' ');
  return opcode == what.substr(0, blank) &&
         (blank == std::string::npos || place.substr(0, place.find(' ')) == what.substr(blank + 1));
}

void drop_instructions(Module &module) {
  if (!options().drop)
    return;
  for (Instruction &i : module.code)
    if (is_dropped(module, i, options().drop)) {
      i.flow = Flow::plain;
      i.run = nullptr;
      i.dropped = true;
    }
}

std::unique_ptr<Module> ModuleParser::parse() {
  for (reader.blanks(); !reader.at_end(); reader.blanks())
    read_item();
  read_shared_of_bodies();
  std::vector<std::unique_ptr<BodyParser>> parsers;
  // All formals first: a body may call what stands below it.
  for (const Draft &draft : drafts)
    parsers.push_back(std::make_unique<BodyParser>(*module, *module->by_name.at(draft.name)));
  for (size_t k = 0; k < drafts.size(); k++)
    parsers[k]->declare_formals(drafts[k]);
  for (size_t k = 0; k < drafts.size(); k++)
    parsers[k]->parse(drafts[k]);
  drop_instructions(*module);
  return std::move(module);
}

} // namespace

std::unique_ptr<Module> parse(const std::string &text) { return ModuleParser(text).parse(); }

std::string describe(const Module &module, const Instruction &i) {
  const auto name = [&](uint32_t file) {
    const auto found = module.files.find(file);
    return found == module.files.end() ? std::string("?") : found->second;
  };
  // CUDA's intrinsics stand in headers of its own: what counts is where they are called.
  const std::string file = name(i.place.file), caller = name(i.place.caller_file);
  const bool intrinsic =
      file.size() > 4 && file.compare(file.size() - 4, 4, ".hpp") == 0 && i.place.caller_line;
  std::string text =
      (intrinsic ? caller : file) + ":" + std::to_string(intrinsic ? i.place.caller_line : i.place.line);
  if (i.place.caller_line && !intrinsic)
    text += " inlined at " + caller + ":" + std::to_string(i.place.caller_line);
  const auto inlined = module.inlined.find(i.place.function);
  if (inlined != module.inlined.end() && !intrinsic)
    text += " in " + inlined->second;
  return text;
}

namespace {

// Gives a function and all that it calls their places.
void lay_out(const Module &module, Kernel &kernel, uint32_t number, unsigned depth) {
  const Function &function = *module.functions[number];
  if (function.begin == function.end)
    throw Refusal("no body of " + function.name);
  if (depth > 5)
    throw Refusal("calls too deep, or recursion, in " + function.name);
  if (kernel.registers_at[number] == ~0u) {
    kernel.registers_at[number] = kernel.registers;
    kernel.local_at[number] = kernel.local;
    kernel.params_at[number] = kernel.params;
    kernel.registers += function.registers;
    kernel.local += round_up(function.local, 16);
    kernel.params += round_up(function.params, 16);
  }
  for (uint32_t callee : function.calls)
    lay_out(module, kernel, callee, depth + 1);
}

} // namespace

const Kernel *find_kernel(Module &module, const std::string &name) {
  const auto found = module.by_name.find(name);
  if (found == module.by_name.end())
    return nullptr;
  Kernel &kernel = module.kernels[found->second];
  if (kernel.function)
    return &kernel;
  kernel.function = found->second;
  kernel.registers_at.assign(module.functions.size(), ~0u);
  kernel.local_at = kernel.params_at = kernel.registers_at;
  lay_out(module, kernel, found->second->number, 0);
  return &kernel;
}

} // namespace ptx
