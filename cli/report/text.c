/* text.c: owns numbers and strings as text, for people and for JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "text.h"

number_text text_bytes(uint64_t bytes) {
  static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  number_text t;
  if (bytes < 1024) {
    snprintf(t.text, sizeof t.text, "%u B", (unsigned)bytes);
    return t;
  }
  double value = (double)bytes / 1024;
  unsigned u = 0;
  for (; value >= 1023.95 && u < 5; u++)
    value /= 1024;
  snprintf(t.text, sizeof t.text, "%.1f %s", value, unit[u]);
  return t;
}

/* In so many digits, or more. */
static number_text shortest(double value, int digits, bool narrow) {
  number_text t;
  for (;; digits++) {
    snprintf(t.text, sizeof t.text, "%.*g", digits, value);
    const double back = strtod(t.text, NULL);
    if (digits == 17 || isnan(value) || (narrow ? (double)(float)back : back) == value)
      return t;
  }
}

number_text text_double(double value) {
  return shortest(value, 6, false);
}

number_text fill_text(ghz_type type, double fill) {
  return shortest(fill, 1, type == GHZ_F32);
}

number_text text_number(const char *format, double value) {
  number_text t = {"-"};
  if (!isnan(value))
    snprintf(t.text, sizeof t.text, format, value); /* NOLINT(clang-diagnostic-format-nonliteral) */
  return t;
}

bool exact_on_grid(const ghz_lattice *l, uint32_t terms) {
  return terms <= 1 && l->step > 2 * l->eb;
}

bound_text text_bound(const ghz_lattice *l, uint32_t terms, double bound) {
  bound_text t;
  if (l->step > 2 * l->eb)
    snprintf(t.text, sizeof t.text, "grid of %s: %s", text_double(l->step).text,
             exact_on_grid(l, terms) ? "every value exact" : "sums of its multiples are exact");
  else
    snprintf(t.text, sizeof t.text, "%s", text_double(bound).text);
  return t;
}

bound_text text_promise(const ghz_lattice *l, uint32_t terms, double bound) {
  bound_text t = text_bound(l, terms, bound);
  if (!(l->step > 2 * l->eb))
    snprintf(t.text, sizeof t.text, "bound %.6g", bound);
  return t;
}

number_text text_json(double value) {
  return isfinite(value) ? text_double(value) : (number_text){"null"};
}

/* The length of the well-formed UTF-8 sequence at s, or 0. */
static unsigned utf8_length(const unsigned char *s) {
  unsigned n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
  for (unsigned i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  bool outside = (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90);
  return overlong || outside ? 0 : n;
}

void json_string(FILE *to, const char *text) {
  fputc('"', to);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    unsigned n = utf8_length(s);
    if (n == 0)
      fputs("\\ufffd", to);
    else if (*s < ' ' || *s == 127)
      fprintf(to, "\\u%04x", *s);
    else if (*s == '"' || *s == '\\')
      fprintf(to, "\\%c", *s);
    else
      fwrite(s, 1, n, to);
    s += n ? n : 1;
  }
  fputc('"', to);
}

void json_numbers(const uint64_t *numbers, unsigned count) {
  putchar('[');
  for (unsigned i = 0; i < count; i++)
    printf("%s%llu", i ? ", " : "", (unsigned long long)numbers[i]);
  putchar(']');
}

/* ---- Numbers with intervals ------------------------------------------------------------------ */

void estimate_show(bool json, const char *name, const char *member, const ghz_estimate *v) {
  if (json)
    printf(", \"%s\": {\"value\": %s, \"low\": %s, \"high\": %s}", member, text_json(v->value).text,
           text_json(v->low).text, text_json(v->high).text);
  else if (isnan(v->value))
    printf("  %-18s-\n", name);
  else
    printf("  %-18s%-24s in [%s, %s]\n", name, text_double(v->value).text, text_double(v->low).text,
           text_double(v->high).text);
}
