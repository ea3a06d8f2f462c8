# The parts of ghz_gpu_bench, for the real program and for the one that smoke.cmake makes.
set(gpu_bench_sources main.c options.c fields.c device.c work.c check.c measure.c overlap.c report.c)
list(TRANSFORM gpu_bench_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
