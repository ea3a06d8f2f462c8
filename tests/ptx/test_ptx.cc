// test_ptx.cc: the interpreter itself: small kernels in PTX that are right give what they should in
// every schedule, and wrong ones end with a word that says what is wrong.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.h"
#include "state.h"
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using ptx::Module;
using ptx::Options;
int passed = 0, failed = 0;

void report(bool good, const std::string &what) {
  (good ? passed : failed)++;
  if (!good)
    fprintf(stderr, "test_ptx.cc: not so: %s\n", what.c_str());
}

// A kernel of two pointers; its thread's number is in %r1, the pointers are in %rd1 and %rd2.
std::string kernel(const std::string &body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".extern .shared .align 128 .b8 dynamic[];\n"
         ".visible .entry test(.param .u64 first, .param .u64 second)\n{\n"
         ".reg .pred %p<8>;\n.reg .b16 %rs<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<8>;\n"
         ".reg .f64 %fd<8>;\n"
         "ld.param.u64 %rd1, [first];\nld.param.u64 %rd2, [second];\nmov.u32 %r1, %tid.x;\n" +
         body + "\nret;\n}\n";
}

// The word of this thread in the first array: its address is then in %rd3.
const std::string my_word = "mul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd3, %rd1, %rd4;\n";
const std::string give = my_word + "st.global.u32 [%rd3], %r2;\n";

struct Shape {
  uint32_t blocks = 1, threads = 32;
};
constexpr size_t words = 1024;

// Runs a module's kernel; returns the first array, which begins as zeros. The second, of as many
// words, counts from 0.
std::vector<uint32_t> run(const std::string &text, Shape shape = {}) {
  simt_settings s = simt_defaults();
  s.protect = 0;
  s.resident = 8;
  simt_configure(&s);
  void *first = nullptr, *second = nullptr;
  cudaMalloc(&first, words * 4);
  cudaMalloc(&second, words * 4);
  memset(first, 0, words * 4);
  for (uint32_t k = 0; k < words; k++)
    static_cast<uint32_t *>(second)[k] = k;
  const std::unique_ptr<Module> module = ptx::parse(text);
  const uint64_t arguments[2] = {reinterpret_cast<uint64_t>(first), reinterpret_cast<uint64_t>(second)};
  ptx::Launch launch;
  launch.module = module.get();
  launch.kernel = ptx::find_kernel(*module, "test");
  launch.blocks = shape.blocks;
  launch.threads = shape.threads;
  launch.dynamic_shared = 4096;
  launch.arguments = reinterpret_cast<const uint8_t *>(arguments);
  ptx::run(launch);
  const uint32_t *result = static_cast<uint32_t *>(first);
  std::vector<uint32_t> values(result, result + words);
  cudaFree(first);
  cudaFree(second);
  return values;
}

// In a process of its own: what it prints before it dies; "" if it lives.
std::string last_words(const std::string &text, Shape shape, const Options &options) {
  int pipes[2];
  if (pipe(pipes))
    abort();
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipes[1], 2);
    close(pipes[0]);
    ptx::options() = options;
    try {
      run(text, shape);
    } catch (const ptx::Refusal &refusal) {
      fprintf(stderr, "%s\n", refusal.what());
      _exit(1);
    }
    _exit(0);
  }
  close(pipes[1]);
  std::string said;
  char buffer[512];
  for (ssize_t got; (got = read(pipes[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<size_t>(got));
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status ? said : "";
}

Options with(bool Options::*what, bool value) {
  Options options = ptx::options();
  options.*what = value;
  return options;
}

void dies(const char *what, const std::string &body, const char *word, Shape shape = {},
          const Options &options = ptx::options()) {
  const std::string said = last_words(kernel(body), shape, options);
  report(said.find(word) != std::string::npos,
         std::string(what) + ": '" + word + "' in '" + said.substr(0, 300) + "'");
}

void lives(const char *what, const std::string &body, Shape shape = {},
           const Options &options = ptx::options()) {
  const std::string said = last_words(kernel(body), shape, options);
  report(said.empty(), std::string(what) + ": " + said.substr(0, 300));
}

// ---- Values ----
// Each lane's %r2 is what the function says of its number.
template <class Wanted> void gives(const char *what, const std::string &body, Wanted wanted, Shape shape = {}) {
  const std::vector<uint32_t> got = run(kernel(body + give), shape);
  for (uint32_t t = 0; t < shape.threads; t++)
    if (got[t] != static_cast<uint32_t>(wanted(t)))
      return report(false,
                    std::string(what) + ": thread " + std::to_string(t) + " has " + std::to_string(got[t]));
  report(true, what);
}

void arithmetic() {
  gives("sub, mad", "sub.s32 %r3, 5, %r1;\nmad.lo.s32 %r2, %r3, %r3, %r1;\n",
        [](uint32_t t) { return (5 - t) * (5 - t) + t; });
  gives("mul.wide, shr", "mul.wide.s32 %rd5, %r1, -3;\nshr.s64 %rd5, %rd5, 1;\ncvt.u32.u64 %r2, %rd5;\n",
        [](uint32_t t) { return (-3 * static_cast<int64_t>(t)) >> 1; });
  gives("add.cc, addc",
        "cvt.u64.u32 %rd5, %r1;\nadd.cc.s64 %rd6, %rd5, -4;\naddc.cc.s64 %rd6, 0, 0;\ncvt.u32.u64 %r2, %rd6;\n",
        [](uint32_t t) { return t >= 4; });
  gives("div", "add.u32 %r3, %r1, 100;\ndiv.u32 %r2, %r3, 7;\n", [](uint32_t t) { return (t + 100) / 7; });
  gives("prmt", "prmt.b32 %r2, 0x80706050, 0x44332211, 0x7b40;\n", [](uint32_t) { return 0x44ff1150; });
  gives("shf", "shf.r.wrap.b32 %r2, %r1, 1, 33;\n", [](uint32_t t) { return t >> 1 | 0x80000000u; });
  gives("bfi, shr", "bfi.b32 %r3, %r1, -1, 8, 5;\nshr.u32 %r4, %r3, 8;\nand.b32 %r2, %r4, 31;\n",
        [](uint32_t t) { return t; });
  gives("clz, bfind, popc",
        "clz.b32 %r3, %r1;\nbfind.shiftamt.u32 %r4, %r1;\npopc.b32 %r5, %r1;\nsub.u32 %r2, %r3, %r4;\n"
        "mad.lo.u32 %r2, %r5, 100, %r2;\n",
        [](uint32_t t) { return t ? 100 * __builtin_popcount(t) : 33; });
  gives("dp4a", "dp4a.u32.u32 %r2, 0x01ff0203, 0x01010101, %r1;\n",
        [](uint32_t t) { return t + 1 + 255 + 2 + 3; });
  gives(
      "setp, and, selp",
      "setp.gt.u32 %p1, %r1, 3;\nsetp.le.s32 %p2, %r1, 8;\nand.pred %p2, %p1, %p2;\nselp.u32 %r2, 7, 8, %p2;\n",
      [](uint32_t t) { return t > 3 && t < 9 ? 7 : 8; });
}

void reals() {
  gives("fma is fused", "mov.f32 %f1, 0f3f800001;\nfma.rn.f32 %f2, %f1, %f1, 0fbf800002;\nmov.b32 %r2, %f2;\n",
        [](uint32_t) { return 0x28800000; });
  gives("cvt saturates",
        "cvt.rn.f64.u32 %fd1, %r1;\nmul.rn.f64 %fd1, %fd1, 0d41F0000000000000;\ncvt.rzi.s32.f64 %r2, %fd1;\n",
        [](uint32_t t) { return t ? 0x7fffffff : 0; });
  gives("cvt rounds to even",
        "cvt.rn.f32.u32 %f1, %r1;\nmul.rn.f32 %f1, %f1, 0f3f000000;\ncvt.rni.s32.f32 %r2, %f1;\n",
        [](uint32_t t) { return t / 2 + (t % 4 == 3); });
  gives("a NaN has its bits", "mov.f32 %f1, 0f7f800000;\nsub.rn.f32 %f2, %f1, %f1;\nmov.b32 %r2, %f2;\n",
        [](uint32_t) { return 0x7fffffff; });
  for (const std::string relation : {"eq", "ne", "lt", "le", "gt", "ge", "neu", "ltu", "leu", "gtu", "geu"})
    gives(("a NaN is " + relation).c_str(),
          "mov.f32 %f1, 0f7fffffff;\nmov.f32 %f2, 0f3f800000;\nsetp." + relation +
              ".f32 %p1, %f1, %f2;\nselp.u32 %r2, 1, 0, %p1;\n",
          [&](uint32_t) { return relation.size() == 3; });
  for (const std::string relation : {"eq", "lt", "le", "leu", "ltu"})
    gives(("a number is " + relation).c_str(),
          "cvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, 0f40a00000;\nsetp." + relation +
              ".f32 %p1, %f1, %f2;\nselp.u32 %r2, 1, 0, %p1;\n",
          [&](uint32_t t) { return (relation[0] == 'l' && t < 5) || (relation[1] != 't' && t == 5); });
}

void lanes_together() {
  gives("shfl.up", "shfl.sync.up.b32 %r2|%p1, %r1, 3, 0, -1;\n@!%p1 mov.u32 %r2, 99;\n",
        [](uint32_t t) { return t < 3 ? 99 : t - 3; });
  gives("shfl in segments", "shfl.sync.bfly.b32 %r2, %r1, 1, 0x1c03, -1;\n", [](uint32_t t) { return t ^ 1; });
  gives("vote, redux",
        "setp.lt.u32 %p1, %r1, 5;\nvote.sync.ballot.b32 %r3, %p1, -1;\nredux.sync.max.u32 %r4, %r1, -1;\n"
        "add.u32 %r2, %r3, %r4;\n",
        [](uint32_t) { return 31 + 31; });
  const std::string parted =
      "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra even;\nmul.lo.u32 %r2, %r1, 3;\n"
      "bra.uni met;\neven:\nadd.u32 %r2, %r1, 1000;\nmet:\n"
      "shfl.sync.idx.b32 %r2, %r2, 1, 31, -1;\n";
  gives("lanes part and meet", parted, [](uint32_t) { return 3; });
  gives("a loop of so many turns",
        "mov.u32 %r2, 0;\nagain:\nadd.u32 %r2, %r2, 2;\nsetp.le.u32 %p1, %r2, %r1;\n@%p1 bra again;\n",
        [](uint32_t t) { return t / 2 * 2 + 2; });
}

// A warp writes, the other reads; with and without the barrier between.
const std::string to_shared =
    "mov.u32 %r4, dynamic;\nshl.b32 %r5, %r1, 2;\nadd.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r1;\n";
const std::string other_warp = "xor.b32 %r7, %r5, 128;\nadd.u32 %r8, %r4, %r7;\nld.shared.u32 %r2, [%r8];\n";
const std::string neighbour = "xor.b32 %r7, %r5, 4;\nadd.u32 %r8, %r4, %r7;\nld.shared.u32 %r2, [%r8];\n";

void shared_memory() {
  const Shape two = {1, 64};
  gives(
      "bar.sync", to_shared + "bar.sync 0;\n" + other_warp, [](uint32_t t) { return t ^ 32; }, two);
  const Options races_alone = with(&Options::uninitialised, false);
  dies("no bar.sync", to_shared + other_warp, "race: ", two, races_alone);
  dies("a barrier of the warp alone", to_shared + "bar.warp.sync -1;\n" + other_warp, "race: ", two,
       races_alone);
  gives("bar.warp.sync", to_shared + "bar.warp.sync -1;\n" + neighbour, [](uint32_t t) { return t ^ 1; });
  dies("a shuffle is no barrier", to_shared + "shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;\n" + neighbour,
       "race: reads byte");
  dies("written after it was read", to_shared + "bar.sync 0;\n" + other_warp + "st.shared.u32 [%r6], %r2;\n",
       "race: ", two);
  dies("nobody has written", "mov.u32 %r4, dynamic;\nld.shared.u32 %r2, [%r4];\n", "uninitialised: ");
  dies("behind shared memory", "mov.u32 %r4, dynamic;\nst.shared.u32 [%r4+4096], %r1;\n",
       "out of bounds: bytes 4096");
  lives("atomics do not race", "mov.u32 %r4, dynamic;\natom.shared.add.u32 %r2, [%r4], 1;\n", two);
}

void copies() {
  const std::string start =
      "mov.u32 %r4, dynamic;\nshl.b32 %r5, %r1, 4;\nadd.u32 %r6, %r4, %r5;\nmul.wide.u32 %rd5, %r1, 16;\n"
      "add.s64 %rd6, %rd2, %rd5;\ncp.async.cg.shared.global [%r6], [%rd6], 16;\n";
  const std::string wait = "cp.async.wait_all;\n", load = "ld.shared.u32 %r2, [%r6+4];\n";
  gives("a copy that is waited for", start + wait + load, [](uint32_t t) { return 4 * t + 1; });
  const auto start_of = [&](const char *bytes) {
    std::string some = start;
    return some.replace(some.rfind(", 16;"), 5, std::string(", 16, ") + bytes + ";");
  };
  gives("a copy of the first bytes", start_of("6") + wait + load,
        [](uint32_t t) { return (4 * t + 1) & 0xffff; });
  gives("a copy of no bytes", start_of("0") + wait + load, [](uint32_t) { return 0; });
  gives("which may lie anywhere", "add.s64 %rd2, %rd2, 1048576;\n" + start_of("0") + wait + load,
        [](uint32_t) { return 0; });
  dies("a copy of too many bytes", start_of("17") + wait + load, "reads 17 bytes for a copy of 16");
  dies("a copy that is not", start + load, "uninitialised: ");
  dies("a copy that nobody waits for", start + "mov.u32 %r2, 0;\n", "a copy that nobody waited for");
}

void wild_accesses() {
  dies("behind an allocation", my_word + "st.global.u32 [%rd3+3972], %r1;\n",
       "out of bounds: 4 bytes of global memory");
  dies("before an allocation", "ld.global.u32 %r2, [%rd1+-4];\n", "out of bounds");
  dies("misaligned", "ld.global.u32 %r2, [%rd1+2];\n", "misaligned: 4 bytes");
  dies("generic addresses too", "st.u8 [0], %r1;\n", "out of bounds");
}

void deadlocks() {
  dies("lanes that wait for those at a barrier",
       "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra wait;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\nwait:\nbar.sync 0;\n",
       "deadlock: lanes of a warp wait for each other");
  dies("a poll that never ends",
       "again:\nld.relaxed.gpu.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra again;\n", "livelock: ");
}

// Block 0 writes a word and tells; the others wait and read it.
std::string message(const std::string &release, const std::string &acquire) {
  return "mov.u32 %r3, %ctaid.x;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra wait;\nst.global.u32 [%rd1], 42;\n" +
         release +
         "st.relaxed.gpu.u32 [%rd1+64], 1;\nbra.uni done;\nwait:\nld.relaxed.gpu.u32 %r4, [%rd1+64];\n"
         "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra wait;\n" +
         acquire +
         "ld.global.u32 %r5, [%rd1];\nsetp.eq.u32 %p1, %r5, 42;\n@%p1 bra done;\nst.u8 [0], %r5;\ndone:\n";
}

void messages() {
  const Shape two = {2, 1};
  const std::string fence = "membar.gl;\n";
  lives("a message with both fences", message(fence, fence), two, with(&Options::weak, true));
  dies("no fence before it", message("", fence), "race: global memory is read here and is written by block 0",
       two);
  dies("none behind it", message(fence, ""), "race: global memory is read here", two);
  dies("a fence of the block alone", message("membar.cta;\n", fence), "race: global memory", two);
  Options weak = with(&Options::races, false);
  lives("without the detector such a store may be seen", message("", fence), two, weak);
  weak.weak = true;
  dies("with weak memory it is not", message("", fence), "out of bounds", two, weak);
  lives("with weak memory and a fence it is", message(fence, fence), two, weak);
}

// Lane 1 hears of a store, and lane 0 is to read it: the fence of lane 1 stands before the barrier.
void messages_within_a_warp() {
  const auto heard = [](const std::string &first, const std::string &second) {
    return "mov.u32 %r3, %ctaid.x;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra wait;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 "
           "bra done;\n"
           "st.global.u32 [%rd1], 42;\nmembar.gl;\nst.relaxed.gpu.u32 [%rd1+64], 1;\nbra.uni done;\n"
           "wait:\nmov.u32 %r4, 1;\nsetp.eq.u32 %p2, %r1, 1;\n@%p2 ld.relaxed.gpu.u32 %r4, [%rd1+64];\n"
           "setp.eq.u32 %p1, %r4, 0;\nvote.sync.any.pred %p1, %p1, -1;\n@%p1 bra wait;\n" +
           first + second + "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra done;\nld.global.u32 %r5, [%rd1];\ndone:\n";
  };
  const Shape two = {2, 32};
  lives("fence, then barrier", heard("membar.gl;\n", "bar.warp.sync -1;\n"), two);
  dies("barrier, then fence", heard("bar.warp.sync -1;\n", "membar.gl;\n"), "race: global memory is read here",
       two);
}

void words_not_known() {
  dies("an opcode", "frobnicate.u32 %r2, %r1;\n", "'frobnicate.u32 %r2, %r1' is an unknown opcode");
  dies("a modifier", "add.sat.s32 %r2, %r1, %r1;\n", "unknown modifier .sat");
  dies("a register", "add.s32 %r2, %q1, %r1;\n", "operand %q1");
  dies("a register of another size", "add.s32 %r2, %rd1, %r1;\n", "operand of another size");
  dies("a label", "bra nowhere;\n", "label nowhere");
  dies("an approximation", "div.approx.f32 %f1, %f2, %f3;\n", "cannot be run");
}

} // namespace

int main() {
  arithmetic();
  reals();
  lanes_together();
  shared_memory();
  copies();
  wild_accesses();
  deadlocks();
  messages();
  messages_within_a_warp();
  words_not_known();
  setenv("SIMT_ORDER", "forward", 1);
  lanes_together();
  printf("%d passed, %d failed\n", passed, failed);
  return failed || !passed;
}
