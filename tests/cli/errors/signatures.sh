# Files that hold something else than values are named, whatever --type or their ending says.
# SPDX-License-Identifier: BSD-3-Clause
. "$HELPERS"
"$TOOL" make wave 4096 f32 >rest
# refused WHAT ADVICE, of the file `t`: by name, with an ending, from a pipe, and by every verb that
# reads values
refused() {
  cp t t.f32
  fails 1 "t: is $1: $2" "$GHZ" compress --abs 1 --type f32 t
  fails 1 "t.f32: is $1: $2" "$GHZ" compress --rel 1e-3 t.f32
  fails 1 "standard input: is $1: $2" bash -c 'cat t | "$GHZ" compress --abs 1 --type f64 -o x.ghz'
  fails 1 "standard input: is $1: $2" "$GHZ" compress --abs 1 --type f64 -o x.ghz - <t
  fails 1 "t.f32: is $1: $2" "$GHZ" compare t.f32 rest --type f32
  fails 1 "t.f32: is $1: $2" "$GHZ" tune --psnr 80 t.f32
  [ "$1" = 'compressed already' ] || fails 1 "t: is $1, not a .ghz file" "$GHZ" scale 2 t -o x.ghz
}
# is MAGIC WHAT ADVICE
is() {
  { printf "$1"; cat rest; } >t
  refused "$2" "$3"
}
pad() { head -c "$1" /dev/zero; }
for n in 1 2 5; do is "CDF\\$n\0\0\0\1" 'a NetCDF file' 'numpy.save'; done
is '\211HDF\r\n\032\n' 'an HDF5 or NetCDF-4 file' 'numpy.save'
{ pad 512; printf '\211HDF\r\n\032\n'; cat rest; } >t
refused 'an HDF5 or NetCDF-4 file' 'numpy.save'
for at in 1024 8192; do
  { pad $at; printf '\211HDF\r\n\032\n'; cat rest; } >t
  fails 1 't: is an HDF5' "$GHZ" compress --abs 1 --type f32 t
done
is 'GRIB\0\0\0\1' 'a GRIB file' 'write its values first, as with wgrib2'
is 'GRIB\0\0\0\2' 'a GRIB file' 'write its values first'
is 'II*\0\10\0\0\0' 'a TIFF image' 'numpy.save'
is 'MM\0*\0\0\0\10' 'a TIFF image' 'numpy.save'
is 'II+\0\10\0\0\0' 'a TIFF image' 'numpy.save'
is 'MM\0+\0\10\0\0' 'a TIFF image' 'numpy.save'
for i in $(seq -w 1 40); do printf 'C%-79s' "$i"; done >ascii
{ cat ascii; cat rest; } >t
refused 'a SEG-Y file' 'write its traces first'
for i in $(seq 40); do printf '\303\100\361'; printf '\100%.0s' $(seq 77); done >ebcdic
{ cat ebcdic; cat rest; } >t
refused 'a SEG-Y file' 'write its traces first'
gzip -c rest >t
refused 'a gzip file' 'decompress it first, as with zcat'
is '\050\265\057\375' 'a Zstandard file' 'decompress it first, as with zstdcat'
is '\3757zXZ\0' 'an xz file' 'decompress it first'
is 'BZh91AY&SY' 'a bzip2 file' 'decompress it first'
is 'PK\3\4' 'a zip archive' 'extract the .npy files'
is 'SIMPLE  =                    T' 'a FITS file' 'numpy.save'
is '\211PNG\r\n\032\n' 'an image file' 'numpy.save'
is '\377\330\377\340' 'an image file' 'numpy.save'
is 'MATLAB 5.0 MAT-file' 'a MATLAB file' 'numpy.save'
is 'PAR1' 'a Parquet file' 'numpy.save'
is 'ARROW1\0\0' 'an Arrow file' 'numpy.save'
is 'NRRD0004\n' 'an NRRD file' 'numpy.save'
is '# vtk DataFile' 'a VTK or XML file' 'numpy.save'
is '<?xml version="1.0"?><VTKFile' 'a VTK or XML file' 'numpy.save'
is 'root\0\0\365\214' 'a ROOT file' 'numpy.save'
is '\200\4\225\0\100\0\0\0\0\0\0' 'a pickle' 'numpy.save'
is '\200\3cnumpy' 'a pickle' 'numpy.save'
is '\100\0\0\0\0\0\0\0{"w":{' 'a safetensors file' 'numpy.save'
is '\4\042\115\030' 'an lz4 file' 'decompress it first, as with lz4cat'
is 'zfp\5' 'a zfp file' 'numpy.save'
is '\016\003\023\001' 'an HDF4 file' 'numpy.save'
at() { # OFFSET MAGIC WHAT
  { pad "$1"; printf "$2"; cat rest; } >t
  refused "$3" 'numpy.save'
}
at 344 'n+1\0' 'a NIfTI file'
at 344 'ni1\0' 'a NIfTI file'
at 4 'n+2\0' 'a NIfTI file'
at 208 'MAP ' 'an MRC or CCP4 map'
at 128 'DICM' 'a DICOM file'
# Records of Fortran, of either byte order; a pipe cannot be looked into so far.
for length in '\0\100\0\0' '\0\0\100\0'; do
  { printf "$length"; cat rest; printf "$length"; } >t
  fails 1 't: is a file of Fortran records' "$GHZ" compress --abs 1 --type f32 t
done
# -f takes anything for values, and says what it looks like.
ok "$GHZ" compress -f --abs 1 --type f32 t -o f.ghz
grep -q 't: looks like a file of Fortran records' "$SCRATCH/stderr" || die "it said: $(cat "$SCRATCH/stderr")"
ok "$GHZ" info f.ghz >info
grep -q 'values  *4098' info || die "$(cat info)"
python3 -c 'import array; array.array("i", [64] * 4096).tofile(open("equal.i32", "wb"))'
ok "$GHZ" compress -q --lossless equal.i32
seq 1000 >t
refused 'a text file' 'numpy.save'
ok "$GHZ" compress -q --abs 1e-3 --type f32 rest -o c.ghz
cp c.ghz t
refused 'compressed already' 'ghz decompress gives its values'
fails 1 'c.ghz: is compressed already' "$GHZ" compress --abs 1 --type f32 c.ghz
# An .npy file is one under any name; but a name that says raw values contradicts.
{ "$TOOL" npy '(64, 64)' f32; cat rest; } >a
ok "$GHZ" compress -q --abs 1e-3 --type f32 a
ok "$GHZ" info a.ghz >info
grep -q '64x64, from .npy' info || die "$(cat info)"
fails 1 'a: holds f32, not f64 as --type says' "$GHZ" compress --abs 1 --type f64 a -o x.ghz
cp a b.f32
fails 1 'b.f32: is a NumPy .npy file: give it a name that ends in .npy' "$GHZ" compress --abs 1 b.f32
cp c.ghz n.npy
fails 1 'n.npy: is compressed already' "$GHZ" compress --abs 1 n.npy
# Values stay values: those that begin with a part of a signature, and short files of letters
for magic in 'CDF\7' 'GRIB\0\0\0\7' 'II*\1' 'MM\0\0' '\037\213\010\377\0\0\0\0' 'BZh90000' 'GHZF\377\377\377\377' 'C 1 C 2 ' 'abcdefgh'; do
  printf "$magic" >v.f32
  ok "$GHZ" compress -qf --abs 1 v.f32
  { printf "$magic"; cat rest; } >v.f32
  ok "$GHZ" compress -qf --rel 1e-3 v.f32
done
