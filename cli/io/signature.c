/* signature.c: owns how other formats are recognised, by their first bytes, and advice on them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "signature.h"

#include <ctype.h>
#include <string.h>

typedef struct look {
  const unsigned char *b;
  size_t size;
} look;

static bool begins(const look *l, size_t at, const char *magic, size_t n) {
  return l->size >= at + n && memcmp(l->b + at, magic, n) == 0;
}

#define BEGINS(l, magic) begins(l, 0, magic, sizeof(magic) - 1)

/* ---- Formats --------------------------------------------------------------------------------- */

static bool is_ghz(const look *l) {
  return BEGINS(l, "GHZF") && l->size >= 8 && l->b[4] < 16 && l->b[5] < 16 && l->b[6] <= 32 && l->b[7] < 64;
}

static bool is_netcdf(const look *l) {
  return BEGINS(l, "CDF\1") || BEGINS(l, "CDF\2") || BEGINS(l, "CDF\5");
}

static bool is_hdf5(const look *l) {
  static const char magic[] = "\x89HDF\r\n\x1a\n";
  return begins(l, 0, magic, 8) || begins(l, 512, magic, 8);
}

static bool is_grib(const look *l) {
  return BEGINS(l, "GRIB") && l->size >= 8 && (l->b[7] == 1 || l->b[7] == 2);
}

/* TIFF, and BigTIFF with its sizes of offsets. */
static bool is_tiff(const look *l) {
  return BEGINS(l, "II*\0") || BEGINS(l, "MM\0*") || BEGINS(l, "II+\0\10\0\0\0") || BEGINS(l, "MM\0+\0\10\0\0");
}

/* A textual header is 40 cards of 80 letters, in EBCDIC or ASCII; they begin with C and a
 * number. */
static bool is_segy(const look *l) {
  int cards = 0;
  for (size_t at = 0; at + 2 <= l->size && at <= 400; at += 80) {
    const unsigned char letter = l->b[at], next = l->b[at + 1];
    cards += letter == 0xc3 && (next == 0x40 || (next >= 0xf0 && next <= 0xf9));
    cards += letter == 'C' && (next == ' ' || isdigit(next));
  }
  return cards >= 5;
}

/* Deflate is its one method; three flags are reserved. */
static bool is_gzip(const look *l) {
  return BEGINS(l, "\x1f\x8b\x08") && l->size >= 10 && (l->b[3] & 0xe0) == 0 &&
         (l->b[9] <= 13 || l->b[9] == 255);
}

static bool is_zstd(const look *l) {
  return BEGINS(l, "\x28\xb5\x2f\xfd");
}

static bool is_xz(const look *l) {
  return BEGINS(l, "\xfd"
                   "7zXZ\0");
}

static bool is_bzip2(const look *l) {
  return BEGINS(l, "BZh") && begins(l, 4, "1AY&SY", 6);
}

static bool is_zip(const look *l) {
  return BEGINS(l, "PK\3\4") || BEGINS(l, "PK\5\6");
}

static bool is_fits(const look *l) {
  return BEGINS(l, "SIMPLE  =");
}

static bool is_image(const look *l) {
  return BEGINS(l, "\x89PNG\r\n\x1a\n") || (BEGINS(l, "\xff\xd8\xff") && l->size >= 4 && l->b[3] >= 0xdb) ||
         BEGINS(l, "GIF89a") || BEGINS(l, "GIF87a");
}

static bool is_matlab(const look *l) {
  return BEGINS(l, "MATLAB 5.0 MAT-file");
}

static bool is_parquet(const look *l) {
  return BEGINS(l, "PAR1");
}

/* Numbers in letters: every byte of 16 values or more is a letter that is printed. */
static bool is_text(const look *l) {
  bool digit = false, space = false;
  for (size_t i = 0; i < l->size; i++) {
    const unsigned char c = l->b[i];
    if (c >= 127 || (c < ' ' && c != '\n' && c != '\r' && c != '\t'))
      return false;
    digit |= c >= '0' && c <= '9';
    space |= c == '\n' || c == '\t' || c == ' ' || c == ',';
  }
  return l->size >= 64 && digit && space;
}

#define NUMPY_SAVE "numpy.save one of its arrays as .npy"

static const signature hdf5 = {"an HDF5 or NetCDF-4 file", NUMPY_SAVE
                               ", as of h5py.File(FILE)[DATASET][:]; ghz mean and ghz add take --var DATASET"};

static const struct row {
  bool (*is)(const look *l);
  signature s;
} rows[] = {
    {is_ghz, {"compressed already", "ghz decompress gives its values"}},
    {is_netcdf, {"a NetCDF file", NUMPY_SAVE ", as of xarray.open_dataset(FILE)[VARIABLE].values"}},
    {is_grib, {"a GRIB file", "write its values first, as with wgrib2 FILE -no_header -bin values.f32"}},
    {is_tiff, {"a TIFF image", NUMPY_SAVE ", as of tifffile.imread(FILE)"}},
    {is_segy,
     {"a SEG-Y file", "write its traces first, as with numpy.save of segyio.tools.collect(f.trace[:])"}},
    {is_gzip, {"a gzip file", "decompress it first, as with zcat FILE | ghz compress --type f32 ..."}},
    {is_zstd, {"a Zstandard file", "decompress it first, as with zstdcat FILE | ghz compress --type f32 ..."}},
    {is_xz, {"an xz file", "decompress it first, as with xzcat FILE | ghz compress --type f32 ..."}},
    {is_bzip2, {"a bzip2 file", "decompress it first, as with bzcat FILE | ghz compress --type f32 ..."}},
    {is_zip, {"a zip archive", "extract the .npy files that are in it"}},
    {is_fits, {"a FITS file", NUMPY_SAVE ", as of astropy.io.fits.getdata(FILE)"}},
    {is_image, {"an image file", NUMPY_SAVE ", if its colours are the values"}},
    {is_matlab, {"a MATLAB file", NUMPY_SAVE ", as of scipy.io.loadmat(FILE)[NAME]"}},
    {is_parquet, {"a Parquet file", NUMPY_SAVE ", as of one column"}},
    {is_text, {"a text file", NUMPY_SAVE ", as of numpy.loadtxt(FILE)"}},
};

/* ---- Looking --------------------------------------------------------------------------------- */

/* HDF5 may begin at a power of two from 512 on, behind bytes of somebody else. */
static bool find_late_hdf5(file *f, signature *found) {
  const uint64_t start = f->position;
  unsigned char b[8];
  size_t got;
  bool ok = true;
  for (uint64_t at = 1024; ok && f->seekable && at <= 65536 && start + at + 8 <= f->size; at *= 2) {
    f->position = start + at;
    ok = file_peek(f, b, sizeof b, &got);
    if (ok && got == sizeof b && is_hdf5(&(look){b, got}))
      *found = hdf5;
  }
  f->position = start;
  return ok;
}

bool signature_find(file *f, signature *found) {
  unsigned char b[FILE_AHEAD];
  look l = {b, 0};
  *found = (signature){NULL, NULL};
  if (!file_peek(f, b, sizeof b, &l.size))
    return false;
  if (is_hdf5(&l))
    *found = hdf5;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && !found->what; i++)
    if (rows[i].is(&l))
      *found = rows[i].s;
  return found->what || find_late_hdf5(f, found);
}
