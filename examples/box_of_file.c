/* box_of_file.c: writes an array to a .ghz file, and reads a box of it, which takes three reads.
 *
 *   cc box_of_file.c $(pkg-config --cflags --libs ghz) -lm -o box_of_file && ./box_of_file a.ghz */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ghz/file.h>
#include <math.h>
#include <stdio.h>

enum { N = 64, BOX = 4 };
static float field[N][N][N], box[BOX][BOX][BOX];

static ghz_status write_field(const char *path) {
  ghz_file_header h = {.array = {.ndim = 3, .dims = {N, N, N}}, .count = N * N * N};
  ghz_file_writer *w;
  ghz_status status = ghz_lattice_make(GHZ_F32, (ghz_bound){GHZ_ABS, 1e-3}, 0, 0, &h.lattice);
  if (status == GHZ_OK)
    status = ghz_file_choose_frames(&h, 0, 0);
  if (status == GHZ_OK)
    status = ghz_file_create(path, &h, &w);
  if (status != GHZ_OK)
    return status;
  status = ghz_file_write(w, NULL, field, N * N * N); /* any number of values at a time */
  if (status == GHZ_OK)
    return ghz_file_finish(w, NULL);
  ghz_file_abandon(w);
  return status;
}

static ghz_status read_box(const char *path, const uint64_t from[3], const uint64_t to[3]) {
  ghz_file *f;
  ghz_status status = ghz_file_open(path, &f);
  if (status != GHZ_OK)
    return status;
  status = ghz_file_read_box(f, NULL, GHZ_F32, from, to, box);
  ghz_file_close(f);
  return status;
}

int main(int argc, char **argv) {
  const uint64_t from[3] = {30, 8, 50}, to[3] = {30 + BOX, 8 + BOX, 50 + BOX};
  float worst = 0;
  for (int z = 0; z < N; z++)
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++)
        field[z][y][x] = sinf(0.1f * (float)x) * cosf(0.05f * (float)(y + 2 * z));
  if (argc != 2 || write_field(argv[1]) != GHZ_OK || read_box(argv[1], from, to) != GHZ_OK) {
    fprintf(stderr, "%s\n", argc == 2 ? ghz_context_message(NULL) : "usage: box_of_file FILE.ghz");
    return 1;
  }
  for (int z = 0; z < BOX; z++)
    for (int y = 0; y < BOX; y++)
      for (int x = 0; x < BOX; x++)
        worst = fmaxf(worst, fabsf(box[z][y][x] - field[30 + z][8 + y][50 + x]));
  printf("%d values of the box, the largest error is %g\n", BOX * BOX * BOX, worst);
  return worst <= 1e-3f ? 0 : 1;
}
