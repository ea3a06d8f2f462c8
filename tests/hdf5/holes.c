/* holes.c: makes an HDF5 file with chunks that were never written, which no tool does.
 * usage: holes FILE.h5 FIRST COUNT FILL [GIVEN|- [NAME NUMBER]...]
 * The data set v has 64 x 64 values in chunks of 32 x 32. Rows FIRST on, COUNT of them, are 2. FILL
 * 0: no fill value. The filter is given GIVEN for one. Attributes NAME are NUMBER, or this text.
 * The data set "copied" is made with the creation list of v, but the fill value 9; "linked" is that
 * of full.h5, wherever the file is; "soft" and "hard" are links to v. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <hdf5.h>
#include <hdf5/parameters.h>
#include <stdlib.h>
#include <string.h>

static int wrong(int result) {
  if (result < 0)
    H5Eprint2(H5E_DEFAULT, stderr);
  return result < 0;
}

static hid_t creation(float fill, const char *given) {
  const ghz_h5_parameters p = {.bound = {GHZ_ABS, 1e-3},
                               .fill = given ? GHZ_H5_FILL_GIVEN : 0,
                               .fill_value = given ? strtod(given, NULL) : 0};
  unsigned words[GHZ_H5_WORDS_USER];
  const size_t n = ghz_h5_write_user(&p, words);
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  if (wrong(H5Pset_chunk(plist, 2, (const hsize_t[]){32, 32})) ||
      wrong(H5Pset_filter(plist, GHZ_H5_FILTER, H5Z_FLAG_MANDATORY, n, words)) ||
      (fill != 0 && wrong(H5Pset_fill_value(plist, H5T_NATIVE_FLOAT, &fill))))
    exit(EXIT_FAILURE);
  return plist;
}

static int copy_list(hid_t file, hid_t set, hid_t space) {
  const hid_t plist = H5Dget_create_plist(set);
  if (wrong(H5Pset_fill_value(plist, H5T_NATIVE_FLOAT, &(float){9})))
    return -1;
  const hid_t copied = H5Dcreate2(file, "copied", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  H5Pclose(plist);
  return copied < 0 ? -1 : H5Dclose(copied);
}

/* Of double, in an array of one, as netCDF has them. */
static int set_attribute(hid_t set, const char *name, const char *text) {
  char *end;
  const double number = strtod(text, &end);
  const hid_t space = H5Screate_simple(1, (const hsize_t[]){1}, NULL), letters = H5Tcopy(H5T_C_S1);
  const hid_t type = *end ? letters : H5T_IEEE_F64LE;
  const hid_t attribute = H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || wrong(H5Awrite(attribute, type, *end ? (const void *)text : &number)))
    return -1;
  H5Tclose(letters);
  H5Sclose(space);
  return H5Aclose(attribute);
}

int main(int argc, char **argv) {
  static float values[64 * 64];
  if (argc < 5)
    return EXIT_FAILURE;
  const hsize_t extent[] = {64, 64}, first[] = {strtoull(argv[2], NULL, 10), 0},
                count[] = {strtoull(argv[3], NULL, 10), 64};
  for (size_t i = 0; i < 64 * 64; i++)
    values[i] = 2;
  const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(2, extent, NULL), rows = H5Screate_simple(2, count, NULL);
  const hid_t plist = creation(strtof(argv[4], NULL), argc > 5 && strcmp(argv[5], "-") != 0 ? argv[5] : NULL);
  const hid_t set = H5Dcreate2(file, "v", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (set < 0 ||
      (count[0] > 0 && (wrong(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL)) ||
                        wrong(H5Dwrite(set, H5T_NATIVE_FLOAT, rows, space, H5P_DEFAULT, values)))))
    return EXIT_FAILURE;
  for (int i = 6; i + 1 < argc; i += 2)
    if (wrong(set_attribute(set, argv[i], argv[i + 1])))
      return EXIT_FAILURE;
  if (wrong(copy_list(file, set, space)) ||
      wrong(H5Lcreate_external("full.h5", "v", file, "linked", H5P_DEFAULT, H5P_DEFAULT)) ||
      wrong(H5Lcreate_soft("/v", file, "soft", H5P_DEFAULT, H5P_DEFAULT)) ||
      wrong(H5Lcreate_hard(file, "v", file, "hard", H5P_DEFAULT, H5P_DEFAULT)))
    return EXIT_FAILURE;
  H5Pclose(plist);
  H5Sclose(rows);
  H5Sclose(space);
  H5Dclose(set);
  return H5Fclose(file) < 0;
}
