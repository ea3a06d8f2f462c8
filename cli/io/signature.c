/* signature.c: owns how other formats are recognised, by their first bytes, and advice on them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct look {
  const unsigned char *b;
  size_t size;
} look;

static bool begins(const look *l, size_t at, const char *magic, size_t n) {
  return l->size >= at + n && memcmp(l->b + at, magic, n) == 0;
}

/* ---- Formats that are told by more than a few bytes ------------------------------------------ */

static bool is_ghz(const look *l) {
  return begins(l, 0, "GHZF", 4) && l->size >= 8 && l->b[4] < 16 && l->b[5] < 16 && l->b[6] <= 32 &&
         l->b[7] < 64;
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
  return begins(l, 0, "\x1f\x8b\x08", 3) && l->size >= 10 && (l->b[3] & 0xe0) == 0 &&
         (l->b[9] <= 13 || l->b[9] == 255);
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

/* ---- All formats ----------------------------------------------------------------------------- */

#define NUMPY_SAVE "numpy.save one of its arrays as .npy"
#define SAVE(what) NUMPY_SAVE ", as of " what
#define UNPACK(program) "decompress it first, as with " program " FILE | ghz compress --type f32 ..."
#define HDF5_ADVICE SAVE("h5py.File(FILE)[DATASET][:]; ghz mean and ghz add take --var DATASET")
#define AT(at, each, magic) .offset = (at), .size = (each), .magics = (magic), .all = sizeof(magic) - 1

/* One after the other, magics of one size; "?" is any byte. */
static const struct row {
  const char *what, *advice;
  bool (*is)(const look *l); /* or: */
  size_t offset, size, all;
  const char *magics;
} rows[] = {
    {"an HDF5 or NetCDF-4 file", HDF5_ADVICE, AT(0, 8, "\x89HDF\r\n\x1a\n")},
    {"an HDF5 or NetCDF-4 file", HDF5_ADVICE, AT(512, 8, "\x89HDF\r\n\x1a\n")},
    {"compressed already", "ghz decompress gives its values", .is = is_ghz},
    {"a NetCDF file", SAVE("xarray.open_dataset(FILE)[VARIABLE].values"), AT(0, 4, "CDF\1CDF\2CDF\5")},
    {"a GRIB file", "write its values first, as with wgrib2 FILE -no_header -bin values.f32",
     AT(0, 8, "GRIB???\1GRIB???\2")},
    {"a TIFF image", SAVE("tifffile.imread(FILE)"), AT(0, 4, "II*\0MM\0*")},
    {"a TIFF image", SAVE("tifffile.imread(FILE)"), AT(0, 8, "II+\0\10\0\0\0MM\0+\0\10\0\0")},
    {"a SEG-Y file", "write its traces first, as with numpy.save of segyio.tools.collect(f.trace[:])",
     .is = is_segy},
    {"a gzip file", UNPACK("zcat"), .is = is_gzip},
    {"a Zstandard file", UNPACK("zstdcat"), AT(0, 4, "\x28\xb5\x2f\xfd")},
    {"an xz file", UNPACK("xzcat"), AT(0, 6, "\3757zXZ\0")},
    {"a bzip2 file", UNPACK("bzcat"), AT(0, 10, "BZh?1AY&SY")},
    {"an lz4 file", UNPACK("lz4cat"), AT(0, 4, "\4\x22\x4d\x18\2\x21\x4c\x18")},
    {"a zfp file", NUMPY_SAVE ", decompressed", AT(0, 4, "zfp\4zfp\5zfp\6")},
    {"a zip archive", "extract the .npy files that are in it", AT(0, 4, "PK\3\4PK\5\6")},
    {"a FITS file", SAVE("astropy.io.fits.getdata(FILE)"), AT(0, 9, "SIMPLE  =")},
    {"an image file", NUMPY_SAVE ", if its colours are the values",
     AT(0, 4, "\x89PNGGIF8\xff\xd8\xff\xdb\xff\xd8\xff\xe0\xff\xd8\xff\xe1\xff\xd8\xff\xe2\xff\xd8\xff\xee")},
    {"a MATLAB file", SAVE("scipy.io.loadmat(FILE)[NAME]"), AT(0, 9, "MATLAB 5.MATLAB 7.")},
    {"a Parquet file", SAVE("one column"), AT(0, 4, "PAR1")},
    {"an Arrow file", SAVE("one column"), AT(0, 6, "ARROW1")},
    {"a NIfTI file", SAVE("nibabel.load(FILE).get_fdata()"), AT(344, 4, "n+1\0ni1\0")},
    {"a NIfTI file", SAVE("nibabel.load(FILE).get_fdata()"), AT(4, 4, "n+2\0ni2\0")},
    {"an MRC or CCP4 map", SAVE("mrcfile.open(FILE).data"), AT(208, 4, "MAP ")},
    {"an NRRD file", SAVE("nrrd.read(FILE)[0]"), AT(0, 7, "NRRD000")},
    {"a VTK or XML file", SAVE("meshio.read(FILE).point_data[NAME]"), AT(0, 5, "# vtk<?xml<VTKF")},
    {"a DICOM file", SAVE("pydicom.dcmread(FILE).pixel_array"), AT(128, 4, "DICM")},
    {"a ROOT file", SAVE("uproot.open(FILE)[NAME]"), AT(0, 6, "root\0\0root\0\17")},
    {"a pickle", SAVE("pickle.load"), AT(0, 11, "\x80\4\x95????\0\0\0\0\x80\5\x95????\0\0\0\0")},
    {"a pickle", SAVE("pickle.load"),
     AT(0, 4, "\x80\2cn\x80\3cn\x80\2cc\x80\3cc\x80\2}q\x80\3}q\x80\2]q\x80\3]q\x80\2\x8a\n")},
    {"a safetensors file", SAVE("safetensors.numpy.load_file(FILE)[NAME]"), AT(0, 10, "????\0\0\0\0{\"")},
    {"an HDF4 file", SAVE("pyhdf.SD.SD(FILE).select(NAME)[:]"), AT(0, 4, "\16\3\x13\1")},
    {"a tar archive", "extract what is in it", AT(257, 5, "ustar")},
    {"a text file", SAVE("numpy.loadtxt(FILE)"), .is = is_text},
};

static bool matches(const struct row *r, const look *l) {
  for (size_t i = 0; i < r->all; i += r->size) {
    size_t k = 0;
    while (k < r->size && (r->magics[i + k] == '?' || begins(l, r->offset + k, r->magics + i + k, 1)))
      k++;
    if (k == r->size && l->size >= r->offset + r->size)
      return true;
  }
  return r->is && r->is(l);
}

/* ---- Looking --------------------------------------------------------------------------------- */

static bool peek_at(file *f, uint64_t at, void *to, size_t size, size_t *got) {
  const uint64_t start = f->position;
  *got = 0;
  if (!f->seekable || at > f->size - start)
    return true;
  f->position = start + at;
  const bool ok = file_peek(f, to, size, got);
  f->position = start;
  return ok;
}

/* HDF5 may begin at a power of two from 512 on, behind bytes of somebody else. */
static bool find_late_hdf5(file *f, signature *found) {
  unsigned char b[8];
  look l = {b, 0};
  bool ok = true;
  for (uint64_t at = 1024; ok && at <= 65536; at *= 2) {
    ok = peek_at(f, at, b, sizeof b, &l.size);
    if (ok && matches(&rows[0], &l))
      *found = (signature){rows[0].what, rows[0].advice};
  }
  return ok;
}

/* Fortran writes the length of a record in front of it, and behind. Equal values are no lengths. */
static bool find_records(file *f, const look *first, signature *found) {
  unsigned char b[4];
  size_t got;
  bool ok = true;
  for (int turn = 0; ok && turn <= 24 && first->size >= 8 && memcmp(first->b, first->b + 4, 4) != 0;
       turn += 24) {
    uint64_t length = 0;
    for (int i = 0; i < 4; i++)
      length |= (uint64_t)first->b[i] << abs(turn - 8 * i);
    ok = peek_at(f, 4 + length, b, sizeof b, &got);
    if (ok && length && got == sizeof b && memcmp(b, first->b, sizeof b) == 0)
      *found = (signature){"a file of Fortran records, each between two lengths",
                           SAVE("scipy.io.FortranFile(FILE)")};
  }
  return ok;
}

bool signature_find(file *f, signature *found) {
  unsigned char b[FILE_AHEAD];
  look l = {b, 0};
  *found = (signature){NULL, NULL};
  if (!file_peek(f, b, sizeof b, &l.size))
    return false;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && !found->what; i++)
    if (matches(&rows[i], &l))
      *found = (signature){rows[i].what, rows[i].advice};
  return found->what || (find_late_hdf5(f, found) && (found->what || find_records(f, &l, found)));
}
