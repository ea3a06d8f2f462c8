/* stub.c: owns the error of a build without HDF5 that is given HDF5 files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "h5.h"
#include "report/report.h"

static bool refuse(const char *name) {
  return fail(name, "this ghz was built without HDF5");
}

int h5_combine(const options *o, h5_operation operation) {
  (void)operation;
  return refuse(o->files[0]) ? EXIT_OK : EXIT_DATA;
}

bool h5_each_variable(const options *o, ghz_context *ctx, const char *path, h5_visitor *one) {
  (void)o, (void)ctx, (void)one;
  return refuse(path);
}

bool h5_each_variable_pair(const options *o, ghz_context *ctx, h5_pair_visitor *one) {
  (void)ctx, (void)one;
  return refuse(o->files[0]);
}

bool h5_each_stream(const h5_variable *v, ghz_context *ctx, h5_storage *s, frame_visitor *see, void *user) {
  (void)ctx, (void)s, (void)see, (void)user;
  return refuse(v->label);
}

bool h5_each_chunk(const h5_variable *v, ghz_context *ctx, frame_visitor *see, void *user) {
  (void)ctx, (void)see, (void)user;
  return refuse(v->label);
}

bool h5_each_chunk_pair(const h5_variable v[2], ghz_context *ctx, frame_pair_visitor *see, void *user) {
  (void)ctx, (void)see, (void)user;
  return refuse(v->label);
}

uint64_t h5_index(const h5_variable *v, uint64_t position) {
  (void)v;
  return position;
}

bool h5_each_numbers(const options *o, ghz_context *ctx, const char *path, bool coordinates,
                     h5_values_visitor *one) {
  (void)o, (void)ctx, (void)coordinates, (void)one;
  return refuse(path);
}

bool h5_values_open(values *v, h5_axes *axes, ghz_context *ctx, const char *path, const char *var) {
  (void)v, (void)axes, (void)ctx, (void)var;
  return refuse(path);
}

void h5_values_close(values *v) {
  values_close(v);
}

bool h5_each_request(const options *o, const h5_request *named, size_t count, h5_request_visitor *see,
                     void *user) {
  (void)named, (void)count, (void)see, (void)user;
  return refuse(o->files[0]);
}
