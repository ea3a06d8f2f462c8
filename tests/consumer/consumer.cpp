// consumer.cpp: a C++ program outside the project: compresses two arrays, adds the streams, checks
// the sum, and prints the version of the library.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <ghz.h> // the older name
#include <ghz/cuda.h>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

using context = std::unique_ptr<ghz_context, decltype(&ghz_context_free)>;
using bytes = std::vector<unsigned char>;

void check(ghz_status status) {
  if (status != GHZ_OK)
    throw std::runtime_error(ghz_status_text(status));
}

ghz_bytes view(const bytes &b) { return {b.data(), b.size()}; }

bytes compress(ghz_context *ctx, const ghz_lattice &lattice, const std::vector<double> &x) {
  bytes stream(ghz_size_bound(x.size(), lattice.type, 1));
  std::size_t size = 0;
  check(ghz_compress(ctx, &lattice, GHZ_ORDER_BEST, x.data(), x.size(), stream.data(), stream.size(), &size));
  stream.resize(size);
  return stream;
}

bytes add(ghz_context *ctx, const bytes &a, const bytes &b, std::size_t room) {
  bytes sum(room);
  std::size_t size = 0;
  check(ghz_add(ctx, view(a), view(b), sum.data(), sum.size(), &size));
  sum.resize(size);
  return sum;
}

void run() {
  std::vector<double> a(100000), b(a.size()), y(a.size());
  for (std::size_t i = 0; i < a.size(); i++) {
    a[i] = std::sin(1e-3 * static_cast<double>(i));
    b[i] = std::cos(2e-3 * static_cast<double>(i));
  }
  ghz_context *created = nullptr;
  check(ghz_context_create(&created, 0));
  context ctx(created, ghz_context_free);
  ghz_lattice lattice;
  check(ghz_lattice_make(GHZ_F64, {GHZ_ABS, 1e-6}, 0, 0, &lattice));
  bytes sum = add(ctx.get(), compress(ctx.get(), lattice, a), compress(ctx.get(), lattice, b),
                  ghz_size_bound(a.size(), GHZ_F64, 2));
  ghz_info info;
  check(ghz_info_read(view(sum), &info));
  check(ghz_decompress(ctx.get(), view(sum), GHZ_F64, y.data(), y.size()));
  // A slack of a few roundings: a + b below is rounded itself.
  for (std::size_t i = 0; i < a.size(); i++)
    if (!(std::fabs(a[i] + b[i] - y[i]) <= info.bound + 1e-15))
      throw std::runtime_error("a value is outside the bound");
  ghz_cuda *gpu; // the calls for a GPU are there in every build
  if (!ghz_cuda_built() && ghz_cuda_create(&gpu, a.size(), 2) != GHZ_EDEVICE)
    throw std::runtime_error("a GPU without CUDA");
}

} // namespace

int main() {
  try {
    run();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "consumer.cpp: %s\n", e.what());
    return 1;
  }
  std::printf("ghz %s\n", ghz_version());
}
