/* main.c: owns ghz_simulate: the engine, the schedules, the cutting and the choice of the library
 * in virtual time, with a codec that only takes it. Ranks are coroutines: the one with the least
 * time runs, until it has more than another. A message up to 16 KiB leaves at once, a longer one
 * when its receive is posted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "../common/options.h"
#include "../common/support.h"

enum { RANKS_MOST = 1024, HOME = RANKS_MOST, EAGER = 16 << 10, STACK = 256 << 10 };
static const double asking = 0.3e-6, asking_for_each = 10e-9; /* seconds of a core */
static const double memory = 100e9, copy = 10e9;              /* bytes per second of a node, and of a core */
static const double latency_in_node = 1.5e-6;

/* Ranks follow each other node by node. Those of a node share a link, each way, and its memory. */
static struct machine {
  int ranks, per_node;
  double link, latency; /* between nodes: bytes per second, seconds */
} cluster;

static const collective *what;
static const algorithm *by;
static double bytes; /* of the larger buffer */

/* ---- Time ------------------------------------------------------------------------------------ */

static double now[RANKS_MOST], due[RANKS_MOST], soonest, end; /* due: INFINITY: it runs, or waits for others */
static int me, running;
static ucontext_t contexts[RANKS_MOST + 1];

/* Goes on with the rank that is due first. */
static void pass_on(void) {
  const int from = me;
  me = 0;
  soonest = INFINITY;
  for (int r = 1; r < cluster.ranks; r++) {
    soonest = due[r] < due[me] ? due[me] : due[r] < soonest ? due[r] : soonest;
    me = due[r] < due[me] ? r : me;
  }
  if (due[me] == INFINITY)
    die("deadlock", "no rank can go on");
  now[me] = due[me];
  due[me] = INFINITY;
  if (from != me)
    swapcontext(&contexts[from], &contexts[me]);
}

static void work(double seconds) {
  now[me] += seconds;
  if (now[me] <= soonest)
    return;
  due[me] = now[me];
  pass_on();
}

/* ---- Messages -------------------------------------------------------------------------------- */

typedef struct message {
  int from, to, tag, is_send, users;
  void *data;
  double head; /* the first bytes, all that a receiver looks at */
  size_t size;
  double posted, arrives, done; /* done < 0: not yet known */
  struct message *next;
} message;

static message *waiting[RANKS_MOST]; /* by receiver */
static struct {
  int n;
  const MPI_Request *requests;
} asked[RANKS_MOST]; /* in vain, and then nothing was posted */
static double out_free[RANKS_MOST], in_free[RANKS_MOST], memory_free[RANKS_MOST]; /* by node */

/* Sets when the sender is rid of it, and when it arrives. */
static void carry(message *m, double at) {
  const int a = m->from / cluster.per_node, b = m->to / cluster.per_node;
  const double size = (double)m->size;
  if (a == b) {
    memory_free[a] = fmax(at, memory_free[a]) + size / memory;
    m->done = fmax(memory_free[a], at + size / copy);
    m->arrives = m->done + latency_in_node;
    return;
  }
  const double begin = fmax(at, out_free[a]);
  m->done = out_free[a] = begin + size / cluster.link;
  in_free[b] = fmax(begin, in_free[b]) + size / cluster.link;
  m->arrives = fmax(in_free[b], m->done) + cluster.latency;
}

static void match(message *send, message *receive) {
  receive->size = send->size;
  memcpy(receive->data, &send->head, sizeof send->head);
  if (send->done < 0)
    carry(send, fmax(send->posted, receive->posted));
  receive->done = fmax(send->arrives, receive->posted);
  const message *other = me == send->from ? receive : send;
  const int owner = me == send->from ? send->to : send->from;
  if (other->users > 1) /* its owner has not forgotten it */
    due[owner] = fmin(due[owner], fmax(other->done, now[owner]));
  soonest = fmin(soonest, due[owner]);
}

static MPI_Request post(int is_send, void *data, int size, int from, int to, int tag) {
  work(asking);
  asked[me].n = 0;
  message *m = touched(sizeof *m), **at = &waiting[to], *other;
  *m = (message){from,         to,      tag, is_send, 2,   data, is_send ? *(double *)data : 0,
                 (size_t)size, now[me], 0,   -1,      NULL};
  if (is_send && size <= EAGER)
    carry(m, now[me]);
  while (*at && ((*at)->is_send == is_send || (*at)->from != from || (*at)->tag != tag))
    at = &(*at)->next;
  if ((other = *at)) {
    *at = other->next;
    match(is_send ? m : other, is_send ? other : m);
    if (--other->users == 0)
      free(other);
    m->users--;
  } else {
    *at = m;
  }
  return (MPI_Request)(void *)m;
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r) {
  (void)type, (void)comm;
  *r = post(1, (void *)(uintptr_t)data, n, me, to, tag);
  return MPI_SUCCESS;
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r) {
  (void)type, (void)comm;
  *r = post(0, data, n, from, me, tag);
  return MPI_SUCCESS;
}

int MPI_Testsome(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
  *done = 0;
  work(asking + asking_for_each * n);
  for (int i = 0; i < n; i++) {
    message *m = (message *)(void *)requests[i];
    if (m->done < 0 || m->done > now[me])
      continue;
    statuses[*done].MPI_TAG = (int)m->size;
    indices[(*done)++] = i;
    requests[i] = MPI_REQUEST_NULL;
    if (--m->users == 0)
      free(m);
  }
  asked[me].n = *done ? 0 : n;
  asked[me].requests = requests;
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *n) {
  (void)type;
  *n = status->MPI_TAG;
  return MPI_SUCCESS;
}

double MPI_Wtime(void) {
  return now[me];
}

/* These two are those of poll.c. Who polls waits for what it asked for, if that is all it has. */
void ghz_backoff(int polls) {
  (void)polls;
  if (asked[me].n == 0)
    return;
  for (int i = 0; i < asked[me].n; i++) {
    const double at = ((message *)(void *)asked[me].requests[i])->done;
    due[me] = at >= 0 ? fmin(due[me], fmax(at, now[me])) : due[me];
  }
  pass_on();
}

int ghz_wait(MPI_Request *request) {
  (void)request;
  die("ghz_wait", "no engine calls it");
}

/* ---- The codec ------------------------------------------------------------------------------- */

/* Bytes per second of a core of AVX2; bytes of a message as a part of its values', in one term, and
 * what a doubling of the terms adds. The first adds values and copies them. */
static const struct codec {
  const char *name;
  double compress, decompress, add, part, growth;
} codecs[] = {{"plain", INFINITY, INFINITY, 10e9, 1, 0},
              {"shaped", 2.5e9, 6e9, 18e9, 1 / 45.0, 0.6 / 32},
              {"flat", 8e9, 8e9, 20e9, 1 / 13.0, 0.6 / 32},
              {"rough", 8e9, 8e9, 20e9, 1 / 1.5, 0}},
  *codec;

static double bytes_of(const piece *p) {
  return sizeof(float) * (double)ghz_piece_values(p);
}

/* A message says of how many terms it is the sum. */
static double *terms_of(const buffer *b) {
  return (double *)(void *)b->memory;
}

static ghz_status fill(const piece *p, buffer *out, double terms, double seconds) {
  *terms_of(out) = terms;
  out->size = GHZ_SLICE_HEADER + (size_t)(bytes_of(p) * fmin(codec->part + codec->growth * log2(terms), 1.05));
  work(seconds);
  return GHZ_OK;
}

static size_t capacity(const payload_job *job, uint64_t tiles) {
  (void)job, (void)tiles;
  return GHZ_SLICE_HEADER;
}

static ghz_status encode(payload_job *job, const piece *p, buffer *out) {
  (void)job;
  return fill(p, out, 1, bytes_of(p) / codec->compress);
}

static ghz_status validate(payload_job *job, const piece *p, buffer *in) {
  (void)job, (void)p, (void)in;
  return GHZ_OK;
}

static ghz_status reduce(payload_job *job, const piece *p, const buffer *mine, const buffer *theirs,
                         buffer *out) {
  (void)job;
  return fill(p, out, (mine ? *terms_of(mine) : 1) + *terms_of(theirs),
              bytes_of(p) / codec->add + (mine ? 0 : bytes_of(p) / codec->compress));
}

static ghz_status decode(payload_job *job, const piece *p, const buffer *result) {
  (void)job, (void)result;
  work(bytes_of(p) / codec->decompress);
  return GHZ_OK;
}

static const payload made_up = {capacity, encode, validate, reduce, decode, .scratch = 3};

static uint8_t *buffer_of(holders h, int block) {
  static uint8_t somewhere;
  return h == BY_ALL || me == (h == BY_OWNER ? block : 0) ? &somewhere : NULL;
}

static plan make_plan(void) {
  plan p = {0};
  const int n = cluster.ranks, parts = collective_has_blocks(what) ? n : 1;
  const ghz_shape flat = ghz_flat((uint64_t)bytes / sizeof(float) / (uint64_t)parts);
  const layout l = ghz_layout_of(by, n, &flat, GHZ_F32, parts, 0);
  int good = ghz_plan_cut(&p, &l, NULL, NULL, (position){.rank = me, .ranks = n}, by->build);
  for (int b = 0; good && b < parts; b++)
    part_lies(&p.parts[b], buffer_of(what->gives, b), buffer_of(what->gets, b));
  if (!good)
    die("a plan", "no memory");
  return p;
}

static void make_call(void) {
  plan p = make_plan();
  buffer_pool pool = {0};
  engine_space space = {0};
  ghz_mpi_report report = {0};
  payload_job job = {.pool = &pool, .plan = &p, .value_size = sizeof(float), .report = &report};
  if (!ghz_engine_prepare(&space, &p, &made_up, &job))
    die("an engine", "no memory");
  const failure f = ghz_engine_run(&p, &made_up, &job, &space, MPI_COMM_WORLD);
  if (failure_is(&f))
    die("a rank", "failed");
  ghz_buffer_pool_free(&pool);
  ghz_plan_free(&p);
  ghz_engine_free(&space);
  end = fmax(end, now[me]);
  running--;
}

/* Seconds until the last of the ranks, which begin together, is done. */
static double simulate(void) {
  static char stacks[RANKS_MOST][STACK];
  end = 0;
  for (int r = 0; r < cluster.ranks; r++) {
    now[r] = due[r] = out_free[r] = in_free[r] = memory_free[r] = 0;
    getcontext(&contexts[r]);
    contexts[r].uc_stack = (stack_t){.ss_sp = stacks[r], .ss_size = STACK};
    contexts[r].uc_link = &contexts[HOME];
    makecontext(&contexts[r], make_call, 0);
  }
  for (running = cluster.ranks; running; pass_on())
    me = HOME;
  return end;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const char usage[] = "Usage: ghz_simulate [OPTION...]\n"
                            "A SIMULATION, no measurement: a collective on a cluster by each algorithm of the "
                            "library, beside the best\n"
                            "of them without compression. docs/PERFORMANCE.md says what is not simulated.\n\n";

static const char *name = "allreduce";
static number_list ranks = {{16, 64}, 2}, nodes = {{1, 8, 64}, 3}, gbits = {{1, 10, 25, 100}, 4};
static number_list sizes = {{256 << 10, 1 << 20, 16 << 20}, 3};
static bool plans;
static int settings_made, misses;
static double worst = 1;

static const option_row rows[] = {
    {"collective", 0, &option_text, &name, "NAME", NULL, "(allreduce)"},
    {"ranks", 0, &option_wholes, &ranks, "LIST", "2:1024", "(16,64)"},
    {"per-node", 0, &option_wholes, &nodes, "LIST", "1:1024", "ranks of a node, no more than all (1,8,64)"},
    {"gbits", 0, &option_numbers, &gbits, "LIST", NULL, "Gbit/s of a node's link, each way (1,10,25,100)"},
    {"sizes", 0, &option_sizes, &sizes, "LIST", "4096:1e10", "bytes of the larger buffer (256k,1M,16M)"},
    {"plans", 0, &option_flag, &plans, NULL, NULL,
     "in place of times: MiB that a rank reserves, ms of its plan"},
};

static void print_plan(void) {
  const double start = clock_seconds();
  plan p = make_plan();
  const double ms = 1e3 * (clock_seconds() - start);
  const double tiles = (double)((p.held + 1 + (size_t)made_up.scratch) * p.piece_tiles);
  printf(" %9.1f %8.3f", tiles * GHZ_TILE * sizeof(float) / MIB, ms);
  ghz_plan_free(&p);
}

/* The best of all algorithms, and in *chosen the one that the library chooses. */
static double best_of(const struct codec *with, double *chosen) {
  const int n = cluster.ranks, all = (n + cluster.per_node - 1) / cluster.per_node;
  const ghz_mpi_algorithm choice = ghz_cost_least(what, n, all, bytes / (collective_has_blocks(what) ? n : 1));
  double best = INFINITY;
  codec = with;
  for (by = what->algorithms; by->name; by++) {
    const double seconds = simulate();
    best = fmin(best, seconds);
    *chosen = by->name == choice ? seconds : *chosen;
    if (codec != codecs)
      printf(" %9.3f%c", 1e3 * seconds, by->name == choice ? '*' : ' ');
  }
  return best;
}

static void print_rows(void) {
  double chosen = 0, plain = plans ? 0 : best_of(codecs, &chosen);
  for (size_t i = 1; i < (plans ? 2 : sizeof codecs / sizeof *codecs); i++) {
    printf("%5d %6d %6g %8g  %-7s", cluster.ranks, cluster.per_node, cluster.link * 8e-9, bytes / (double)MIB,
           plans ? "plans" : codecs[i].name);
    for (by = what->algorithms; plans && by->name; by++)
      print_plan();
    if (!plans) {
      const double best = best_of(&codecs[i], &chosen);
      printf(" %9.3f %7.2f %6.2f", 1e3 * plain, plain / chosen, chosen / best);
      settings_made++;
      misses += chosen > 1.1 * best;
      worst = fmax(worst, chosen / best);
    }
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  const command c = {"ghz_simulate", usage, rows, sizeof rows / sizeof *rows, false};
  int operands, status = options_read(&c, argc, argv, &operands);
  if (status != OPTIONS_OK)
    return status;
  program_begin(c.name, NULL);
  for (const collective *at = ghz_collectives; at < ghz_collectives + CALLS; at++)
    what = !at->counted && !strcmp(at->name + strlen("ghz_"), name) ? at : what;
  if (operands < argc || !what)
    die("wrong arguments", "there are no operands, and --collective is one with equal blocks");
  printf("SIMULATION of %s; *: the choice\nranks a node Gbit/s      MiB  data   ", what->name);
  for (const algorithm *a = what->algorithms; a->name; a++)
    printf(" %6s ms ", ghz_mpi_algorithm_name(a->name));
  printf("  plain ms    gain   miss\n");
  for (int r = 0; r < ranks.n; r++)
    for (int n = 0; n < nodes.n && nodes.x[n] <= ranks.x[r]; n++)
      for (int g = 0; g < (nodes.x[n] < ranks.x[r] ? gbits.n : 1); g++) /* a node alone has no link */
        for (int b = 0; b < sizes.n; b++) {
          const double gbit = gbits.x[g], latency = gbit > 50 ? 5e-6 : gbit > 5 ? 15e-6 : 30e-6;
          cluster = (struct machine){(int)ranks.x[r], (int)nodes.x[n], gbit * 1e9 / 8, latency};
          bytes = sizes.x[b];
          print_rows();
        }
  printf("%d settings, %d beyond 1.1 of our best, the worst %.2f\n", settings_made, misses, worst);
  return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
