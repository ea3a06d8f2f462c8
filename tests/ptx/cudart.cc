// cudart.cc: what of CUDA's runtime is about kernels: nvcc's programs register their fat binaries
// and launch kernels, which the interpreter runs when their stream comes to them. Memory, streams,
// devices and errors are those of the emulated device (tests/simt).
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.h"
#include "state.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace ptx {
namespace {

struct FatBinary {
  std::vector<std::string> texts;
  std::vector<std::unique_ptr<Module>> modules;
};

struct Entry {
  FatBinary *binary;
  std::string name;
  Module *module = nullptr;
  const Kernel *kernel = nullptr;
};

struct Call {
  dim3 blocks, threads;
  size_t shared_bytes;
  cudaStream_t stream;
};

// Both are there before main, when programs register, and at the very end, when they give back.
auto &binaries() {
  static auto &all = *new std::vector<std::unique_ptr<FatBinary>>;
  return all;
}
std::map<const void *, Entry> &entries() {
  static auto &all = *new std::map<const void *, Entry>;
  return all;
}
thread_local std::vector<Call> calls;

template <class T> T read_at(const uint8_t *p, size_t offset) {
  T value;
  memcpy(&value, p + offset, sizeof value);
  return value;
}

// A fat binary: a header, and entries of kinds; kind 1 is PTX.
void read_fat_binary(FatBinary &binary, const uint8_t *p) {
  constexpr uint32_t magic = 0xba55ed50;
  constexpr uint64_t compressed = 0xf000;
  if (read_at<uint32_t>(p, 0) != magic)
    simt::die("a fat binary that is none");
  const uint8_t *at = p + read_at<uint16_t>(p, 6), *end = at + read_at<uint64_t>(p, 8);
  while (at < end) {
    const uint32_t header = read_at<uint32_t>(at, 4);
    const uint64_t size = read_at<uint64_t>(at, 8);
    if (read_at<uint16_t>(at, 0) == 1) {
      if (read_at<uint64_t>(at, 40) & compressed)
        simt::die("PTX that is compressed: compile with --no-compress");
      const char *text = reinterpret_cast<const char *>(at + header);
      binary.texts.emplace_back(text, strnlen(text, size));
    }
    at += header + size;
  }
}

void find_kernel(Entry &entry) {
  FatBinary &binary = *entry.binary;
  if (binary.modules.empty())
    for (const std::string &text : binary.texts)
      binary.modules.push_back(parse(text));
  for (const std::unique_ptr<Module> &module : binary.modules)
    if (!entry.kernel && (entry.kernel = ptx::find_kernel(*module, entry.name)))
      entry.module = module.get();
}

Entry *find_entry(const void *function) {
  const auto found = entries().find(function);
  if (found == entries().end())
    return nullptr;
  Entry &entry = found->second;
  try {
    if (!entry.kernel)
      find_kernel(entry);
  } catch (const Refusal &refusal) {
    simt::die("%s", refusal.what());
  }
  return entry.kernel ? &entry : nullptr;
}

// The arguments where PTX expects them, one behind the other.
std::vector<uint64_t> packed(const Function &function, void **arguments) {
  std::vector<uint64_t> bytes(function.argument_bytes / 8 + 2);
  for (size_t k = 0; k < function.formals.size(); k++)
    memcpy(reinterpret_cast<uint8_t *>(bytes.data()) + function.formals[k].offset, arguments[k],
           function.formals[k].size);
  return bytes;
}

void run_kernel(const Entry &entry, dim3 blocks, dim3 threads, size_t shared_bytes,
                const std::vector<uint64_t> &arguments) {
  Launch launch;
  launch.module = entry.module;
  launch.kernel = entry.kernel;
  launch.blocks = blocks.x;
  launch.threads = threads.x;
  if (blocks.y * blocks.z * threads.y * threads.z != 1)
    simt::die("%s has more than one dimension", entry.name.c_str());
  launch.dynamic_shared = static_cast<uint32_t>(shared_bytes);
  launch.arguments = reinterpret_cast<const uint8_t *>(arguments.data());
  run(launch);
}

cudaError_t start(const void *function, dim3 blocks, dim3 threads, void **arguments, size_t shared_bytes,
                  cudaStream_t stream) {
  const Entry *entry = find_entry(function);
  if (!entry)
    return simt::remember(cudaErrorInvalidDeviceFunction);
  auto body = [=, bytes = packed(*entry->kernel->function, arguments)] {
    run_kernel(*entry, blocks, threads, shared_bytes, bytes);
  };
  return simt::launch(function, {entry->name.c_str(), blocks, threads, shared_bytes, std::move(body)}, stream);
}

// How often each instruction ran: function, place, opcode, runs. Those that never ran, too: so the
// n-th line of a function is its n-th instruction.
void write_counts() {
  FILE *file = options().counts ? fopen(options().counts, "w") : nullptr;
  if (!file)
    return;
  for (const std::unique_ptr<FatBinary> &binary : binaries())
    for (const std::unique_ptr<Module> &module : binary->modules)
      for (const Instruction &i : module->code)
        fprintf(file, "%s\t%s\t%s\t%llu\n", module->functions[i.function]->name.c_str(),
                describe(*module, i).c_str(), module->opcodes[i.opcode].c_str(), (unsigned long long)i.runs);
  fclose(file);
}

} // namespace
} // namespace ptx

namespace simt {

void run(const Grid &grid) { grid.body(); }

void die(const char *format, ...) {
  va_list rest;
  fflush(stdout);
  fputs("ptx: ", stderr);
  va_start(rest, format);
  vfprintf(stderr, format, rest);
  va_end(rest);
  fputc('\n', stderr);
  abort();
}

} // namespace simt

using namespace ptx;

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper) {
  if (binaries().empty())
    atexit(write_counts);
  binaries().push_back(std::make_unique<FatBinary>());
  const uint8_t *const data = read_at<const uint8_t *>(static_cast<const uint8_t *>(wrapper), 8);
  read_fat_binary(*binaries().back(), data);
  return reinterpret_cast<void **>(binaries().back().get());
}

void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}
char __cudaInitModule(void **) { return 1; }

void __cudaRegisterFunction(void **binary, const char *function, char *, const char *name, int, void *, void *,
                            void *, void *, int *) {
  entries()[function] = {reinterpret_cast<FatBinary *>(binary), name};
}

cudaError_t __cudaPushCallConfiguration(dim3 blocks, dim3 threads, size_t shared_bytes, cudaStream_t stream) {
  calls.push_back({blocks, threads, shared_bytes, stream});
  return cudaSuccess;
}

unsigned __cudaPopCallConfiguration(dim3 *blocks, dim3 *threads, size_t *shared_bytes, cudaStream_t *stream) {
  const Call call = calls.back();
  calls.pop_back();
  *blocks = call.blocks;
  *threads = call.threads;
  *shared_bytes = call.shared_bytes;
  *stream = call.stream;
  return 0;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 blocks, dim3 threads, void **arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  return start(function, blocks, threads, arguments, shared_bytes, stream);
}

cudaError_t __cudaGetKernel(const void **kernel, const void *function) {
  *kernel = function;
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  return start(kernel, blocks, threads, arguments, shared_bytes, stream);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *, int, size_t,
                                                                   unsigned) {
  *blocks = 2;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

} // extern "C"
