// streams.cc: streams are queues of work that runs as late as it may, or at times drawn from the
// seed: at a synchronisation, a query, cudaFree, or in passing when something else is put on a
// stream. So code that forgets to wait finds nothing done, and code that gives memory back too
// early finds its work reading what is no longer there.
//
// Copies from pageable memory take their source at once; those to pageable memory wait for the
// stream, as CUDA does. The NULL stream is CUDA's legacy default stream: it waits for all work put
// before on streams that are not cudaStreamNonBlocking, and what is put on them later waits for it.
// SPDX-License-Identifier: BSD-3-Clause
#include "state.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

// A record of an event counts when it is made (put on a stream) and when it is reached (the stream
// came there).
struct CUevent_st {
  bool timed;
  int device;
  uint64_t made, reached;
  std::chrono::steady_clock::time_point when;
};

namespace simt {
namespace {

using Event = std::shared_ptr<CUevent_st>;

struct Work {
  uint64_t number; // in the order in which all work was put on streams
  std::function<void()> run;
  const char *name;
};

} // namespace
} // namespace simt

struct CUstream_st {
  int device;
  bool null, blocking, destroyed;
  std::deque<simt::Work> queue;
};

namespace simt {
namespace {

std::vector<std::unique_ptr<CUstream_st>> streams; // destroyed ones too, while they have work
std::map<CUevent_st *, Event> events;
uint64_t numbered = 0;

CUstream_st *null_stream(int number) {
  for (const auto &stream : streams)
    if (stream->null && stream->device == number)
      return stream.get();
  streams.push_back(std::make_unique<CUstream_st>(CUstream_st{number, true, true, false, {}}));
  return streams.back().get();
}

// nullptr if there is no such stream, or not on this thread's device.
CUstream_st *find(cudaStream_t handle) {
  if (!handle)
    return null_stream(device());
  for (const auto &stream : streams)
    if (stream.get() == handle && !stream->destroyed && !stream->null)
      return stream.get();
  return nullptr;
}

Event find(cudaEvent_t handle) {
  const auto found = events.find(handle);
  return found == events.end() ? nullptr : found->second;
}

bool ready(const CUstream_st &stream) {
  if (stream.queue.empty())
    return false;
  const Work &work = stream.queue.front();
  if (!stream.blocking)
    return true;
  for (const auto &other : streams) // what the NULL stream and blocking streams owe each other
    if (other->device == stream.device && other->blocking && other->null != stream.null &&
        !other->queue.empty() && other->queue.front().number < work.number)
      return false;
  return true;
}

void run_first(CUstream_st &stream) {
  Work work = std::move(stream.queue.front());
  stream.queue.pop_front();
  work.run();
#ifndef SIMT_ASAN
  check_bounds(work.name);
#endif
}

void forget_destroyed() {
  streams.erase(std::remove_if(streams.begin(), streams.end(),
                               [](const auto &stream) { return stream->destroyed && stream->queue.empty(); }),
                streams.end());
}

// Runs one piece of work, of those that may run; false if there is none.
bool run_one() {
  std::vector<CUstream_st *> able;
  for (const auto &stream : streams)
    if (ready(*stream))
      able.push_back(stream.get());
  if (able.empty())
    return false;
  const auto earlier = [](const CUstream_st *a, const CUstream_st *b) {
    return a->queue.front().number < b->queue.front().number;
  };
  CUstream_st *chosen = able[draw_below(able.size())];
  if (settings().order == SIMT_FORWARD)
    chosen = *std::min_element(able.begin(), able.end(), earlier);
  open_memory();
  run_first(*chosen);
  return true;
}

template <class Goal> void run_until(Goal goal) {
  while (!goal())
    if (!run_one())
      die("work on streams waits for itself");
  close_memory();
  forget_destroyed();
}

void run_some(uint64_t pieces) {
  while (pieces-- && run_one()) {
  }
  close_memory();
  forget_destroyed();
}

void put(CUstream_st &stream, std::function<void()> run, const char *name) {
  stream.queue.push_back({++numbered, std::move(run), name});
  if (draw_below(100) < settings().eager)
    run_some(1 + draw_below(4));
}

void finish(const CUstream_st &stream) {
  run_until([&] { return stream.queue.empty(); });
}

// Waits as a synchronisation of the host does.
void wait_for(const CUstream_st &stream) {
  counters.synchronisations++;
  finish(stream);
}

// Whether a kind of copy has the right memory at both ends, and inside its allocations.
cudaError_t check_copy(const void *dst, const void *src, size_t size, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const auto fits = [=](const void *memory, bool device_end) {
    const Holding found = holding(memory);
    if (found.type == cudaMemoryTypeUnregistered)
      return !device_end;
    if (kind != cudaMemcpyDefault && !device_end && found.type == cudaMemoryTypeDevice)
      return false;
    return holds(found, memory, size);
  };
  return fits(dst, to_device) && fits(src, from_device) ? cudaSuccess : cudaErrorInvalidValue;
}

bool pageable(const void *memory) { return holding(memory).type == cudaMemoryTypeUnregistered; }

// Puts the copy on the stream; one from pageable memory takes its bytes with it.
void put_copy(CUstream_st &stream, void *dst, const void *src, size_t size) {
  if (!pageable(src)) {
    put(
        stream, [=] { memmove(dst, src, size); }, "a copy");
    return;
  }
  const auto *first = static_cast<const unsigned char *>(src);
  put(
      stream,
      [dst, bytes = std::vector<unsigned char>(first, first + size)] {
        memcpy(dst, bytes.data(), bytes.size());
      },
      "a copy from pageable memory");
}

cudaError_t set_memory(CUstream_st &stream, void *dst, int value, size_t size) {
  if (!size)
    return cudaSuccess;
  if (!holds(holding(dst), dst, size))
    return cudaErrorInvalidValue;
  put(
      stream, [=] { memset(dst, value, size); }, "a memset");
  return cudaSuccess;
}

} // namespace

cudaError_t check_launch(const void *function, const Grid &grid);

cudaError_t launch(const void *function, Grid grid, cudaStream_t handle) {
  return call([&] {
    CUstream_st *stream = find(handle);
    if (!stream || stream->device != device())
      return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = check_launch(function, grid); error != cudaSuccess)
      return error;
    counters.launches++;
    counters.started += uint64_t{grid.blocks.x} * grid.blocks.y * grid.blocks.z;
    const char *name = grid.name;
    put(
        *stream, [grid = std::move(grid)] { simt::run(grid); }, name);
    return cudaSuccess;
  });
}

cudaError_t submit(std::function<void()> work, cudaStream_t handle) {
  return call([&] {
    CUstream_st *stream = find(handle);
    if (!stream || stream->device != device())
      return cudaErrorInvalidResourceHandle;
    if (settings().kernels)
      return static_cast<cudaError_t>(settings().kernels);
    counters.launches++;
    put(*stream, std::move(work), "a device-wide algorithm");
    return cudaSuccess;
  });
}

void finish_everything() {
  run_until([] {
    return std::all_of(streams.begin(), streams.end(),
                       [](const auto &stream) { return stream->queue.empty(); });
  });
}

void add_streams(simt_holdings &held) {
  for (const auto &stream : streams) {
    held.streams += !stream->null && !stream->destroyed;
    held.pending += stream->queue.size();
  }
  held.events = events.size();
}

} // namespace simt

using namespace simt;

// Waits, except that a copy from device to device does not.
cudaError_t cudaMemcpy(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind) {
  return call([=] {
    if (!size)
      return cudaSuccess;
    if (const cudaError_t error = check_copy(dst, src, size, kind); error != cudaSuccess)
      return error;
    CUstream_st &stream = *null_stream(device());
    put_copy(stream, dst, src, size);
    if (holding(dst).type != cudaMemoryTypeDevice || holding(src).type != cudaMemoryTypeDevice)
      wait_for(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t handle) {
  return call([=] {
    CUstream_st *stream = find(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (!size)
      return cudaSuccess;
    if (const cudaError_t error = check_copy(dst, src, size, kind); error != cudaSuccess)
      return error;
    counters.pageable += pageable(src) || pageable(dst);
    put_copy(*stream, dst, src, size);
    if (pageable(dst))
      wait_for(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaMemset(void *dst, int value, size_t size) {
  return call([=] { return set_memory(*null_stream(device()), dst, value, size); });
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t size, cudaStream_t handle) {
  return call([=] {
    CUstream_st *stream = find(handle);
    return stream ? set_memory(*stream, dst, value, size) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  return call([=] {
    if (!stream || flags > cudaStreamNonBlocking)
      return cudaErrorInvalidValue;
    counters.objects++;
    streams.push_back(
        std::make_unique<CUstream_st>(CUstream_st{device(), false, flags != cudaStreamNonBlocking, false, {}}));
    *stream = streams.back().get();
    return cudaSuccess;
  });
}

// Work that is still there runs later, as in CUDA.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return plain_call([=] {
    CUstream_st *stream = find(handle);
    if (!stream || stream->null)
      return cudaErrorInvalidResourceHandle;
    stream->destroyed = true;
    forget_destroyed();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call([=] {
    const CUstream_st *stream = find(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    wait_for(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  return call([=] {
    if (!event || flags & ~static_cast<unsigned>(cudaEventBlockingSync | cudaEventDisableTiming))
      return cudaErrorInvalidValue;
    counters.objects++;
    const Event made =
        std::make_shared<CUevent_st>(CUevent_st{!(flags & cudaEventDisableTiming), device(), 0, 0, {}});
    events.emplace(made.get(), made);
    *event = made.get();
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return plain_call([=] { return events.erase(event) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  return call([=] {
    CUstream_st *stream = find(stream_handle);
    const Event event = find(handle);
    if (!stream || !event || stream->device != event->device)
      return cudaErrorInvalidResourceHandle;
    const uint64_t record = ++event->made;
    put(
        *stream,
        [=] {
          event->reached = std::max(event->reached, record); // a record on another stream may have overtaken it
          event->when = std::chrono::steady_clock::now();
        },
        "cudaEventRecord");
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return call([=] {
    const Event event = find(handle);
    if (!event)
      return cudaErrorInvalidResourceHandle;
    const bool done = event->reached == event->made;
    run_some(draw_below(3));
    return done ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call([=] {
    const Event event = find(handle);
    if (!event)
      return cudaErrorInvalidResourceHandle;
    counters.synchronisations++;
    run_until([&] { return event->reached == event->made; });
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start_handle, cudaEvent_t end_handle) {
  return call([=] {
    const Event start = find(start_handle), end = find(end_handle);
    if (!start || !end || !start->timed || !end->timed || !start->made || !end->made)
      return cudaErrorInvalidResourceHandle;
    if (start->reached != start->made || end->reached != end->made)
      return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(end->when - start->when).count();
    return cudaSuccess;
  });
}
