# words.sh: owns what the cases of HDF5 share: making files, and looking into them. Sourced by each,
# after the helpers of the command's cases.
# SPDX-License-Identifier: BSD-3-Clause
for tool in h5import h5repack h5dump; do
  have "$tool" || skip "no $tool"
done

# h5make RAW.f32|f64 FILE.h5 NAME EXTENT...: a data set of the values of a raw file.
h5make() {
  local raw=$1 file=$2 name=$3 bits=32
  shift 3
  [[ $raw != *.f64 ]] || bits=64
  cat >"$SCRATCH/import" <<EOF
PATH $name
INPUT-CLASS FP
INPUT-SIZE $bits
INPUT-BYTE-ORDER LE
RANK $#
DIMENSION-SIZES $*
OUTPUT-CLASS FP
OUTPUT-SIZE $bits
OUTPUT-ARCHITECTURE IEEE
OUTPUT-BYTE-ORDER LE
EOF
  rm -f "$file"
  h5import "$raw" -c "$SCRATCH/import" -o "$file" >"$SCRATCH/import.log" || die "h5import: $(cat "$SCRATCH/import.log")"
}

# h5values FILE NAME RAW: the values of a data set.
h5values() {
  h5dump -d "$2" -b LE -o "$3" "$1" >/dev/null || die "h5dump cannot read $2 in $1"
}

# h5stored FILE NAME: the bytes that the chunks of a data set take.
h5stored() {
  h5dump -pH -d "$2" "$1" | sed -n 's/^ *SIZE \([0-9]*\).*/\1/p' | head -n 1
}

# h5params FILE NAME: the filter's numbers.
h5params() {
  h5dump -pH -d "$2" "$1" | sed -n 's/.*PARAMS { \(.*\) }/\1/p'
}

# The commands that `ghz h5args` prints, to be completed.
repack() { # ARGUMENT of h5args...
  "$GHZ" h5args "$@" | grep '^h5repack '
}
nccopy_to() { # ARGUMENT of h5args...
  "$GHZ" h5args "$@" | grep '^nccopy '
}
