#!/usr/bin/env bash
# mutants.sh: breaks the kernels on purpose, in one place at a time (mutants.txt), and runs the checks on the emulated device. Fails
# unless the kernels as they are pass, and of the broken ones all are noticed but those that mutants.txt expects to survive.
# usage: tests/cuda/mutants.sh [--some] BUILD [name...]     BUILD: where ghz_device_check_emulated was built
#   --some  only those that are marked so, which are noticed soon
#   JOBS=2, EXTENT=--quick  so many at a time, and how much of each check
set -euo pipefail
exec </dev/null

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
list=$here/mutants.txt
only_some=
if [ "${1:-}" = --some ]; then
  only_some=1
  shift
fi
[ $# -ge 1 ] || { echo "usage: mutants.sh [--some] BUILD [name...]" >&2; exit 2; }
build=$1
shift
commands=$build/compile_commands.json
objects=$build/tests/cuda
check_object=$objects/CMakeFiles/ghz_device_check_emulated.dir/device_check.c.o
for needed in "$commands" "$check_object"; do
  [ -e "$needed" ] || { echo "mutants.sh: there is no $needed: build ghz_device_check_emulated with Ninja or Make" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

kept=$work/ghz # as they are now, whatever becomes of them meanwhile
mkdir -p "$kept/cuda"
cp -r "$root"/ghz/{*.h,rules,tile,isa} "$kept"
cp "$root"/ghz/cuda/* "$kept/cuda"

# What runs a mutant: an order, and a seed.
ways=("random 1" "starve 1" "reverse 1" "forward 1" "random 2")
limit=240 # seconds a run
[ -z "$only_some" ] || ways=("random 1")

# The command that compiled a kernel's source, up to the names of files.
command_for() { # source
  sed -n 's/^ *"command": "\(.*\) -o [^ ]* -c [^ ]*\/ghz\/cuda\/'"$1"'",*$/\1/p' "$commands" | sed 's/\\"/"/g'
}

sources=()
for source in "$root"/ghz/cuda/*.cu; do
  source=$(basename "$source")
  [ -n "$(command_for "$source")" ] || { echo "mutants.sh: $commands does not tell how $source is compiled" >&2; exit 2; }
  sources+=("$source")
done

# The list, one mutant a line: name, file, "some" or "-", "noticed" or "survives", what is broken.
mutants=$(awk '
  function ends() { if (name) print name, file, some, expected, text; name = "" }
  BEGIN { OFS = "\t" }
  /^== / { ends(); name = $2; file = $3; some = $4 ? $4 : "-"; expected = "noticed"; text = ""; next }
  /^survives: / { expected = "survives" }
  /^# / { if (name) text = text (text ? " " : "") substr($0, 3) }
  END { ends() }' "$list")

# Prints a file with the changes of a mutant. White space counts for nothing when the place is sought, which must be there once.
broken() { # name file
  awk -v name="$1" '
    function stripped(s) { gsub(/[ \t\n]/, "", s); return s }
    function change(   at, from, to, rest) {
      if (old == "") return
      at = index(dense, stripped(old))
      if (!at) { print name ": its text is not there:" old >"/dev/stderr"; failed = 1; exit 1 }
      rest = substr(dense, at + 1)
      if (index(rest, stripped(old))) { print name ": its text is there more than once:" old >"/dev/stderr"; failed = 1; exit 1 }
      from = place[at]
      to = place[at + length(stripped(old)) - 1]
      whole = substr(whole, 1, from - 1) new substr(whole, to + 1)
      index_text()
      old = new = ""
    }
    function index_text(   i, c, n) {
      dense = ""
      n = 0
      for (i = 1; i <= length(whole); i++) {
        c = substr(whole, i, 1)
        if (c !~ /[ \t\n]/) { dense = dense c; place[++n] = i }
      }
    }
    NR == FNR { if (/^== /) here = $2 == name; else if (here && /^([-+ ]|\.\.\.)/) lines[++count] = $0; next }
    { whole = whole $0 "\n" }
    END {
      if (failed) exit 1
      index_text()
      for (i = 1; i <= count; i++) {
        kind = substr(lines[i], 1, 1)
        text = substr(lines[i], 2)
        if (kind == ".") { change(); continue }
        if (kind != "+") old = old "\n" text
        if (kind != "-") new = new (new == "" ? "" : "\n") text
      }
      change()
      printf "%s", whole
    }' "$list" "$2"
}

# Compiles what includes the file and links it with the rest of the build. Leaves "check" in the folder.
build_mutant() { # folder file
  local folder=$1 file=$2 source command changed=()
  for source in "${sources[@]}"; do
    command=$(command_for "$source")
    command=${command//"$root/ghz"/"$folder/ghz"}
    if [ "$source" != "$file" ]; then
      eval "$command -w -MM $folder/ghz/cuda/$source" | grep -q "/$file" || continue
    fi
    eval "$command -w -o $folder/$source.o -c $folder/ghz/cuda/$source" || return 1
    changed+=("$folder/$source.o")
  done
  [ ${#changed[@]} -gt 0 ] || return 1
  "${command%% *}" -o "$folder/check" "${changed[@]}" "$check_object" "$objects/libghz_emulated_checks.a" "$objects/libghz_emulated.a" \
    "$build/tests/libghz_reference.a" -fopenmp -pthread -lm
}

# Runs the checks until one fails. Prints how that was noticed, or nothing.
run_checks() { # program way log
  local order seed
  read -r order seed <<<"$2"
  { SIMT_ORDER=$order SIMT_SEED=$seed SIMT_PATIENCE=20000000 timeout -k 5 $limit "$1" "${EXTENT:---quick}" 2>&1 || echo "ended with $?"; } | sed '/ FAILED /q; /^simt: /q; /^ended with /q' >"$3" || true
  if grep -q '^simt: ' "$3"; then
    echo "report: $(grep -m1 '^simt: ' "$3" | cut -c7- | sed "s|[^ ]*/ghz/cuda/||g")"
  elif grep -q ' FAILED ' "$3"; then
    echo "wrong:$(grep -m1 '^  [a-z_]*: ' "$3" | cut -c2- || grep ' FAILED ' "$3")"
  elif grep -q '^ended with 124\|^ended with 137' "$3"; then
    echo "time-out"
  elif grep -q '^ended with ' "$3"; then
    echo "crash: $(tail -1 "$3")"
  elif ! grep -q ' 0 failed$' "$3"; then
    echo "crash: no end"
  fi
}

# One mutant: a line of the table in its folder, and "as_expected" if it is.
try_mutant() { # name file expected text
  local name=$1 folder=$work/$1 expected=$3 way how
  mkdir -p "$folder/ghz/cuda"
  cp "$kept"/*.h "$folder/ghz"
  cp "$kept"/cuda/* "$folder/ghz/cuda"
  if [ -n "$2" ] && ! broken "$name" "$kept/cuda/$2" >"$folder/ghz/cuda/$2"; then
    echo "$name: mutants.txt does not fit $2" >"$folder/line"
    return
  fi
  if ! build_mutant "$folder" "${2:-launch.cuh}" >"$folder/log" 2>&1; then
    { echo "$name: does not compile"; tail -5 "$folder/log"; } >"$folder/line"
    return
  fi
  for way in "${ways[@]}"; do
    how=$(run_checks "$folder/check" "$way" "$folder/log" 2>/dev/null) # bash tells of crashes
    if [ -n "$how" ]; then
      [[ $way == random* ]] || way=${way% *}
      how="noticed  $way  $how"
      break
    fi
  done
  how=${how:-survives}
  printf '%-36s %s\n' "$name" "${how:0:190}" >"$folder/line"
  if [ "${how%% *}" = "$expected" ]; then
    touch "$folder/as_expected"
  else
    printf '%36s not as expected: %s\n' "" "$4" >>"$folder/line"
  fi
  rm -f "$folder/check" "$folder"/*.o
}

# The kernels as they are, built in the same way.
try_mutant unbroken "" survives "the kernels as they are"
cat "$work/unbroken/line"
[ -e "$work/unbroken/as_expected" ] || exit 1

tried=0 wrong=0
chosen=" $* "
names=()
while IFS=$'\t' read -r name file some expected text; do
  if [ $# -gt 0 ]; then
    [[ $chosen == *" $name "* ]] || continue
  elif [ -n "$only_some" ] && [ "$some" != some ]; then
    continue
  fi
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-2}" ]; do
    wait -n || true
  done
  try_mutant "$name" "$file" "$expected" "$text" &
  names+=("$name")
done <<<"$mutants"
wait
for name in ${names[@]+"${names[@]}"}; do
  cat "$work/$name/line"
  tried=$((tried + 1))
  [ -e "$work/$name/as_expected" ] || wrong=$((wrong + 1))
done
if [ "$tried" -eq 0 ] || [ "$tried" -lt $# ]; then
  echo "mutants.sh: a name is not in mutants.txt" >&2
  exit 2
fi
echo "$tried mutants, $wrong not as expected"
[ "$wrong" -eq 0 ]
