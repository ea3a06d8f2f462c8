// options.cc: what the environment asks the interpreter to look for, and how it tells of faults.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.h"
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>

namespace ptx {
namespace {

bool is_set(const char *name, bool usually) {
  const char *text = getenv(name);
  return text && *text ? *text != '0' : usually;
}

Options of_environment() {
  Options o = {};
  o.races = is_set("PTX_RACES", true);
  o.uninitialised = is_set("PTX_UNINITIALISED", true);
  o.apart = is_set("PTX_APART", false);
  o.weak = is_set("PTX_WEAK", false);
  o.drop = getenv("PTX_DROP");
  o.counts = getenv("PTX_COUNTS");
  return o;
}

} // namespace

Options &options() {
  static Options o = of_environment();
  return o;
}

void fault(const Warp &w, unsigned lane, const char *format, ...) {
  const Launch &launch = *w.block->launch;
  va_list rest;
  fflush(stdout);
  fputs("ptx: ", stderr);
  va_start(rest, format);
  vfprintf(stderr, format, rest);
  va_end(rest);
  const Instruction &i = *w.now;
  fprintf(stderr, "\n     %s at %s;\n     kernel %s, launch %llu, block %u, warp %u, lane %u\n",
          launch.module->opcodes[i.opcode].c_str(), describe(*launch.module, i).c_str(),
          launch.kernel->function->name.c_str(), (unsigned long long)launch.number, w.block->number, w.number,
          lane);
  abort();
}

} // namespace ptx
