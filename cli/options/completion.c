/* completion.c: owns the words that complete a command line, by the tables of verbs and options. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "verbs/verbs.h"

enum { WORD_MAX = 128 };

/* What counts of a line's words, cut to WORD_MAX. */
typedef struct words {
  size_t count;
  char second[WORD_MAX], before[WORD_MAX],
      last[WORD_MAX]; /* `last` is empty where the line ends with a space */
} words;

static void add_word(words *w, const char *word) {
  memcpy(w->before, w->last, WORD_MAX);
  snprintf(w->last, WORD_MAX, "%s", word);
  if (w->count++ == 1)
    memcpy(w->second, w->last, WORD_MAX);
}

static words words_of(const char *line, size_t size) {
  words w = {0};
  char *text = strndup(line, size), *rest = text;
  for (char *word; text && (word = strtok_r(rest, " \t", &rest));)
    add_word(&w, word);
  if (size > 0 && strchr(" \t", line[size - 1]))
    add_word(&w, "");
  free(text);
  return w;
}

static void offer(const char *prefix, const char *word) {
  if (word && strncmp(prefix, word, strlen(prefix)) == 0)
    puts(word);
}

static void offer_verbs(const char *prefix) {
  for (const verb *const *v = verbs; *v; v++) {
    offer(prefix, (*v)->name);
    offer(prefix, (*v)->alias);
  }
}

/* "-o", or "" for an option that has no letter; "--output". */
static void names_of(const option_row *row, char letter[3], char name[WORD_MAX]) {
  memcpy(letter, (const char[]){row->letter ? '-' : '\0', row->letter, '\0'}, 3);
  snprintf(name, WORD_MAX, "--%s", row->name);
}

/* The words of "f32|f64", each behind `lead`. */
static void offer_choice(const char *lead, const char *prefix, const char *choice) {
  for (size_t size; *choice; choice += size + (choice[size] != 0)) {
    size = strcspn(choice, "|");
    if (size >= strlen(prefix) && strncmp(prefix, choice, strlen(prefix)) == 0)
      printf("%s%.*s\n", lead, (int)size, choice);
  }
}

/* The argument of an option: a choice, or what no table knows. Returns whether it has one that is a
 * word of its own, or stands behind '='; "[=LEVEL]" does not. */
static bool offer_argument(const char *option, const char *lead, const char *prefix) {
  char letter[3], name[WORD_MAX];
  for (int i = 0; i < option_rows; i++) {
    const char *argument = option_table[i].argument;
    names_of(&option_table[i], letter, name);
    if (!argument || *argument == '[' || (strcmp(option, letter) != 0 && strcmp(option, name) != 0))
      continue;
    if (strchr(argument, '|'))
      offer_choice(lead, prefix, argument);
    return true;
  }
  return false;
}

static void offer_options(const verb *v, const char *prefix) {
  char letter[3], name[WORD_MAX];
  for (int i = 0; *prefix == '-' && i < option_rows; i++)
    if (option_applies(v, &option_table[i])) {
      names_of(&option_table[i], letter, name);
      offer(prefix, *letter ? letter : NULL);
      offer(prefix, name);
    }
}

/* --type=f: bash asks for what is behind '=', zsh for the whole word. */
static bool offer_behind_sign(const char *last, const char *word) {
  char option[WORD_MAX], lead[WORD_MAX] = "";
  const size_t name = strcspn(last, "=");
  if (strncmp(last, "--", 2) != 0 || last[name] == '\0')
    return false;
  snprintf(option, sizeof option, "%.*s", (int)name, last);
  if (strchr(word, '='))
    snprintf(lead, sizeof lead, "%.*s", (int)name + 1, last);
  return offer_argument(option, lead, last + name + 1);
}

void completion_print(const char *line, size_t size, const char *word) {
  const words w = words_of(line, size);
  const char *prefix = w.last;
  const verb *v = w.count > 2 ? verb_find(w.second) : NULL;
  if (w.count == 2 || (w.count == 3 && strcmp(w.second, "help") == 0))
    offer_verbs(prefix);
  if (w.count == 2) {
    offer(prefix, "help");
    offer(prefix, "--help");
    offer(prefix, "--version");
  }
  if (v && !offer_argument(w.before, "", prefix) && !offer_behind_sign(prefix, word))
    offer_options(v, prefix);
}
