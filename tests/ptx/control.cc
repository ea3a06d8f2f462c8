// control.cc: branches, calls, ends: what the scheduler does itself.
// SPDX-License-Identifier: BSD-3-Clause
#include "decode.h"

namespace ptx {
namespace {

void branch(Decoding &d) {
  d.has("uni");
  d.want_operands(1, 1);
  d.i.flow = Flow::branch;
}

std::vector<std::string> names_in(const std::string &brackets) {
  return split(brackets.substr(1, brackets.size() - 2));
}

// call (results), name, (arguments): both lists may be missing.
void call(Decoding &d) {
  d.has("uni");
  size_t at = 0;
  if (!d.operands.empty() && d.operands[0][0] == '(')
    for (const std::string &name : names_in(d.operands[at++]))
      d.i.results.push_back(d.scope.parameter(name));
  d.want_operands(at + 1, at + 2);
  const auto callee = d.scope.module.by_name.find(d.operands[at++]);
  if (callee == d.scope.module.by_name.end())
    d.refuse("calls what is not there");
  if (at < d.operands.size())
    for (const std::string &name : names_in(d.operands[at]))
      d.i.arguments.push_back(d.scope.parameter(name));
  if (d.i.arguments.size() != callee->second->formals.size() ||
      d.i.results.size() != callee->second->results.size())
    d.refuse("has other arguments than its function");
  d.i.target = callee->second->number;
  d.i.flow = Flow::call;
  d.scope.function.calls.push_back(d.i.target);
}

void leave(Decoding &d) {
  d.has("uni");
  d.i.flow = Flow::leave;
}

} // namespace

void add_control(Decoders &all) {
  all["bra"] = branch;
  all["call"] = call;
  all["ret"] = leave;
}

} // namespace ptx
