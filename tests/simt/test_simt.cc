// test_simt.cc: the emulated device itself: right kernels are right in every order, what no order
// makes right is noticed.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

int passed = 0, failed = 0;

void report(bool good, const char *what, int line) {
  (good ? passed : failed)++;
  if (!good)
    fprintf(stderr, "test_simt.cc:%d: not so: %s\n", line, what);
}
#define CHECK(condition) report((condition), #condition, __LINE__)

simt_settings with(int order, uint64_t seed) {
  simt_settings s = simt_defaults();
  s.order = order;
  s.seed = seed;
  return s;
}

void configure(int order, uint64_t seed) {
  const simt_settings s = with(order, seed);
  simt_configure(&s);
}

template <class T> T *device_copy(const std::vector<T> &values) {
  T *memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

template <class T> std::vector<T> host_copy(const T *memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

// ---- A scan with look-back: what the shim is for ----
struct ScanShared {
  unsigned block, before;
  unsigned sums[4];
};

constexpr unsigned scan_threads = 128;
constexpr unsigned long long aggregate = 1ull << 62, prefix = 2ull << 62;

__global__ void scan(const unsigned *in, unsigned *out, unsigned *ticket, unsigned long long *status) {
  GHZ_SHARED(ScanShared, shared);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0)
    shared.block = atomicAdd(ticket, 1u);
  __syncthreads();
  const unsigned block = shared.block, at = block * scan_threads + threadIdx.x;
  unsigned sum = __ldcg(in + at);
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffffu, sum, d);
    sum += lane >= d ? other : 0;
  }
  if (lane == 31)
    shared.sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long total = 0;
    for (unsigned i = 0; i < scan_threads / 32; i++)
      total += shared.sums[i];
    __stcg(status + block, (block ? aggregate : prefix) | total);
    unsigned long long before = 0;
    for (unsigned look = block; look-- > 0;) {
      unsigned long long word;
      do
        word = __ldcg(status + look);
      while (!(word >> 62));
      before += word & 0xffffffffu;
      if (word >> 62 == 2)
        break;
    }
    if (block)
      __stcg(status + block, prefix | ((before + total) & 0xffffffffu));
    shared.before = static_cast<unsigned>(before);
  }
  __syncthreads();
  for (unsigned i = 0; i < warp; i++)
    sum += shared.sums[i];
  out[at] = shared.before + sum;
}

bool scan_is_right(unsigned blocks) {
  const unsigned n = blocks * scan_threads;
  std::vector<unsigned> values(n), wanted(n);
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++)
    wanted[i] = sum += values[i] = i * 2654435761u >> 20;
  unsigned *in = device_copy(values), *out, *ticket;
  unsigned long long *status;
  cudaMalloc(&out, n * sizeof *out);
  cudaMalloc(&ticket, sizeof *ticket);
  cudaMalloc(&status, blocks * sizeof *status);
  cudaMemset(ticket, 0, sizeof *ticket);
  cudaMemset(status, 0, blocks * sizeof *status);
  GHZ_LAUNCH(scan, blocks, scan_threads, sizeof(ScanShared), 0, in, out, ticket, status);
  const bool right = host_copy(out, n) == wanted && cudaGetLastError() == cudaSuccess;
  for (void *memory : {(void *)in, (void *)out, (void *)ticket, (void *)status})
    cudaFree(memory);
  return right;
}

void scans() {
  for (int order : {SIMT_FORWARD, SIMT_RANDOM})
    for (uint64_t seed = 1; seed <= 6; seed++)
      for (unsigned resident : {1u, 3u, 8u}) {
        simt_settings s = with(order, seed);
        s.resident = resident;
        simt_configure(&s);
        CHECK(scan_is_right(50));
      }
}

// ---- Kernels and host code that are wrong; true: the result was right all the same ----
struct Numbers {
  unsigned value[64];
};

struct LargeNumbers {
  unsigned value[25600]; // 100 KiB
};

__global__ void diverging(unsigned *out) {
  unsigned votes;
  if (threadIdx.x < 16)
    votes = __ballot_sync(0xffffffffu, 1);
  else
    votes = __ballot_sync(0xffffffffu, 1);
  out[threadIdx.x] = votes;
}
__global__ void diverging_masks(unsigned *out) {
  out[threadIdx.x] = __ballot_sync(threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u, 1);
}
__global__ void not_in_mask(unsigned *out) { out[threadIdx.x] = __ballot_sync(0xffff, 1); }
__global__ void exited_lanes(unsigned *out) {
  if (threadIdx.x >= 16)
    return;
  out[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
}
__global__ void barrier_of_some(unsigned *out) {
  if (threadIdx.x < 32)
    __syncthreads();
  out[threadIdx.x] = 0xffffffffu;
}
__global__ void barrier_twice(unsigned *out) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
  out[threadIdx.x] = 0xffffffffu;
}
__global__ void barrier_against_warp(unsigned *out) {
  if (threadIdx.x % 32 == 0)
    __syncthreads();
  __syncwarp();
  if (threadIdx.x % 32 != 0)
    __syncthreads();
  out[threadIdx.x] = 0xffffffffu;
}
__global__ void shared_overrun(unsigned *out) {
  GHZ_SHARED(Numbers, shared);
  unsigned *value = shared.value;
  value[threadIdx.x + 1] = 0xffffffffu;
  __syncthreads();
  out[threadIdx.x] = value[threadIdx.x + 1];
}
__global__ void shared_larger(unsigned *out) {
  GHZ_SHARED(LargeNumbers, shared);
  out[threadIdx.x] = shared.value[0] | 0xffffffffu;
}
__global__ void shared_unset(unsigned *out) {
  GHZ_SHARED(Numbers, shared);
  out[threadIdx.x] = shared.value[threadIdx.x] | 0xfffffff0u;
}
__global__ void past_the_end(unsigned *out) {
  const unsigned next = out[threadIdx.x + 1];
  __syncthreads();
  out[threadIdx.x] = ~next;
}
__global__ void near_write(unsigned *out) {
  out[threadIdx.x] = 0xffffffffu;
  out[64] = 0xffffffffu;
}
__global__ void misaligned(unsigned *out) {
  const uint4 four = __ldcg(reinterpret_cast<const uint4 *>(out + 1));
  out[threadIdx.x] = four.x | 0xffffffffu;
}
__global__ void bad_width(unsigned *out) { out[threadIdx.x] = __shfl_sync(0xffffffffu, 0xffffffffu, 0, 12); }
__global__ void outside_mask(unsigned *out) {
  unsigned value = 0xffffffffu;
  if (threadIdx.x % 32 < 16)
    value = __shfl_down_sync(0xffff, value, 1);
  out[threadIdx.x] = value;
}
__global__ void spinning(unsigned *out) {
  while (__ldcg(out) != 0xffffffffu) {
  }
  out[threadIdx.x] = 0xffffffffu;
}
__global__ void deep(unsigned *out) {
  volatile unsigned char stack[4 << 20];
  for (size_t i = sizeof stack; i-- > 0;)
    stack[i] = 1;
  out[threadIdx.x] = stack[0] | 0xffffffffu;
}
__global__ void fill(unsigned *out, unsigned value) { out[threadIdx.x] = value; }

template <void (*kernel)(unsigned *)> bool wrong_kernel() {
  unsigned *out;
  cudaMalloc(&out, 64 * sizeof *out);
  cudaMemset(out, 0, 64 * sizeof *out);
  GHZ_LAUNCH(kernel, 1, 64, sizeof(Numbers), 0, out);
  return host_copy(out, 64) == std::vector<unsigned>(64, 0xffffffffu);
}

// The memory ends before a multiple of 256 bytes, and so before a page.
bool short_memory() {
  unsigned *out;
  cudaMalloc(&out, 61 * sizeof *out);
  cudaMemset(out, 0, 61 * sizeof *out);
  GHZ_LAUNCH(past_the_end, 1, 61, 0, 0, out);
  return host_copy(out, 61) == std::vector<unsigned>(61, 0xffffffffu);
}

bool forgets_to_wait() {
  unsigned *out, *pinned;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&out, 64 * sizeof *out);
  cudaMallocHost(&pinned, 64 * sizeof *pinned);
  GHZ_LAUNCH(fill, 1, 64, 0, stream, out, 7u);
  cudaMemcpyAsync(pinned, out, 64 * sizeof *out, cudaMemcpyDeviceToHost, stream);
  return pinned[63] == 7;
}

bool other_stream_without_event() {
  unsigned *out, *copy;
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaMalloc(&out, 64 * sizeof *out);
  cudaMalloc(&copy, 64 * sizeof *copy);
  GHZ_LAUNCH(fill, 1, 64, 0, first, out, 7u);
  cudaMemcpyAsync(copy, out, 64 * sizeof *out, cudaMemcpyDeviceToDevice, second);
  cudaStreamSynchronize(second);
  return host_copy(copy, 64) == std::vector<unsigned>(64, 7);
}

bool reuses_pinned_memory() {
  unsigned *out, *pinned;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&out, sizeof *out);
  cudaMallocHost(&pinned, sizeof *pinned);
  *pinned = 7;
  cudaMemcpyAsync(out, pinned, sizeof *out, cudaMemcpyHostToDevice, stream);
  *pinned = 8;
  cudaStreamSynchronize(stream);
  return host_copy(out, 1)[0] == 7;
}

bool host_touches_device_memory() {
  unsigned *out;
  cudaMalloc(&out, sizeof *out);
  *out = 7;
  return *out == 7;
}

bool host_touches_freed_memory() {
  unsigned *pinned;
  cudaMallocHost(&pinned, sizeof *pinned);
  cudaFreeHost(pinned);
  *pinned = 7;
  return *pinned == 7;
}

// Whether in a process of its own `code` dies, or says that its result was wrong.
bool fails(bool (*code)()) {
  fflush(nullptr);
  const pid_t child = fork();
  if (!child) {
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!freopen("/dev/null", "w", stderr))
      _exit(0);
    _exit(code() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

// No work runs on a stream before somebody waits for it: who does not wait is always too early.
void wrongs(const simt_settings &order) {
  simt_settings s = order;
  s.patience = 300000;
  s.eager = 0;
  simt_configure(&s);
  CHECK(fails(wrong_kernel<diverging>));
  CHECK(fails(wrong_kernel<diverging_masks>));
  CHECK(fails(wrong_kernel<not_in_mask>));
  CHECK(fails(wrong_kernel<exited_lanes>));
  CHECK(fails(wrong_kernel<barrier_of_some>));
  CHECK(fails(wrong_kernel<barrier_twice>));
  CHECK(fails(wrong_kernel<barrier_against_warp>));
  CHECK(fails(wrong_kernel<shared_overrun>));
  CHECK(fails(wrong_kernel<shared_larger>));
  CHECK(fails(wrong_kernel<shared_unset>));
  CHECK(fails(wrong_kernel<past_the_end>));
  CHECK(fails(short_memory));
  CHECK(fails(wrong_kernel<near_write>));
  CHECK(fails(wrong_kernel<misaligned>));
  CHECK(fails(wrong_kernel<bad_width>));
  CHECK(fails(wrong_kernel<outside_mask>));
  CHECK(fails(wrong_kernel<spinning>));
  CHECK(fails(wrong_kernel<deep>));
  CHECK(fails(forgets_to_wait));
  CHECK(fails(reuses_pinned_memory));
  CHECK(fails(host_touches_device_memory));
  CHECK(fails(host_touches_freed_memory));
}

void wrong_between_streams() {
  bool noticed = false; // which stream goes first is drawn
  for (uint64_t seed = 1; seed <= 6 && !noticed; seed++) {
    configure(SIMT_RANDOM, seed);
    noticed = fails(other_stream_without_event);
  }
  CHECK(noticed);
}

// ---- Device functions, against what CUDA's documentation says ----
struct Shuffled {
  unsigned index[32], up[32], down[32], exchanged[32];
};

__global__ void shuffles(Shuffled *out, int width, int by) {
  const unsigned lane = threadIdx.x;
  out->index[lane] = __shfl_sync(0xffffffffu, lane, by, width);
  out->up[lane] = __shfl_up_sync(0xffffffffu, lane, static_cast<unsigned>(by), width);
  out->down[lane] = __shfl_down_sync(0xffffffffu, lane, static_cast<unsigned>(by), width);
  out->exchanged[lane] = __shfl_xor_sync(0xffffffffu, lane, by, width);
}

void check_shuffles() {
  Shuffled *out;
  cudaMalloc(&out, sizeof *out);
  bool right = true;
  for (int width = 1; width <= 32; width *= 2)
    for (int by = 0; by < 32; by++) {
      GHZ_LAUNCH(shuffles, 1, 32, 0, 0, out, width, by);
      const Shuffled got = host_copy(out, 1)[0];
      for (int lane = 0; lane < 32; lane++) {
        const int first = lane / width * width, end = first + width, other = lane ^ by;
        right = right && got.index[lane] == unsigned(first + by % width);
        right = right && got.up[lane] == unsigned(lane - by >= first ? lane - by : lane);
        right = right && got.down[lane] == unsigned(lane + by < end ? lane + by : lane);
        right = right && got.exchanged[lane] == unsigned(other < end ? other : lane);
      }
    }
  CHECK(right);
  cudaFree(out);
}

void check_functions() {
  CHECK(__popc(0xf0f0f0f0u) == 16);
  CHECK(__clz(0) == 32 && __clz(1) == 31 && __clz(-1) == 0 && __clzll(0) == 64 && __clzll(1) == 63);
  CHECK(__ffs(0) == 0 && __ffs(8) == 4);
  CHECK(__funnelshift_r(1, 2, 32) == 1);
  CHECK(__funnelshift_r(0x80000001u, 0x12345678u, 4) == 0x88000000u);
  CHECK(__byte_perm(0x33221100u, 0x77665544u, 0x7340) == 0x77334400u);
  CHECK(__byte_perm(0x33221100u, 0x77665544u, 0xfbc8) == 0x77334400u); // the fourth bits do not count
  CHECK(__dp4a(0xff010203u, 0x02030405u, 7u) == 255 * 2 + 3 + 8 + 15 + 7);
  CHECK(__dp4a(-1, 0x01010101, 0) == -4);
  CHECK(__vmaxu2(0x00018000u, 0x7fff0001u) == 0x7fff8000u && __vminu2(0x00018000u, 0x7fff0001u) == 0x00010001u);
  CHECK(__float_as_uint(1.f) == 0x3f800000u && __uint_as_float(0x3f800000u) == 1.f);
  CHECK(__double_as_longlong(1.0) == 0x3ff0000000000000LL && __longlong_as_double(0x3ff0000000000000LL) == 1.0);
  CHECK(__fadd_rn(__fmul_rn(1.0000001f, 1.0000001f), -1.0000002f) == 0.f); // not fused
  CHECK(__fma_rn(0x1p27 + 1, 0x1p27 + 1, -0x1p54) == 0x1p28 + 1);
  CHECK(__float2int_rn(2.5f) == 2 && __float2int_rn(-3.5f) == -4 && __float2int_rn(8388607.f) == 8388607);
  CHECK(min(-1, 1u) == 1u && max(3L, 4L) == 4 && min(2.f, NAN) == 2.f && max(1ull, 2ull) == 2);
}

// ---- The runtime ----
void check_streams() {
  cudaStream_t first, second;
  cudaEvent_t event;
  unsigned *a, *b, *pinned;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(cudaStreamCreate(&second) == cudaSuccess);
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
  cudaMalloc(&a, 64 * sizeof *a);
  cudaMalloc(&b, 64 * sizeof *b);
  cudaMallocHost(&pinned, 64 * sizeof *pinned);
  GHZ_LAUNCH(fill, 1, 64, 0, first, a, 1u);
  CHECK(cudaEventRecord(event, first) == cudaSuccess);
  CHECK(cudaEventSynchronize(event) == cudaSuccess);
  CHECK(cudaMemcpyAsync(b, a, 64 * sizeof *a, cudaMemcpyDeviceToDevice, second) == cudaSuccess);
  cudaMemcpyAsync(pinned, b, 64 * sizeof *a, cudaMemcpyDeviceToHost, 0); // the NULL stream waits for `second`
  GHZ_LAUNCH(fill, 1, 64, 0, second, b, 2u);                             // which waits for the NULL stream
  CHECK(cudaStreamSynchronize(second) == cudaSuccess && pinned[63] == 1);
  CHECK(host_copy(b, 64)[63] == 2);
  GHZ_LAUNCH(fill, 1, 64, 0, first, a, 3u);
  cudaEventRecord(event, first);
  while (cudaEventQuery(event) == cudaErrorNotReady) {
  }
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(host_copy(a, 64)[63] == 3);
  GHZ_LAUNCH(fill, 1, 64, 0, first, a, 4u);
  unsigned pageable[64];
  memset(pageable, 5, sizeof pageable);
  cudaMemcpyAsync(a, pageable, sizeof pageable, cudaMemcpyHostToDevice, first);
  memset(pageable, 6, sizeof pageable); // its bytes were taken
  cudaStreamSynchronize(first);
  CHECK(host_copy(a, 64)[63] == 0x05050505u);
  CHECK(cudaStreamDestroy(first) == cudaSuccess && cudaStreamDestroy(second) == cudaSuccess);
  CHECK(cudaStreamSynchronize(first) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventDestroy(event) == cudaSuccess && cudaEventDestroy(event) == cudaErrorInvalidResourceHandle);
  cudaFree(a);
  cudaFree(b);
  cudaFreeHost(pinned);
  CHECK(simt_held().blocks == 0 && simt_held().streams == 0 && simt_held().pending == 0);
  cudaGetLastError();
}

void check_lazy() {
  simt_settings s = simt_defaults();
  s.eager = 0;
  simt_configure(&s);
  cudaStream_t stream;
  unsigned *out, value = 7;
  cudaStreamCreate(&stream);
  cudaMalloc(&out, 64 * sizeof *out);
  simt_count_anew();
  GHZ_LAUNCH(fill, 1, 64, 0, stream, out, value);
  value = 8; // was copied
  CHECK(simt_held().pending == 1 && simt_count().launches == 1);
  CHECK(simt_count().synchronisations == 0 && simt_count().allocations == 0);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess && simt_held().pending == 1); // its work is not lost
  CHECK(host_copy(out, 64)[0] == 7 && simt_held().pending == 0 && simt_count().synchronisations == 1);
  cudaFree(out);
}

void check_memory() {
  simt_settings s = simt_defaults();
  s.memory = 1000;
  simt_configure(&s);
  char *memory, *more, *pinned, *managed, local;
  CHECK(cudaMalloc(&memory, 600) == cudaSuccess && reinterpret_cast<uintptr_t>(memory) % 256 == 0);
  CHECK(cudaMalloc(&more, 600) == cudaErrorMemoryAllocation && !more);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess);
  CHECK(cudaMallocHost(&pinned, 600) == cudaSuccess && cudaMallocManaged(&managed, 100) == cudaSuccess);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, memory + 599) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == memory + 599 &&
        !attributes.hostPointer);
  CHECK(cudaPointerGetAttributes(&attributes, pinned) == cudaSuccess && attributes.type == cudaMemoryTypeHost);
  CHECK(cudaPointerGetAttributes(&attributes, managed) == cudaSuccess &&
        attributes.type == cudaMemoryTypeManaged);
  CHECK(cudaPointerGetAttributes(&attributes, &local) == cudaSuccess &&
        attributes.type == cudaMemoryTypeUnregistered);
  CHECK(cudaMemcpy(memory, pinned, 601, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(&local, memory, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemset(memory + 500, 0, 101) == cudaErrorInvalidValue && cudaMemset(memory, 0, 600) == cudaSuccess);
  CHECK(cudaFree(memory + 256) == cudaErrorInvalidValue && cudaFree(pinned) == cudaErrorInvalidValue);
  CHECK(cudaFree(memory) == cudaSuccess && cudaFree(memory) == cudaErrorInvalidValue &&
        cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess && cudaFree(managed) == cudaSuccess);
  cudaGetLastError();
}

__global__ void large(unsigned *out) {
  GHZ_SHARED(LargeNumbers, shared);
  shared.value[25599] = 7;
  out[0] = shared.value[25599];
}

void check_launches() {
  simt_settings s = with(SIMT_RANDOM, 1);
  s.devices = 2;
  simt_configure(&s);
  unsigned *out;
  cudaMalloc(&out, 64 * sizeof *out);
  const auto error_of = [&](dim3 grid, dim3 block, size_t shared_bytes) {
    GHZ_LAUNCH(fill, grid, block, shared_bytes, 0, out, 1u);
    return cudaGetLastError();
  };
  CHECK(error_of(1, 64, 48 << 10) == cudaSuccess && error_of(1, 64, (48 << 10) + 1) == cudaErrorInvalidValue);
  CHECK(error_of(0, 64, 0) == cudaErrorInvalidConfiguration &&
        error_of(1, 1025, 0) == cudaErrorInvalidConfiguration);
  CHECK(error_of(dim3(1, 65536), 64, 0) == cudaErrorInvalidConfiguration);
  CHECK(error_of(1, dim3(1, 1, 65), 0) == cudaErrorInvalidConfiguration);
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, (227 << 10) + 1) ==
        cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10) == cudaSuccess);
  cudaGetLastError();
  GHZ_LAUNCH(large, 1, 1, 100 << 10, 0, out);
  CHECK(cudaGetLastError() == cudaSuccess && host_copy(out, 1)[0] == 7);
  cudaStream_t other = nullptr;
  CHECK(cudaSetDevice(1) == cudaSuccess && cudaStreamCreate(&other) == cudaSuccess);
  CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice && cudaSetDevice(0) == cudaSuccess);
  GHZ_LAUNCH(fill, 1, 64, 0, other, out, 1u);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  cudaStreamDestroy(other);
  cudaFree(out);
}

void check_environment() {
  setenv("SIMT_ORDER", "forward", 1);
  setenv("SIMT_SEED", "12", 1);
  setenv("SIMT_RESIDENT", "3", 1);
  simt_settings s = simt_defaults();
  CHECK(s.order == SIMT_FORWARD && s.seed == 12 && s.resident == 3);
  setenv("SIMT_ORDER", "sideways", 1);
  CHECK(fails([] { return simt_defaults().order >= 0; }));
  for (const char *name : {"SIMT_ORDER", "SIMT_SEED", "SIMT_RESIDENT"})
    unsetenv(name);
}

} // namespace

int main() {
  scans();
  for (int order : {SIMT_FORWARD, SIMT_RANDOM}) {
    configure(order, 3);
    check_shuffles();
    check_streams();
  }
  check_functions();
  check_lazy();
  check_memory();
  check_launches();
  check_environment();
  wrongs(with(SIMT_FORWARD, 1));
  for (uint64_t seed = 1; seed <= 4; seed++)
    wrongs(with(SIMT_RANDOM, seed));
  wrong_between_streams();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
