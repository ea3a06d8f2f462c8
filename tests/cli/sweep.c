/* sweep.c: owns sweeps: a command is run with its first call struck by a fault, then its second,
 * until none is left; after each run: the exit code, the message, standard output, and every file
 * of the current directory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "directory.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "Usage: FAULTS=library sweep [OPTION...] KIND CALLS COMMAND [ARGUMENT...]\n"
    "KIND   fail, term, late: strikes one call after another; gone, zero: one and all after it;\n"
    "       rough: all at once, which the result must not show\n"
    "CALLS  as in faults.c; standard input and output are pipes\n"
    "  -e NUMBER  the errno of fail and gone; else one that suits the call\n"
    "  -i FILE    goes to standard input\n"
    "  -f         standard input is the file itself\n"
    "  -t         standard output is text: after a failure it may be anything\n"
    "  -m         the command makes several files, of which a failure may leave some whole\n"
    "  -w WORD    a message about memory or threads may hold WORD instead of the usual ones\n";

enum { SECONDS = 60, RUNS_MAX = 5000 };

/* ---- What is being done, for every message ---- */
static struct {
  const char *kind, *calls, *input, *word;
  int error, text, many, redirect;
  char **command;
} task;

static long fault;        /* number of the call that is struck */
static char struck[8192]; /* the line about it; "" if none was */
static char message[65536];

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void die(const char *format, ...) {
  va_list list;
  fprintf(stderr, "sweep: %s %s, fault %ld (%s), of:", task.kind, task.calls, fault, struck);
  for (char **word = task.command; *word; word++)
    fprintf(stderr, " %s", *word);
  fprintf(stderr, "\nsweep: ");
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fprintf(stderr, "\nsweep: it said: %s\n", message);
  exit(1);
}

static int is_kind(const char *kind) { return strcmp(task.kind, kind) == 0; }

/* ---- A run ---- */
/* The text of a file that was written through a descriptor we share, which is emptied. */
static void take_text(int fd, char *text, size_t room) {
  ssize_t n = pread(fd, text, room - 1, 0);
  must(n >= 0, "pread");
  text[n] = '\0';
  must(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "ftruncate");
}

typedef struct run {
  int code; /* as waitpid gives it */
  bytes output;
  state after;
} run;

static FILE *error_file, *log_file;

/* What standard input comes from; a pipe is filled by a process of its own. */
static int open_input(pid_t *feeder) {
  int ends[2];
  *feeder = -1;
  if (!task.input || task.redirect) {
    int fd = open(task.input ? task.input : "/dev/null", O_RDONLY | O_CLOEXEC);
    must(fd >= 0, "standard input");
    return fd;
  }
  must(pipe2(ends, O_CLOEXEC) == 0, "pipe");
  *feeder = fork();
  must(*feeder >= 0, "fork");
  if (*feeder > 0) {
    close(ends[1]);
    return ends[0];
  }
  bytes all = read_file(task.input);
  close(ends[0]);
  signal(SIGPIPE, SIG_DFL);
  for (size_t done = 0; done < all.size;) {
    ssize_t n = write(ends[1], all.data + done, all.size - done);
    if (n < 0)
      _exit(1);
    done += (size_t)n;
  }
  _exit(0);
}

static void become_command(int in, int out, const char *plan) {
  char log[16];
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(fileno(error_file), STDERR_FILENO);
  snprintf(log, sizeof log, "%d", fileno(log_file));
  setenv("GHZ_FAULT_LOG", log, 1);
  setenv("GHZ_FAULT", plan, 1);
  setenv("LD_PRELOAD", getenv("FAULTS"), 1);
  alarm(SECONDS); /* which ends a command that hangs */
  execvp(task.command[0], task.command);
  _exit(126);
}

/* Runs the command by a plan of faults.c. */
static void run_command(const char *plan, run *r) {
  int ends[2], in;
  pid_t feeder, child;
  must(pipe2(ends, O_CLOEXEC) == 0, "pipe");
  in = open_input(&feeder);
  child = fork();
  must(child >= 0, "fork");
  if (child == 0)
    become_command(in, ends[1], plan);
  close(in);
  close(ends[1]);
  r->output = read_descriptor(ends[0]);
  close(ends[0]);
  must(waitpid(child, &r->code, 0) == child, "waitpid");
  if (feeder > 0)
    waitpid(feeder, NULL, 0);
  take_text(fileno(error_file), message, sizeof message);
  take_text(fileno(log_file), struck, sizeof struck);
  struck[strcspn(struck, "\n")] = '\0';
  take_state(&r->after);
}

static void free_run(run *r) {
  free(r->output.data);
  free_state(&r->after);
}

/* ---- The message ---- */
typedef struct strike {
  char call[32], path[PATH_MAX];
  int error, fd;
} strike;

static strike parse_strike(void) {
  strike s = {0};
  if (sscanf(struck, "%31s %d %d %4095[^\n]", s.call, &s.error, &s.fd, s.path) != 4)
    die("cannot read what was struck");
  return s;
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* What the command calls its output. */
static const char *output_name(void) {
  for (char **word = task.command; word[0] && word[1]; word++)
    if (strcmp(word[0], "-o") == 0 || strcmp(word[0], "--png") == 0)
      return word[1];
  return "";
}

/* The name that the message about a struck call has to hold. */
static const char *wanted_name(const strike *s) {
  const char *name = last_part(s->path);
  if (s->fd == STDIN_FILENO || s->fd == STDOUT_FILENO)
    return s->fd == STDIN_FILENO ? "standard input: " : "standard output: ";
  if (strncmp(name, ".ghz-", 5) == 0 || strcmp(s->call, "readlink") == 0)
    return output_name();
  if (strncmp(name, "ghz-", 4) == 0)
    return "standard input: "; /* its temporary file */
  for (char **word = task.command; *word; word++)
    if (strcmp(last_part(*word), name) == 0)
      return *word;
  return name;
}

/* Whether a line of the message is an error; others are said of files that succeeded. */
static int is_error(const char *line) { return strncmp(line, "ghz", 3) == 0; }

/* The line after this one, or NULL. */
static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end && end[1] ? end + 1 : NULL;
}

static int line_says(const char *line, const char *text) {
  const char *at = strstr(line, text), *end = strchr(line, '\n');
  return at && (!end || at < end);
}

/* Memory is lacking for one of the files, or for all of the work. */
static void check_memory_error(const char *line) {
  int named = line_says(line, "libghz: ") || line_says(line, "standard ");
  for (char **word = task.command + 1; *word; word++)
    named |= line_says(line, *word);
  if (!named)
    die("the message names no file");
  if (!line_says(line, "memory"))
    die("the message does not say what was lacking");
}

static void check_error(const strike *s, const char *line) {
  if (strcmp(task.calls, "memory") == 0) {
    check_memory_error(line);
    return;
  }
  if (!line_says(line, wanted_name(s)))
    die("the message does not name '%s'", wanted_name(s));
  if (!is_kind("zero") && !line_says(line, strerror(s->error)))
    die("the message does not say '%s'", strerror(s->error));
}

static void check_message(const strike *s) {
  int errors = 0;
  if (task.word && strstr(message, task.word))
    return;
  for (const char *line = message; line; line = next_line(line))
    if (is_error(line) && ++errors)
      check_error(s, line);
  int quiet = s->fd == STDOUT_FILENO && s->error == EPIPE; /* the exit code tells it */
  if (quiet ? errors > 0 : errors == 0 || (errors > 1 && !is_kind("gone")))
    die("%d errors are told", errors);
}

/* ---- Checks ---- */
static state before;
static run wanted;

/* Whether each file is as before or as after a good run; but so many may be new and unfinished. */
static void check_each(const run *r, int temporaries_allowed) {
  const state *both[] = {&before, &r->after, &wanted.after};
  if (temporaries(&r->after) > temporaries_allowed)
    die("a temporary file stays");
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < both[k]->count; i++) {
      const char *name = both[k]->items[i].name;
      if (!is_temporary(name) && !same_item(&r->after, &before, name) &&
          !same_item(&r->after, &wanted.after, name))
        die("%s is neither the old nor the new one", name);
    }
}

static void check_all(const run *r, const state *want, const char *which) {
  const state *both[] = {&r->after, want};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < both[k]->count; i++)
      if (!same_item(&r->after, want, both[k]->items[i].name))
        die("%s is not as %s", both[k]->items[i].name, which);
}

static void check_prefix(const run *r) {
  if (r->output.size > wanted.output.size || memcmp(r->output.data, wanted.output.data, r->output.size) != 0)
    die("standard output is not a beginning of what it should be");
}

/* What a close has failed to keep is lost, though here it is not. */
static void check_close(const strike *s) {
  int output = s->fd == STDOUT_FILENO || strncmp(last_part(s->path), ".ghz-", 5) == 0;
  if (is_kind("fail") && strcmp(s->call, "close") == 0 && output)
    die("success, but the output was not closed");
}

static void check_success(const run *r) {
  if (!same(r->output, wanted.output))
    die("success, but another standard output");
  if (is_error(message))
    die("success, but a message");
  strike s = struck[0] ? parse_strike() : (strike){0};
  check_close(&s);
  if (strcmp(s.call, "unlink") == 0)
    check_each(r, 1);
  else
    check_all(r, &wanted.after, "a good run leaves it");
}

static void check_failure(const run *r) {
  strike s = parse_strike();
  if (WEXITSTATUS(r->code) != 1)
    die("exit code %d", WEXITSTATUS(r->code));
  check_message(&s);
  if (task.many || (s.fd == STDOUT_FILENO && strcmp(s.call, "close") == 0))
    check_each(r, 0); /* the last call of all comes after the file has its name */
  else
    check_all(r, &before, "before");
  if (!task.text)
    check_prefix(r);
}

/* A run that a signal ended. */
static void check_death(const run *r) {
  int want = is_kind("term") || is_kind("late") ? SIGTERM : 0;
  if (WTERMSIG(r->code) != want)
    die("%s", WTERMSIG(r->code) == SIGALRM ? "it hangs" : strsignal(WTERMSIG(r->code)));
  check_each(r, 0);
  check_prefix(r);
}

/* ---- The sweep ---- */
static void check_run(const run *r, int hit, int all) {
  int deadly = is_kind("term") || is_kind("late");
  if (WIFSIGNALED(r->code))
    check_death(r);
  else if (deadly && hit)
    die("it survives");
  else if (WEXITSTATUS(r->code) == 0)
    check_success(r);
  else if (!hit || all)
    die("exit code %d", WEXITSTATUS(r->code));
  else
    check_failure(r);
}

/* Runs with the fault-th call struck; returns whether there was such a call. */
static int run_fault(int all) {
  char plan[128];
  const char *kind = is_kind("gone") ? "fail" : task.kind;
  long last = is_kind("gone") || is_kind("zero") || all ? LONG_MAX : fault;
  snprintf(plan, sizeof plan, "%s:%ld:%ld:%s:%d", task.calls, fault, last, kind, task.error);
  run r = {0};
  run_command(plan, &r);
  int hit = struck[0] != '\0';
  check_run(&r, hit, all);
  restore(&r.after, &before);
  free_run(&r);
  return hit;
}

static void sweep(void) {
  int all = is_kind("rough");
  take_state(&before);
  run_command("", &wanted);
  if (wanted.code != 0)
    die("it fails without a fault");
  restore(&wanted.after, &before);
  for (fault = 1; run_fault(all); fault++)
    if (all || fault == RUNS_MAX)
      break;
  if (fault == 1 && !struck[0])
    die("it makes no such call");
  if (fault == RUNS_MAX)
    die("no end of it");
  fault -= !struck[0]; /* those that struck */
}

int main(int argc, char **argv) {
  int option;
  while ((option = getopt(argc, argv, "+e:i:ftmw:")) != -1) {
    task.error = option == 'e' ? atoi(optarg) : task.error;
    task.input = option == 'i' ? optarg : task.input;
    task.redirect |= option == 'f';
    task.text |= option == 't';
    task.many |= option == 'm';
    task.word = option == 'w' ? optarg : task.word;
    if (option == '?')
      break;
  }
  if (option == '?' || argc - optind < 3 || !getenv("FAULTS")) {
    fputs(usage, stderr);
    return 2;
  }
  task.kind = argv[optind];
  task.calls = argv[optind + 1];
  task.command = argv + optind + 2;
  error_file = tmpfile();
  log_file = tmpfile();
  must(error_file && log_file, "tmpfile");
  sweep();
  printf("%5ld %s %s:", fault, task.kind, task.calls);
  for (char **word = task.command + 1; *word; word++)
    printf(" %s", *word);
  printf("\n");
  return 0;
}
