/* completion.c: owns the completion of command lines in bash and zsh: scripts that are made from
 * the tables of verbs and options. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "completion.h"

#include <stdio.h>
#include <string.h>

#include "options/table.h"
#include "report/name.h"
#include "verbs/verbs.h"

/* ---- What the tables say --------------------------------------------------------------------- */

static bool names_file(const option_row *row) {
  return row->argument && strncmp(row->argument, "FILE", 4) == 0;
}

/* "f32|f64" is a choice; other arguments are numbers, which no shell can guess. */
static bool names_choice(const option_row *row) {
  return row->argument && strchr(row->argument, '|');
}

/* Whether the word after the option belongs to it: "[LEVEL]" does not. */
static bool takes_word(const option_row *row) {
  return row->argument && *row->argument != '[';
}

/* The words of a choice, with another character between them. */
static void print_choice(const char *words, char between) {
  for (; *words; words++)
    putchar(*words == '|' ? between : *words);
}

/* "-o --output", with a word between the two. */
static void print_names(const option_row *row, const char *between) {
  if (row->key < 256)
    printf("-%c%s", row->key, between);
  printf("--%s", row->name);
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void bash_verbs(void) {
  for (const verb *const *v = verbs; *v; v++)
    printf("%s%s%s%s", v == verbs ? "" : " ", (*v)->name, (*v)->alias ? " " : "",
           (*v)->alias ? (*v)->alias : "");
}

static void bash_options(const verb *v) {
  const char *between = "";
  printf("  %s%s%s) options='", v->name, v->alias ? " | " : "", v->alias ? v->alias : "");
  for (int i = 0; i < option_rows; i++)
    if (option_applies(v, &option_table[i])) {
      printf("%s", between);
      print_names(&option_table[i], " ");
      between = " ";
    }
  printf("' ;;\n");
}

/* Options whose argument is a word that the script cannot know, such as a number. */
static void bash_numbers(void) {
  const char *between = "  ";
  for (int i = 0; i < option_rows; i++) {
    const option_row *row = &option_table[i];
    if (!takes_word(row) || names_file(row) || names_choice(row))
      continue;
    printf("%s", between);
    print_names(row, " | ");
    between = " | ";
  }
  printf(")\n    compopt +o default\n    return\n    ;;\n");
}

static void bash_choices(void) {
  for (int i = 0; i < option_rows; i++) {
    const option_row *row = &option_table[i];
    if (!names_choice(row))
      continue;
    printf("  ");
    print_names(row, " | ");
    printf(") mapfile -t COMPREPLY < <(compgen -W '");
    print_choice(row->argument, ' ');
    printf("' -- \"$word\") && return ;;\n");
  }
}

static void bash_files(void) {
  const char *between = "  ";
  for (int i = 0; i < option_rows; i++)
    if (names_file(&option_table[i])) {
      printf("%s", between);
      print_names(&option_table[i], " | ");
      between = " | ";
    }
  printf(") return ;;\n"); /* bash itself completes names of files */
}

static void print_bash(void) {
  printf("# Completes the command line of %s(1) in bash. Made by %s --completion bash.\n"
         "_%s() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verbs options\n"
         "  COMPREPLY=()\n"
         "  verbs='",
         GHZ_COMMAND_NAME, GHZ_COMMAND_NAME, GHZ_COMMAND_NAME);
  bash_verbs();
  printf(
      "'\n"
      "  case $COMP_CWORD:${COMP_WORDS[1]} in\n"
      "  1:*) mapfile -t COMPREPLY < <(compgen -W \"$verbs help --help --version\" -- \"$word\") && return ;;\n"
      "  2:help) mapfile -t COMPREPLY < <(compgen -W \"$verbs\" -- \"$word\") && return ;;\n"
      "  esac\n"
      "  case ${COMP_WORDS[1]} in\n");
  for (const verb *const *v = verbs; *v; v++)
    bash_options(*v);
  printf("  *) return ;;\n"
         "  esac\n"
         "  case $before in\n");
  bash_numbers();
  bash_choices();
  bash_files();
  printf("  esac\n"
         "  [[ $word != -* ]] || mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _%s %s\n",
         GHZ_COMMAND_NAME, GHZ_COMMAND_NAME);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Text in single quotes, where zsh gives these characters a meaning. */
static void zsh_text(const char *text) {
  for (; *text; text++)
    if (*text == '\'')
      printf("'\\''");
    else
      printf(strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
}

static void zsh_verb(const verb *v) {
  for (int i = 0; i < 2; i++) {
    const char *name = i ? v->alias : v->name;
    if (!name)
      continue;
    printf("    '%s:", name);
    zsh_text(v->summary);
    printf("'\n");
  }
}

/* ":name:", and what completes it. */
static void zsh_argument(const option_row *row) {
  printf(takes_word(row) ? ":" : "::");
  zsh_text(row->argument);
  printf(names_file(row) ? ":_files" : ":");
  if (names_choice(row)) {
    printf("(");
    print_choice(row->argument, ' ');
    printf(")");
  }
}

static void zsh_option(const verb *v, const option_row *row) {
  printf("      '");
  if (row->key < 256)
    printf("(-%c --%s)'{-%c,--%s}'", row->key, row->name, row->key, row->name);
  else
    printf("--%s%s", row->name, !row->argument ? "" : takes_word(row) ? "=" : "=-");
  printf("[");
  zsh_text(row->key == TYPE && v->type_help ? v->type_help : row->help);
  printf("]");
  if (row->argument)
    zsh_argument(row);
  printf("'\n");
}

static void zsh_options(const verb *v) {
  printf("  (%s%s%s)\n    options=(\n", v->name, v->alias ? "|" : "", v->alias ? v->alias : "");
  for (int i = 0; i < option_rows; i++)
    if (option_applies(v, &option_table[i]))
      zsh_option(v, &option_table[i]);
  printf("    ) ;;\n");
}

static void print_zsh(void) {
  printf("#compdef %s\n"
         "# Completes the command line of %s(1) in zsh. Made by %s --completion zsh.\n"
         "local -a verbs options\n"
         "verbs=(\n",
         GHZ_COMMAND_NAME, GHZ_COMMAND_NAME, GHZ_COMMAND_NAME);
  for (const verb *const *v = verbs; *v; v++)
    zsh_verb(*v);
  printf(")\n"
         "if (( CURRENT == 2 )) || [[ CURRENT -eq 3 && $words[2] = help ]]; then\n"
         "  _describe verb verbs\n"
         "  return\n"
         "fi\n"
         "case $words[2] in\n");
  for (const verb *const *v = verbs; *v; v++)
    zsh_options(*v);
  printf("  (*) return 1 ;;\n"
         "esac\n"
         "shift words\n"
         "(( CURRENT-- ))\n"
         "_arguments -s -S $options '*:file:_files'\n");
}

bool completion_print(const char *shell) {
  if (strcmp(shell, "bash") == 0)
    return (print_bash(), true);
  if (strcmp(shell, "zsh") == 0)
    return (print_zsh(), true);
  return false;
}
