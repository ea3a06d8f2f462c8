// warp.cc: a warp at work: which of its groups of lanes runs, where groups part and meet, and what
// they wait for.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.h"
#include <algorithm>

namespace ptx {
namespace {

constexpr size_t most_groups = 8; // that lanes part into at random
constexpr unsigned one_in = 24;   // times

const Instruction *code_of(const Warp &w) { return w.block->launch->module->code.data(); }

void enter(Warp &w, uint32_t function) {
  if (w.function == function)
    return;
  w.function = function;
  w.areas[in_registers] =
      reinterpret_cast<uint8_t *>(w.registers.data()) + w.block->launch->kernel->registers_at[function];
}

bool alike(const Group &a, const Group &b) {
  return a.at == b.at && a.depth == b.depth && a.wait == Group::runs && b.wait == Group::runs &&
         !memcmp(a.callers, b.callers, a.depth * sizeof *a.callers);
}

// The deepest call first, then the lowest place: so those behind catch up. Or any.
size_t choose(const Warp &w) {
  size_t best = w.groups.size();
  uint64_t able = 0;
  for (size_t k = 0; k < w.groups.size(); k++) {
    const Group &g = w.groups[k];
    if (g.wait != Group::runs)
      continue;
    able++;
    const bool first = best == w.groups.size();
    const bool behind = !first && (g.depth > w.groups[best].depth ||
                                   (g.depth == w.groups[best].depth && g.at < w.groups[best].at));
    if (first || (options().apart ? draw_below(able) == 0 : behind))
      best = k;
  }
  return best;
}

// The lanes of `mask` leave their group and go on at `at`.
void part(Warp &w, size_t index, Mask mask, uint32_t at) {
  Group other = w.groups[index];
  w.groups[index].mask &= ~mask;
  other.mask = mask;
  other.at = at;
  w.groups.push_back(other);
}

void part_at_random(Warp &w, size_t index) {
  if (w.groups.size() >= most_groups || draw_below(one_in))
    return;
  const Mask mask = w.groups[index].mask;
  const Mask some =
      draw_below(3) ? static_cast<Mask>(draw_below(uint64_t(1) << 32)) : Mask(1) << draw_below(lanes);
  if ((some & mask) && (some & mask) != mask)
    part(w, index, some & mask, w.groups[index].at);
}

Mask guarded(const Warp &w, const Instruction &i, Mask mask) {
  if (i.guard.area == nowhere)
    return mask;
  return mask & (w.predicate(i.guard) ^ (i.negated ? all_lanes : 0));
}

// ---- Lanes that wait for each other ----
Mask members(const Warp &w, const Instruction &i, Mask mask) {
  const unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
  const Mask named = static_cast<Mask>(w.value(i.members, lane));
  if (!(named >> lane & 1))
    fault(w, lane, "a mask %08x without the lane itself", named);
  return named & w.live;
}

// Lets the groups go on that wait at one instruction, if all its lanes have come.
bool meet(Warp &w) {
  for (size_t k = 0; k < w.groups.size(); k++) {
    if (w.groups[k].wait != Group::meets)
      continue;
    const uint32_t at = w.groups[k].at;
    const Instruction &i = code_of(w)[at];
    enter(w, i.function);
    w.now = &i;
    const Mask wanted = members(w, i, w.groups[k].mask);
    Mask here = 0;
    for (const Group &g : w.groups)
      if (g.wait == Group::meets && g.at == at && members(w, i, g.mask) == wanted)
        here |= g.mask;
    if (here != wanted)
      continue;
    i.runs++;
    i.run(w, i, here);
    for (Group &g : w.groups)
      if (g.wait == Group::meets && g.at == at && (g.mask & here)) {
        g.wait = Group::runs;
        g.at++;
      }
    join(w);
    return true;
  }
  return false;
}

bool arrive(Warp &w) {
  Mask here = 0;
  for (const Group &g : w.groups)
    here |= g.wait == Group::at_barrier ? g.mask : 0;
  if (here != w.live)
    return false;
  w.at_barrier = true;
  w.block->arrived++;
  pass_barrier_if_all_wait(*w.block);
  return true;
}

[[noreturn]] void deadlock(Warp &w) {
  const Module &module = *w.block->launch->module;
  for (const Group &g : w.groups)
    fprintf(stderr, "ptx: lanes %08x wait at %s, %s\n", g.mask, module.opcodes[code_of(w)[g.at].opcode].c_str(),
            describe(module, code_of(w)[g.at]).c_str());
  w.now = &code_of(w)[w.groups[0].at];
  fault(w, 0, "deadlock: lanes of a warp wait for each other");
}

// ---- Calls and ends ----
void copy_parameters(Warp &w, Mask mask, uint32_t to, const std::vector<Formal> &to_places, bool to_formals,
                     uint32_t from, const std::vector<uint32_t> &others) {
  const Kernel &kernel = *w.block->launch->kernel;
  each(mask, [&](unsigned l) {
    uint8_t *base = w.params_of(l);
    for (size_t k = 0; k < others.size(); k++) {
      uint8_t *formal = base + kernel.params_at[to] + to_places[k].offset;
      uint8_t *actual = base + kernel.params_at[from] + others[k];
      memcpy(to_formals ? formal : actual, to_formals ? actual : formal, to_places[k].size);
    }
  });
}

void call(Warp &w, size_t index, const Instruction &i) {
  Group &g = w.groups[index];
  const Function &callee = *w.block->launch->module->functions[i.target];
  copy_parameters(w, g.mask, i.target, callee.formals, true, i.function, i.arguments);
  g.callers[g.depth++] = g.at;
  g.at = callee.begin;
}

void end_lanes(Warp &w, size_t index) {
  const Mask mask = w.groups[index].mask;
  for (const Copy &copy : w.copies)
    if (mask >> copy.lane & 1) {
      w.now = copy.instruction;
      fault(w, copy.lane, "a copy that nobody waited for");
    }
  w.groups.erase(w.groups.begin() + static_cast<ptrdiff_t>(index));
  w.live &= ~mask;
  if (w.live)
    return;
  w.done = true;
  w.block->live--;
  pass_barrier_if_all_wait(*w.block);
}

void leave(Warp &w, size_t index, const Instruction &i) {
  Group &g = w.groups[index];
  if (i.variant || g.depth == 0)
    return end_lanes(w, index);
  const Module &module = *w.block->launch->module;
  const Instruction &caller = module.code[g.callers[--g.depth]];
  copy_parameters(w, g.mask, i.function, module.functions[i.function]->results, false, caller.function,
                  caller.results);
  g.at = g.callers[g.depth] + 1;
}

// What is neither plain nor a branch that all take. The group is at the instruction.
void control(Warp &w, size_t index, const Instruction &i, Mask mask) {
  const uint32_t next = w.groups[index].at + 1;
  if (mask != w.groups[index].mask) { // the others go on
    const Mask others = w.groups[index].mask & ~mask;
    if (i.flow == Flow::meet || i.flow == Flow::barrier)
      fault(w, 0, "some lanes only, by a predicate");
    part(w, index, others, next);
  }
  switch (i.flow) {
  case Flow::branch: w.groups[index].at = i.target; break;
  case Flow::call: call(w, index, i); break;
  case Flow::leave: leave(w, index, i); break;
  case Flow::meet: w.groups[index].wait = Group::meets; break;
  case Flow::barrier: w.groups[index].wait = Group::at_barrier; break;
  case Flow::plain: break;
  }
}

// Runs a group until it waits, parts, ends, comes to where others may be, or has run long enough.
void advance(Warp &w, size_t index, unsigned &budget) {
  const Instruction *code = code_of(w);
  Group &g = w.groups[index];
  const bool alone = w.groups.size() == 1;
  uint32_t at = g.at;
  enter(w, code[at].function);
  for (bool first = true; budget && !w.polls; first = false) {
    const Instruction &i = code[at];
    if (i.meets_here && !alone && !first)
      break;
    budget--;
    w.now = &i;
    const Mask mask = guarded(w, i, g.mask);
    i.runs += mask != 0;
    if (i.flow == Flow::plain) {
      if (mask && i.run)
        i.run(w, i, mask);
      at++;
    } else if (!mask) {
      at++;
    } else if (i.flow == Flow::branch && mask == g.mask && alone) {
      at = i.target;
    } else if (i.flow == Flow::meet && mask == g.mask && members(w, i, mask) == mask) {
      i.run(w, i, mask);
      at++;
    } else {
      g.at = at;
      return control(w, index, i, mask);
    }
  }
  g.at = at;
}

} // namespace

void join(Warp &w) {
  for (size_t a = 0; a < w.groups.size(); a++)
    for (size_t b = w.groups.size(); b-- > a + 1;)
      if (alike(w.groups[a], w.groups[b])) {
        w.groups[a].mask |= w.groups[b].mask;
        w.groups.erase(w.groups.begin() + static_cast<ptrdiff_t>(b));
      }
}

void run(Warp &w, unsigned budget) {
  const unsigned all = budget;
  w.polls = false;
  while (budget && !w.polls && !w.done && !w.at_barrier) {
    const size_t index = choose(w);
    if (index == w.groups.size()) {
      if (!meet(w) && !arrive(w))
        deadlock(w);
      continue;
    }
    unsigned some = budget;
    if (options().apart) {
      part_at_random(w, index);
      some = std::min(some, 1 + static_cast<unsigned>(draw_below(60)));
    }
    const unsigned before = some;
    advance(w, index, some);
    budget -= before - some;
    if (w.groups.size() > 1 && (!options().apart || draw_below(4) == 0))
      join(w);
  }
  totals.instructions += all - budget;
}

} // namespace ptx
