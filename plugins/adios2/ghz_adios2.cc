/* ghz_adios2.cc: owns the ADIOS2 operator of libghz: a plugin that compresses the blocks of
 * variables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <adios2/plugin/PluginOperatorInterface.h>

#include <charconv>
#include <cstdint>
#include <ghz/ghz.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using adios2::DataType;
using adios2::Dims;
using adios2::Params;

void check(ghz_status status, const ghz_context *ctx = nullptr) {
  if (status != GHZ_OK)
    throw std::runtime_error(std::string("ghz: ") + ghz_context_message(ctx));
}

double number(const std::string &name, const std::string &text) {
  double value; /* from_chars does not follow the locale */
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size())
    return value;
  throw std::invalid_argument("ghz: parameter " + name + " is '" + text + "', not a number");
}

/* The shape of a block, whose extents come the slowest first; a block without extents is one
 * value. */
ghz_shape shape_of(size_t rank, const size_t *extents) {
  const std::vector<uint64_t> copy(extents, extents + rank);
  ghz_shape shape = ghz_flat(1);
  if (rank > 0)
    check(ghz_shape_make(rank, copy.data(), &shape));
  return shape;
}

/* A block is one libghz stream of its shape: blocks with the same parameter `abs` can be added.
 * Errors are exceptions of the call that writes or reads; ADIOS2 2.12 crashes if a file is closed
 * after one of writing. */
class Operator final : public adios2::plugin::PluginOperatorInterface {
public:
  explicit Operator(const Params &parameters) : PluginOperatorInterface(parameters) {}

  bool IsDataTypeValid(const DataType type) const override {
    return type == DataType::Float || type == DataType::Double;
  }

  size_t GetEstimatedSize(const size_t, const size_t size, const size_t rank,
                          const size_t *extents) const override {
    const ghz_type type = size == sizeof(float) ? GHZ_F32 : GHZ_F64;
    const ghz_shape shape = shape_of(rank, extents);
    const size_t most = ghz_shape_bound(&shape, type, 1);
    if (most == 0)
      throw std::length_error("ghz: the block does not fit in memory");
    return most;
  }

  size_t Operate(const char *values, const Dims &, const Dims &extents, const DataType type,
                 char *out) override {
    const ghz_type element = type == DataType::Float ? GHZ_F32 : GHZ_F64;
    const ghz_shape shape = shape_of(extents.size(), extents.data());
    const size_t count = static_cast<size_t>(ghz_shape_count(&shape));
    const void *const arrays[] = {values};
    double fill = 0;
    ghz_lattice lattice;
    size_t size = 0;
    check(ghz_lattice_for(nullptr, element, bound(), has_fill(element, &fill) ? &fill : nullptr, 1, arrays,
                          count, &lattice));
    check(ghz_compress_shape(nullptr, &lattice, GHZ_ORDER_BEST, values, &shape, out,
                             ghz_shape_bound(&shape, element, 1), &size));
    return size;
  }

  /* ADIOS2 does not say how many values `out` holds: what the stream says is believed. */
  size_t InverseOperate(const char *stream, const size_t size, char *out) override {
    ghz_info info;
    check(ghz_info_read({stream, size}, &info));
    const size_t count = static_cast<size_t>(info.count);
    check(ghz_decompress(nullptr, {stream, size}, info.lattice.type, out, count));
    return count * ghz_type_size(info.lattice.type);
  }

private:
  bool has_fill(ghz_type type, double *fill) const {
    const auto text = m_Parameters.find("fill");
    if (text == m_Parameters.end())
      return false;
    *fill = number("fill", text->second);
    if (type == GHZ_F32) /* 1e20 is no float, and stands for the one next to it */
      *fill = static_cast<double>(static_cast<float>(*fill));
    return true;
  }

  ghz_bound bound() const {
    const struct {
      const char *name;
      ghz_bound_kind kind;
    } kinds[] = {{"abs", GHZ_ABS}, {"rel", GHZ_REL}, {"psnr", GHZ_PSNR}};
    ghz_bound found{GHZ_ABS, 0};
    int given = 0;
    for (const auto &kind : kinds) {
      const auto text = m_Parameters.find(kind.name);
      if (text == m_Parameters.end())
        continue;
      found = {kind.kind, number(kind.name, text->second)};
      given++;
    }
    if (given != 1)
      throw std::invalid_argument("ghz: give one of the parameters abs, rel, psnr");
    return found;
  }
};

} // namespace

/* What ADIOS2 looks for in a plugin. */
extern "C" {
__attribute__((visibility("default"))) adios2::plugin::PluginOperatorInterface *
OperatorCreate(const Params &parameters) {
  return new Operator(parameters);
}
__attribute__((visibility("default"))) void OperatorDestroy(adios2::plugin::PluginOperatorInterface *made) {
  delete made;
}
}
