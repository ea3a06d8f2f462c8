/* ghz_libpressio.cc: owns the compressor "ghz" of libpressio: load it, and it is in libpressio's
 * registry. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <cstdint>
#include <ghz/ghz.h>
#include <libpressio_ext/cpp/compressor.h>
#include <libpressio_ext/cpp/data.h>
#include <libpressio_ext/cpp/domain_manager.h>
#include <libpressio_ext/cpp/options.h>
#include <libpressio_ext/cpp/pressio.h>
#include <memory>
#include <std_compat/memory.h>
#include <string>
#include <vector>

namespace libpressio {
namespace compressors {
namespace ghz_ns {

using optional_number = compat::optional<double>;
using context = std::unique_ptr<ghz_context, decltype(&ghz_context_free)>;

const struct {
  const char *name;
  ghz_bound_kind kind;
} BOUNDS[] = {{"pressio:abs", GHZ_ABS}, {"pressio:rel", GHZ_REL}, {"ghz:psnr", GHZ_PSNR}};

/* Compresses to plain streams of libghz. The bound is the one that was set last. */
class ghz_compressor_plugin : public libpressio_compressor_plugin {
public:
  pressio_options get_options_impl() const override {
    pressio_options options;
    for (const auto &b : BOUNDS)
      set(options, b.name, bound.kind == b.kind ? optional_number(bound.value) : optional_number());
    set(options, "ghz:fill", fill);
    set(options, "pressio:nthreads", threads);
    return options;
  }

  pressio_options get_configuration_impl() const override {
    pressio_options options;
    set(options, "pressio:thread_safe", pressio_thread_safety_multiple);
    set(options, "pressio:stability", "experimental");
    return options;
  }

  pressio_options get_documentation_impl() const override {
    pressio_options options;
    set(options, "pressio:description",
        "libghz: error-bounded compression, whose streams are added without decompressing them");
    set(options, "pressio:abs", "the largest error of a value");
    set(options, "pressio:rel", "the largest error as a fraction of the range of the values");
    set(options, "ghz:psnr", "the least peak signal-to-noise ratio, in dB");
    set(options, "ghz:fill", "the number that stands for missing values; it comes back for them and for NaN");
    set(options, "pressio:nthreads", "how many threads compress; 0: one a core");
    return options;
  }

  int set_options_impl(pressio_options const &options) override {
    double value;
    for (const auto &b : BOUNDS)
      if (get(options, b.name, &value) == pressio_options_key_set)
        bound = {b.kind, value};
    if (get(options, "ghz:fill", &value) == pressio_options_key_set)
      fill = value;
    get(options, "pressio:nthreads", &threads);
    return 0;
  }

  int compress_impl(const pressio_data *given, pressio_data *output) override {
    const auto input = domain_manager().make_readable(domain_plugins().build("malloc"), *given);
    context ctx(nullptr, ghz_context_free);
    ghz_type type;
    ghz_shape shape;
    ghz_lattice lattice;
    if (!make(&ctx) || !type_of(input.dtype(), &type) || !shape_of(input, type, &shape) ||
        !lattice_for(ctx.get(), type, input, &lattice))
      return error_code();
    const size_t most = ghz_shape_bound(&shape, type, 1);
    pressio_data room = pressio_data::owning(pressio_byte_dtype, {most});
    size_t size = 0;
    if (!good(ctx.get(), ghz_compress_shape(ctx.get(), &lattice, GHZ_ORDER_BEST, input.data(), &shape,
                                            room.data(), most, &size)))
      return error_code();
    *output = pressio_data::copy(pressio_byte_dtype, room.data(), {size});
    return 0;
  }

  /* The output says how many values there are, and of which type. */
  int decompress_impl(const pressio_data *given, pressio_data *output) override {
    const auto input = domain_manager().make_readable(domain_plugins().build("malloc"), *given);
    const ghz_bytes stream{input.data(), input.size_in_bytes()};
    context ctx(nullptr, ghz_context_free);
    ghz_type type;
    ghz_info info;
    if (!make(&ctx) || !type_of(output->dtype(), &type) || !good(nullptr, ghz_info_read(stream, &info)))
      return error_code();
    if (info.count != output->num_elements())
      return set_error(GHZ_EMISMATCH, "ghz: the stream has " + std::to_string(info.count) +
                                          " values, the output " + std::to_string(output->num_elements()));
    pressio_data values = pressio_data::owning(output->dtype(), output->dimensions());
    if (!good(ctx.get(), ghz_decompress(ctx.get(), stream, type, values.data(), values.num_elements())))
      return error_code();
    *output = std::move(values);
    return 0;
  }

  int major_version() const override {
    return GHZ_VERSION_MAJOR;
  }
  int minor_version() const override {
    return GHZ_VERSION_MINOR;
  }
  int patch_version() const override {
    return GHZ_VERSION_PATCH;
  }
  const char *version() const override {
    return ghz_version();
  }
  const char *prefix() const override {
    return "ghz";
  }

  std::shared_ptr<libpressio_compressor_plugin> clone() override {
    return compat::make_unique<ghz_compressor_plugin>(*this);
  }

private:
  bool good(const ghz_context *ctx, ghz_status status) {
    if (status != GHZ_OK)
      set_error(status, std::string("ghz: ") + ghz_context_message(ctx));
    return status == GHZ_OK;
  }

  bool make(context *ctx) {
    ghz_context *made = nullptr; /* one thread needs none */
    if (threads != 1 && !good(nullptr, ghz_context_create(&made, static_cast<int>(threads))))
      return false;
    ctx->reset(made);
    return true;
  }

  bool type_of(pressio_dtype dtype, ghz_type *type) {
    *type = dtype == pressio_float_dtype ? GHZ_F32 : GHZ_F64;
    if (dtype != pressio_float_dtype && dtype != pressio_double_dtype)
      set_error(GHZ_EINVAL, "ghz: the values are neither float nor double");
    return dtype == pressio_float_dtype || dtype == pressio_double_dtype;
  }

  /* libpressio counts dimensions from the fastest one on. */
  bool shape_of(const pressio_data &input, ghz_type type, ghz_shape *shape) {
    const std::vector<uint64_t> extents(input.dimensions().rbegin(), input.dimensions().rend());
    if (!good(nullptr, ghz_shape_make(extents.size(), extents.data(), shape)))
      return false;
    if (ghz_shape_bound(shape, type, 1) == 0)
      set_error(GHZ_ENOMEM, "ghz: the values do not fit in memory");
    return ghz_shape_bound(shape, type, 1) != 0;
  }

  bool lattice_for(ghz_context *ctx, ghz_type type, const pressio_data &input, ghz_lattice *lattice) {
    const void *const arrays[] = {input.data()};
    const double *const missing = fill ? &*fill : nullptr;
    return good(ctx, ghz_lattice_for(ctx, type, bound, missing, 1, arrays, input.num_elements(), lattice));
  }

  ghz_bound bound{GHZ_REL, 1e-4};
  optional_number fill;
  uint32_t threads = 1;
};

pressio_register registration(compressor_plugins(), "ghz",
                              [] { return compat::make_unique<ghz_compressor_plugin>(); });

} // namespace ghz_ns
} // namespace compressors
} // namespace libpressio
