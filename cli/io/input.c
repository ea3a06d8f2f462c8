/* input.c: owns reading arrays of values from raw files, .npy files and pipes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "input.h"
#include "npy.h"
#include "report/report.h"

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
#define HDF5_ADVICE SAVE("h5py.File(FILE)[DATASET][:]; ghz h5args prints how h5repack compresses it")
#define AT(at, each, magic) .offset = (at), .size = (each), .magics = (magic), .all = sizeof(magic) - 1

/* One after the other, magics of one size; "?" is any byte. */
typedef struct signature {
  const char *what, *advice; /* what the file is, and what to do with it */
  bool (*is)(const look *l); /* or: */
  size_t offset, size, all;
  const char *magics;
} signature;

static const signature signatures[] = {
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

static bool matches(const signature *r, const look *l) {
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
static bool find_late_hdf5(file *f, const signature **found) {
  unsigned char b[8];
  look l = {b, 0};
  bool ok = true;
  for (uint64_t at = 1024; ok && at <= 65536; at *= 2) {
    ok = peek_at(f, at, b, sizeof b, &l.size);
    if (ok && matches(signatures, &l))
      *found = signatures;
  }
  return ok;
}

/* Fortran writes the length of a record in front of it, and behind. Equal values are no lengths. */
static bool find_records(file *f, const look *first, const signature **found) {
  static const signature records = {.what = "a file of Fortran records, each between two lengths",
                                    .advice = SAVE("scipy.io.FortranFile(FILE)")};
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
      *found = &records;
  }
  return ok;
}

/* Looks at the next bytes of a file, and leaves them to be read; NULL: maybe plain values. Those
 * that happen to begin like one of these formats are not expected: every test looks at 32 bits or
 * more. */
static bool signature_find(file *f, const signature **found) {
  unsigned char b[FILE_AHEAD];
  look l = {b, 0};
  *found = NULL;
  if (!file_peek(f, b, sizeof b, &l.size))
    return false;
  for (size_t i = 0; i < sizeof signatures / sizeof *signatures && !*found; i++)
    if (matches(&signatures[i], &l))
      *found = &signatures[i];
  return *found || (find_late_hdf5(f, found) && (*found || find_records(f, &l, found)));
}

bool file_may_be_ghz(file *f) {
  const signature *other;
  return signature_find(f, &other) &&
         (!other || other->is == is_ghz || fail(f->name, "is %s, not a .ghz file", other->what));
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

static const struct {
  const char *extension, *whole;
} types[] = {[GHZ_F32] = {".f32", "float32"}, [GHZ_F64] = {".f64", "float64"}, [GHZ_I8] = {".i8", "int8"},
             [GHZ_I16] = {".i16", "int16"},   [GHZ_I32] = {".i32", "int32"},   [GHZ_I64] = {".i64", "int64"},
             [GHZ_U8] = {".u8", "uint8"},     [GHZ_U16] = {".u16", "uint16"},  [GHZ_U32] = {".u32", "uint32"}};
enum { TYPES = sizeof types / sizeof *types };

const char *type_name(ghz_type type) {
  return types[type].extension + 1;
}

const char *type_extension(ghz_type type) {
  return types[type].extension;
}

bool type_parse(const char *text, ghz_type *type) {
  for (int i = 0; i < TYPES; i++)
    if (strcmp(text, type_name((ghz_type)i)) == 0 || strcmp(text, types[i].whole) == 0)
      return (*type = (ghz_type)i, true);
  return false;
}

bool type_is_integer(ghz_type type) {
  return type != GHZ_F32 && type != GHZ_F64;
}

type_choice type_of_name(const char *name) {
  for (int i = 0; i < TYPES; i++)
    if (name_ends(name, types[i].extension))
      return (type_choice){.given = true, .type = (ghz_type)i};
  return (type_choice){.given = name_ends(name, ".d64"), .type = GHZ_F64};
}

const char *format_named(const char *name) {
  static const char *const alike[][7] = {{".ghz"},
                                         {".npy"},
                                         {".nc", ".nc4", ".h5", ".hdf5", ".he5"},
                                         {".png"},
                                         {".npz", ".zarr", ".txt", ".csv", ".jpg", ".pdf", ".gz"}};
  for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
    for (size_t k = 0; k < 7 && alike[i][k]; k++)
      if (name_ends(name, alike[i][k]))
        return alike[i][0];
  return type_of_name(name).given ? ".npy" : "";
}

/* --dims does not fit, unless the type is another than it is taken for. */
static bool fail_count(const input *in, uint64_t want, uint64_t have) {
  const bool narrow = in->type == GHZ_F32,
             other = narrow ? want == have / 2 && have % 2 == 0 : want == 2 * have;
  return fail(in->file.name, "--dims %s needs %llu values, the file has %llu of %s%s%s",
              shape_text(&in->shape).text, (unsigned long long)want, (unsigned long long)have,
              type_name(in->type), other ? "; it fits " : "",
              other ? type_name(narrow ? GHZ_F64 : GHZ_F32) : "");
}

/* Sets the count, which --dims may have said before. */
static bool set_count(input *in, uint64_t count) {
  const uint64_t known = in->count;
  in->count = count;
  return known == GHZ_FILE_UNKNOWN || known == count || fail_count(in, known, count);
}

/* Sets the count of a raw file from its size. */
static bool measure_raw(input *in) {
  const file *f = &in->file;
  uint64_t bytes = f->size - f->position, size = ghz_type_size(in->type);
  if (bytes == 0)
    return fail(f->name, "is empty");
  if (bytes < size)
    return fail(f->name, "is shorter than one value: %llu bytes, %s takes %llu", (unsigned long long)bytes,
                type_name(in->type), (unsigned long long)size);
  if (bytes % size)
    return fail(f->name, "%llu bytes are not a whole number of %s values", (unsigned long long)bytes,
                type_name(in->type));
  return set_count(in, bytes / size);
}

/* Checks that the length of an .npy file fits its shape. */
static bool measure_npy(input *in) {
  const file *f = &in->file;
  uint64_t bytes = f->size - f->position, need = in->count * ghz_type_size(in->type);
  if (bytes < need)
    return fail(f->name, "truncated: the shape needs %llu bytes of values, %llu are there",
                (unsigned long long)need, (unsigned long long)bytes);
  if (bytes > need)
    return fail(f->name, "%llu bytes follow the array", (unsigned long long)(bytes - need));
  return true;
}

static bool measure(input *in) {
  in->start = in->file.position;
  if (!in->file.seekable)
    return true;
  return in->shape.npy ? measure_npy(in) : measure_raw(in);
}

static bool open_npy(input *in, type_choice choice) {
  if (!npy_read_header(&in->file, &in->type, &in->big_endian, &in->shape))
    return false;
  if (choice.given && choice.type != in->type)
    return fail(in->file.name, "holds %s, not %s as --type says", type_name(in->type), type_name(choice.type));
  in->count = ghz_array_count(&in->shape);
  return measure(in);
}

/* Fails if the file holds something else than values, unless that is forced. Sets *npy if it is
 * an .npy file, and *empty if nothing is in it. */
static bool check_contents(input *in, bool forced, bool *npy, bool *empty) {
  unsigned char magic[6];
  size_t got;
  const signature *other;
  if (!file_peek(&in->file, magic, sizeof magic, &got) || !signature_find(&in->file, &other))
    return false;
  *npy = got == sizeof magic && memcmp(magic, NPY_MAGIC, 6) == 0;
  *empty = got == 0;
  if (!other || !forced)
    return !other || fail(in->file.name, "is %s: %s", other->what, other->advice);
  note(LEVEL_NORMAL, "%s: looks like %s, and is taken for plain values, its header too, as -f says",
       in->file.name, other->what);
  return true;
}

/* Says that --type has more weight than the extension, where they differ. */
static void note_extension(const char *name, type_choice named, type_choice choice) {
  if (choice.given && name_ends(name, ".npy"))
    note(LEVEL_NORMAL, "%s: is no .npy file; read as %s, as --type says", name, type_name(choice.type));
  else if (choice.given && named.given && named.type != choice.type)
    note(LEVEL_NORMAL, "%s: read as %s, as --type says, not as its extension says", name,
         type_name(choice.type));
}

static bool open_raw(input *in, type_choice named, type_choice choice) {
  in->type = choice.given ? choice.type : named.type;
  in->big_endian = choice.big_endian;
  if (!measure(in))
    return false;
  note_extension(in->file.name, named, choice);
  return true;
}

/* Finds the type: by the first bytes, then by --type, then by the extension. */
static bool identify(input *in, type_choice choice) {
  const char *name = in->file.name;
  type_choice named = type_of_name(name);
  bool npy, empty;
  if (!check_contents(in, choice.forced && (choice.given || named.given), &npy, &empty))
    return false;
  if ((name_ends(name, ".npy") && (npy || !choice.given)) || (npy && !named.given))
    return open_npy(in, choice);
  if (npy)
    return fail(name, "is a NumPy .npy file: give it a name that ends in .npy");
  if (named.given || choice.given)
    return open_raw(in, named, choice);
  return fail(name, empty ? "is empty" : "unknown type of values; use --type f32 or --type f64");
}

bool input_adopt(input *in, const file *f, type_choice choice) {
  *in = (input){.file = *f, .count = GHZ_FILE_UNKNOWN};
  if (identify(in, choice))
    return true;
  input_close(in);
  return false;
}

bool input_open(input *in, const char *path, type_choice choice) {
  file f;
  return file_open(&f, path) && input_adopt(in, &f, choice);
}

bool fail_contradicts(const char *name, const shape *own, const shape *given) {
  return fail(name, "--dims %s contradicts its shape, %s; leave --dims out", shape_text(given).text,
              shape_text(own).text);
}

bool input_set_shape(input *in, const shape *s) {
  if (in->shape.npy &&
      (in->shape.ndim != s->ndim || memcmp(in->shape.dims, s->dims, s->ndim * sizeof *s->dims) != 0))
    return fail_contradicts(in->file.name, &in->shape, s);
  if (in->shape.npy)
    return true;
  in->shape = *s;
  const uint64_t own = in->count;
  in->count = ghz_array_count(s);
  return own == GHZ_FILE_UNKNOWN || set_count(in, own);
}

/* Fails if a pipe goes on after the array whose shape is known. */
static bool check_end(input *in) {
  unsigned char next;
  size_t got = 0;
  if (in->file.seekable || in->taken < in->count)
    return true;
  if (!file_peek(&in->file, &next, 1, &got))
    return false;
  return got == 0 || fail(in->file.name, "more bytes follow the array");
}

bool input_read(input *in, void *values, size_t count, size_t *got) {
  size_t size = ghz_type_size(in->type), bytes;
  if (in->count != GHZ_FILE_UNKNOWN && count > in->count - in->taken)
    count = (size_t)(in->count - in->taken);
  if (!file_read(&in->file, values, count * size, &bytes))
    return false;
  *got = bytes / size;
  if (in->big_endian)
    byte_order_turn(in->type, values, *got);
  in->taken += *got;
  if (in->count != GHZ_FILE_UNKNOWN && *got < count)
    return fail(in->file.name, "truncated: ends after %llu of %llu values", (unsigned long long)in->taken,
                (unsigned long long)in->count);
  if (bytes % size)
    return fail(in->file.name, "ends in the middle of a value: %llu bytes after %llu values of type %s",
                (unsigned long long)(bytes % size), (unsigned long long)in->taken, type_name(in->type));
  if (in->taken == 0 && !in->shape.npy)
    return fail(in->file.name, "is empty");
  return check_end(in);
}

bool input_make_seekable(input *in) {
  if (in->file.seekable)
    return true;
  return file_spool(&in->file, NULL, NULL) && measure(in);
}

void input_warn_turned(const input *in) {
  static const char why[] = "by their exponents, the bytes of its values are turned round";
  if (in->shape.npy)
    note(LEVEL_NORMAL, "%s: %s, though its header says how they are", in->file.name, why);
  else if (in->big_endian)
    note(LEVEL_NORMAL, "%s: %s. Leave --big-endian out, or use another --type", in->file.name, why);
  else
    note(LEVEL_NORMAL, "%s: %s. Use --big-endian, or another --type", in->file.name, why);
}

void input_skip(input *in, uint64_t count) {
  in->file.position += count * ghz_type_size(in->type);
  in->taken += count;
}

void input_rewind(input *in) {
  in->file.position = in->start;
  in->taken = 0;
}

void input_close(input *in) {
  file_close(&in->file);
}
