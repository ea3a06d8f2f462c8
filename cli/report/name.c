/* name.c: owns the name of the command in texts of help. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether the word ghz at `at` is followed by a verb or an option, and belongs to no other word. */
static bool begins_command(const char *text, const char *at) {
  const bool begins = at == text || strchr(" \n(", at[-1]);
  return begins && at[3] == ' ' && (isalpha((unsigned char)at[4]) || at[4] == '-');
}

void print_named(const char *text) {
  const char *next = text;
  for (const char *at = strstr(text, "ghz"); at; at = strstr(at + 3, "ghz"))
    if (begins_command(text, at)) {
      fwrite(next, 1, (size_t)(at - next), stdout);
      fputs(GHZ_COMMAND_NAME, stdout);
      next = at + 3;
    }
  fputs(next, stdout);
}
