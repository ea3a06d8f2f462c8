# man.awk: makes a manual page of section 3 from public headers: their own text, so that there is no
# second one.
# usage: awk -v name=libghz -v about="what it is" -v version=0.2.0 -v link=ghz -f docs/man.awk ghz/include/ghz/ghz.h ghz/include/ghz/file.h
# SPDX-License-Identifier: BSD-3-Clause

function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return text ~ /^[.']/ ? "\\&" text : text
}

function paragraph() {
  if (!headed)
    print ".PP"
  headed = 0
}

function heading(macro, text) {
  print macro " " escaped(text)
  headed = 1
}

function filled(text) { # a line that groff may break; blanks at its start would break it
  sub(/^ +/, "", text)
  if (text != "")
    print escaped(text)
}

function end_code() {
  if (in_code)
    print ".EE"
  in_code = 0
}

function code(text) {
  if (!in_code) {
    paragraph()
    print ".EX"
  }
  in_code = 1
  print escaped(text)
}

# ---- The comment at the beginning of a header ----

function opening(text,  word) {
  if (text == "") {
    end_code()
    fresh = 1
  } else if (text ~ /^[A-Z][^.:]*$/ && fresh && length(text) < 60) { # a title, over definitions
    end_code()
    heading(".SS", text)
    titled = 1
  } else if (titled && text ~ /^  [^ ]/ && match(text, /[^ ]   *[^ ]/) && match(substr(text, 3), /  +/) && RSTART < 22) {
    word = substr(text, 3, RSTART - 1)
    headed = 0
    print ".TP\n.B " escaped(word)
    filled(substr(text, RSTART + 2 + RLENGTH))
  } else if (!titled && text ~ /^  /) {
    code(text)
  } else {
    end_code()
    if (fresh)
      paragraph()
    else if (text ~ /^ *- /)
      print ".br"
    headed = 0
    if (text !~ /^ /)
      titled = titled && !fresh
    filled(text)
  }
  if (text != "")
    fresh = 0
}

# ---- Sections ----

function section(title) {
  gsub(/^\/\* -+ *| *-+ \*\/$/, "", title)
  heading(".SH", toupper(title))
}

function remember(text) {
  sub(/^ *\/\* ?/, "", text)
  sub(/^ \*\/?/, "", text)
  sub(/ *\*\/$/, "", text)
  sub(/^ /, "", text)
  comment[++comments] = text
}

# The text about a declaration; "Errors:" and parameters begin a line.
function explain(  i, text) {
  for (i = 1; i <= comments; i++) {
    text = comment[i]
    if (text == "")
      print ".sp"
    else {
      if (i > 1 && comment[i - 1] != "" && text ~ /^([A-Za-z_]+(, [a-z_]+)*:|  )/)
        print ".br"
      filled(text)
    }
  }
  comments = 0
}

function declaration(  i) {
  paragraph()
  print ".EX"
  for (i = 1; i <= lines; i++)
    print "\\fB" escaped(line[i]) "\\fR"
  print ".EE"
  if (comments) {
    print ".RS 4"
    explain()
    print ".RE"
  }
  lines = 0
}

BEGIN {
  print ".\\\" Made by docs/man.awk from the headers."
  print ".TH " toupper(name) " 3 \"\" \"ghz " version "\" \"Library Functions\""
}

FNR == 1 {
  first = ++headers == 1
  header = title = $0 # "slice.h: slices of streams."
  gsub(/^\/\* |:.*/, "", header)
  gsub(/^[^:]*: |[:,.].*/, "", title)
  place = "opening"
  titled = fresh = 0
  if (first) {
    print ".SH NAME\n" name " \\- " escaped(about)
    print ".SH SYNOPSIS\n.nf\n.B #include <ghz/" header ">\n.sp\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs " link ")\n.fi"
    heading(".SH", "DESCRIPTION")
  } else {
    heading(".SH", toupper(title))
  }
  next
}

place == "opening" && / \*\/$/ { end_code(); place = "code"; next }
place == "opening" { sub(/^ \* ?/, ""); opening($0); next }

/^\/\* SPDX/ { next }
/^\/\* ---- / { section($0); comments = 0; next }
/^\/\* / || in_comment {
  remember($0)
  in_comment = $0 !~ /\*\/$/
  next
}
/^(GHZ_API|GHZ_API_CHECKED|GHZ_CASE|GHZ_MPI_API|static inline|typedef|enum) / || /^#define GHZ_[A-Z_]+(\([a-z]+\))? ./ || lines {
  text = $0
  if (!lines) {
    ending = text ~ /^#define/ ? "[^\\\\]$" : text ~ /^(typedef|enum).*\{$/ ? "^}" : "(;|\\) \\{)$"
    if (text ~ /^#define GHZ_(API|C_|CASE|CHECKED|TRY|VERSION_)/) # how the header is written
      next
  }
  sub(/^(GHZ_API|GHZ_API_CHECKED|GHZ_CASE|GHZ_MPI_API|static inline) /, "", text)
  sub(/\) \{$/, ");", text) # the body of a call that is inline is left out
  line[++lines] = text
  if ($0 ~ ending)
    declaration()
  next
}
/./ { comments = 0 } # what is about none of these

END {
  print ".SH SEE ALSO"
  print ".BR ghz (1),\n.BR " (name == "libghz" ? "ghz_mpi" : "libghz") " (3)"
}
