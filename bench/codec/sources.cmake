# The parts of bench/codec, for the program and for the one that runs on the emulated device.
# SPDX-License-Identifier: BSD-3-Clause
set(bench_codec_sources main.c fields.c cpu.c operands.c quality.c ../common/options.c ../common/support.c)
set(bench_codec_cuda_sources cuda/main.c cuda/device.c cuda/values.c cuda/work.c cuda/measure.c cuda/report.c)
list(TRANSFORM bench_codec_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM bench_codec_cuda_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
