/* run.c: how every collective runs: check, agree, choose, plan, move, report. */

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "control/communicator.h"
#include "control/errors.h"
#include "control/host_copy.h"
#include "control/request.h"

/* ---- Agreement --------------------------------------------------------------------------------------- */

/* FNV-1a over the bytes of a number: makes one identity of several. */
static uint64_t mixed(uint64_t hash, uint64_t value) {
  for (int i = 0; i < 8; i++)
    hash = (hash ^ (value >> 8 * i & 255)) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint64_t name_of(const char *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *text; text++)
    hash = mixed(hash, (unsigned char)*text);
  return hash;
}

static record first_record(const call *c, const communicator *with, error wrong) {
  const settings *s = &c->set;
  record r = {.contributions = (uint64_t)(s->contributions > 0 ? s->contributions : 0),
              .error_class = wrong.error_class,
              .error_rank = c->at.rank,
              .seconds = with->last_seconds,
              .agreeing = with->last_agreeing,
              .plain_seconds = with->last_plain_seconds};
  int foreign = c->collective->reduces && ghz_request_reduction(c) == REDUCE_NONE;
  if (c->on.any) {
    r.devices = 1;
    r.placement = mixed(
        mixed((uint64_t)c->at.rank << 2 | (unsigned)c->on.send << 1 | (unsigned)c->on.recv, r.contributions),
        (unsigned)c->on.apart);
  }
  r.identity[SAME_CALL] = name_of(c->collective->name);
  r.identity[SAME_COUNT] = (uint64_t)c->count;
  r.identity[SAME_TYPE] = (uint64_t)c->value_size << 1 | (unsigned)c->is_real;
  r.identity[SAME_OPERATION] =
      (uint64_t)ghz_request_reduction(c) | (uint64_t)s->average << 8 | (uint64_t)foreign << 16;
  r.identity[SAME_ROOT] = c->collective->rooted ? (uint64_t)c->root : 0;
  r.identity[SAME_BOUND] = bits_of(s->bound.value);
  r.identity[SAME_OPTIONS] = (uint64_t)s->algorithm | (uint64_t)s->mode << 8 | (uint64_t)s->bound.kind << 16 |
                             (uint64_t)s->of_result << 24 | (uint64_t)s->keep_root << 32;
  return r;
}

static const char *class_text(int error_class) {
  return error_class == MPI_ERR_NO_MEM   ? "ran out of memory"
         : error_class == MPI_ERR_COUNT  ? "gave a bad count"
         : error_class == MPI_ERR_TYPE   ? "gave a bad type"
         : error_class == MPI_ERR_ROOT   ? "gave a bad root"
         : error_class == MPI_ERR_BUFFER ? "gave a bad buffer"
         : error_class == MPI_ERR_OTHER  ? "had trouble with its GPU"
                                         : "gave a bad argument";
}

/* Agrees, and raises what any rank complains of; *r is then what all ranks said. `own` is this rank's
 * error. */
static int agree(const call *c, communicator *with, record *r, error own) {
  char text[160];
  int code = ghz_agree(&with->agreement, r, with->comm);
  if (code != MPI_SUCCESS) {
    MPI_Comm_call_errhandler(c->comm, code);
    return code;
  }
  const char *differing = ghz_disagreement(r);
  if (own.error_class)
    return ghz_request_raise(c, own);
  if (r->error_class) {
    snprintf(text, sizeof text, "rank %d %s", r->error_rank, class_text(r->error_class));
    return ghz_mpi_raise(c->comm, r->error_class, c->collective->name, text);
  }
  return differing ? ghz_mpi_raise(c->comm, MPI_ERR_ARG, c->collective->name, differing) : MPI_SUCCESS;
}

/* ---- Choice ------------------------------------------------------------------------------------------ */

/* Of values: a GPU is not filled by less, so that the whole array takes it hardly longer than a segment (gZCCL). To be
 * measured on one. */
#ifndef GHZ_DEVICE_SEGMENT
#define GHZ_DEVICE_SEGMENT (2 << 20)
#endif

/* Whether arrays are to be added whole because their segments are too small for a GPU. */
static int prefers_doubling(const call *c, const record *said) {
  return said->devices && c->collective->algorithms[GHZ_MPI_DOUBLING].build &&
         ghz_request_bytes(c) / c->at.ranks < GHZ_DEVICE_SEGMENT;
}

static int worth_trying(const call *c, ghz_mpi_algorithm a) {
  if (a == GHZ_MPI_DOUBLING) /* moves the whole array log2(ranks) times */
    return ghz_request_bytes(c) < 4 << 20;
  return a != GHZ_MPI_HALVING || c->at.ranks > 3; /* below, it is what the ring is */
}

/* What may be tried, the likeliest first. */
static int list_variants(const call *c, const record *said, variant *list) {
  const settings *s = &c->set;
  int doubling = prefers_doubling(c, said);
  int n = 0, free_mode = s->mode == GHZ_MPI_MODE_AUTO, free_algorithm = s->algorithm == GHZ_MPI_ALGORITHM_AUTO;
  const ghz_mpi_algorithm *preferred = c->collective->preferred;
  ghz_mpi_mode mode = free_mode ? GHZ_MPI_HOMOMORPHIC : s->mode;
  if (s->algorithm == GHZ_MPI_NATIVE)
    list[n++] = ghz_request_fits_int(c) ? (variant){GHZ_MPI_NATIVE, GHZ_MPI_PLAIN}
                                        : (variant){preferred[0], GHZ_MPI_PLAIN};
  else if (!free_algorithm)
    list[n++] = (variant){s->algorithm, mode};
  if (free_algorithm && doubling)
    list[n++] = (variant){GHZ_MPI_DOUBLING, mode};
  for (int i = 0; free_algorithm && preferred[i]; i++)
    if ((i == 0 || worth_trying(c, preferred[i])) && !(doubling && preferred[i] == GHZ_MPI_DOUBLING))
      list[n++] = (variant){preferred[i], mode};
  if (free_algorithm && free_mode && s->contributions == 1) {
    list[n++] = (variant){preferred[0], GHZ_MPI_PLAIN};
    if (ghz_request_fits_int(c))
      list[n++] = (variant){GHZ_MPI_NATIVE, GHZ_MPI_PLAIN};
  }
  return n;
}

/* What calls have in common that may be expected to take the same time. */
static uint64_t kind_of(const call *c, const record *r) {
  uint64_t octave = c->count > 0 ? 64 - (uint64_t)__builtin_clzll((unsigned long long)c->count) : 0;
  uint64_t key = mixed(mixed(r->identity[SAME_CALL], r->identity[SAME_OPERATION]), r->identity[SAME_BOUND]);
  key = mixed(mixed(key, r->identity[SAME_OPTIONS]), c->value_size);
  return mixed(mixed(key, octave),
               (uint64_t)ghz_request_fits_int(c)); /* what MPI cannot take has other variants */
}

/* Calls with device buffers are of other kinds, which all ranks know only once they have agreed. */
static uint64_t agreed_kind_of(const call *c, const record *said) {
  uint64_t key = kind_of(c, said);
  return said->devices ? mixed(key, said->placement) : key;
}

static variant choose(const call *c, communicator *with, const record *said) {
  variant list[VARIANTS] = {0};
  int n = list_variants(c, said, list);
  return n == 1 ? list[0] : list[ghz_tuner_pick(&with->tuner, agreed_kind_of(c, said), list, n)];
}

/* ---- Plan -------------------------------------------------------------------------------------------- */

enum { MOST_PIECES = 1 << 15 }; /* tags that every MPI has */

/* Bytes of a piece: of what a CPU works on in its cache, and of what makes up for starting work on a GPU. The latter are to
 * be measured on one; tests have pieces of device buffers smaller. */
enum { PIECE_LEAST = 128 << 10, PIECE_MOST = 512 << 10 };
#ifndef GHZ_DEVICE_PIECE_LEAST
#define GHZ_DEVICE_PIECE_LEAST (2 << 20)
#define GHZ_DEVICE_PIECE_MOST (4 << 20)
#endif

/* If any rank has device buffers, all cut as it needs it. */
static layout layout_of(const call *c, const algorithm *w, const record *said) {
  layout l;
  l.type = c->real;
  l.count = (uint64_t)c->count;
  l.parts = c->collective->blocks ? c->at.ranks : 1;
  l.segments = w->segments ? w->segments(c->at.ranks) : 1;
  l.columns_first = w->columns_first;
  uint64_t bytes = l.count * c->value_size / (uint64_t)l.segments / 8;
  uint64_t least = said->devices ? GHZ_DEVICE_PIECE_LEAST : PIECE_LEAST;
  uint64_t most = said->devices ? GHZ_DEVICE_PIECE_MOST : PIECE_MOST;
  l.piece_values = (bytes < least ? least : bytes > most ? most : bytes) / c->value_size;
  while (l.count / l.piece_values * (uint64_t)l.parts > MOST_PIECES)
    l.piece_values *= 2;
  return l;
}

static const payload *payload_of(ghz_mpi_mode mode, const payload_job *job) {
#ifdef GHZ_HAVE_CUDA
  if (job->async)
    return &ghz_payload_device;
#endif
  (void)job;
  return mode == GHZ_MPI_PLAIN        ? &ghz_payload_plain
         : mode == GHZ_MPI_RECOMPRESS ? &ghz_payload_recompress
         : mode == GHZ_MPI_PER_HOP    ? &ghz_payload_per_hop
                                      : &ghz_payload_homomorphic;
}

/* Whether all ranks have had memory for this before. */
static int is_prepared(const communicator *with, const preparation *p) {
  unsigned known = with->prepared_count < PREPARED ? with->prepared_count : PREPARED;
  for (unsigned i = 0; i < known; i++)
    if (memcmp(&with->prepared[i], p, sizeof *p) == 0)
      return 1;
  return 0;
}

/* Where a call has device buffers left, a GPU is to work on them. */
static error set_up_device(const call *c, communicator *with, payload_job *job) {
  const extent used = c->collective->extent(c);
  int all_there = (!used.send || c->on.send) && (!used.recv || c->on.recv);
  if (!c->on.any)
    return (error){0};
  job->target_on_device = c->on.recv;
  job->source_on_device = c->send && c->send != MPI_IN_PLACE ? c->on.send : c->on.recv;
  ghz_status status = ghz_device_setup(job, &with->device, &c->on, (size_t)with->plan.piece_tiles * GHZ_TILE,
                                       all_there && ghz_device_direct());
  return ghz_request_of_device(status, ghz_device_message());
}

/* *on_device is what is wrong with the device; the plan can be gone nevertheless, to tell the other ranks. */
static error make_plan(const call *c, communicator *with, variant how, const layout *l, payload_job *job,
                       error *on_device) {
  const error no_memory = {MPI_ERR_NO_MEM, "no memory for the plan"};
  if (!ghz_plan_make(&with->plan, l, c->at, c->collective->algorithms[how.algorithm].build))
    return no_memory;
  *on_device = set_up_device(c, with, job);
  size_t capacity = payload_of(how.mode, job)->capacity(job, with->plan.piece_tiles);
  ghz_buffer_pool_prepare(job->pool, capacity);
  return ghz_engine_prepare(&with->space, &with->plan, capacity) ? (error){0} : no_memory;
}

static error range_of(const call *c, communicator *with, const payload_job *job, const void *x, double *min,
                      double *max) {
  size_t n = (size_t)c->count;
  if (job->source_on_device && n)
    return ghz_request_of_device(ghz_device_range(job->device, c->real, x, n, min, max), ghz_device_message());
  int failed = ghz_range(with->codec, c->real, x, n, min, max) != GHZ_OK;
  return failed ? (error){MPI_ERR_NO_MEM, "no memory to find the range"} : (error){0};
}

/* The range of the finite values that this rank gives. */
static error find_range(const call *c, communicator *with, const payload_job *job, record *r) {
  const plan *p = &with->plan;
  int arrays = c->collective->reduces ? c->set.contributions : 1;
  for (int b = 0; b < p->layout.parts; b++)
    for (int i = 0; p->parts[b].source && i < arrays; i++) {
      double min = INFINITY, max = -INFINITY;
      error wrong = range_of(c, with, job, p->parts[b].source + (size_t)i * job->stride, &min, &max);
      if (wrong.error_class)
        return wrong;
      r->min = min < r->min ? min : r->min;
      r->max = max > r->max ? max : r->max;
    }
  return (error){0};
}

/* What all ranks find out alike: a sum that has too many terms, or none. */
static error check_terms(const call *c, variant how, uint64_t contributions, const ghz_lattice *l) {
  if (ghz_request_reduction(c) != REDUCE_SUM || how.mode != GHZ_MPI_HOMOMORPHIC)
    return (error){0};
  if (contributions > (UINT64_C(1) << (58 - l->cap)) - 1)
    return (error){MPI_ERR_ARG, "more contributions than integers of 62 bits can sum"};
  if (contributions == 0 && c->set.average)
    return (error){MPI_ERR_ARG, "nobody contributes to the average"};
  return (error){0};
}

static error make_lattice(const call *c, const record *r, ghz_lattice *l) {
  const settings *s = &c->set;
  int one_value = s->bound.kind != GHZ_ABS && !(r->min < r->max); /* that is exact, and so is its sum */
  ghz_status status = ghz_lattice_make(c->real, s->bound, r->min, r->max, l);
  if (status == GHZ_OK && s->of_result && !s->average && ghz_request_reduction(c) == REDUCE_SUM && !one_value &&
      r->contributions > 1) {
    double share = nextafter(l->eb / (double)r->contributions, 0);
    status = ghz_lattice_make(c->real, (ghz_bound){GHZ_ABS, share > 0 ? share : DBL_TRUE_MIN}, 0, 0, l);
  }
  return (error){status == GHZ_OK ? 0 : MPI_ERR_ARG, "no lattice for this bound"};
}

/* ---- Doing it ---------------------------------------------------------------------------------------- */

static int raise_failure(const call *c, const failure *o) {
  char text[160];
  if (o->kind == FAILURE_MPI) {
    MPI_Comm_call_errhandler(c->comm, o->mpi_code);
    return o->mpi_code;
  }
  int class = o->kind == FAILURE_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
  const char *what = o->kind == FAILURE_MEMORY  ? "ran out of memory"
                     : o->kind == FAILURE_CODEC ? "could not compress, add or decompress"
                                                : "received a message that is not what it should be";
  snprintf(text, sizeof text, "rank %d %s (%s)", o->rank, what, ghz_status_text(o->status));
  return ghz_mpi_raise(c->comm, class, c->collective->name, text);
}

/* The bound of the result. The modes that compress again and again promise none. */
static double result_bound(const call *c, const payload_job *job, const ghz_mpi_report *r) {
  if (r->mode == GHZ_MPI_PLAIN)
    return 0;
  if (r->inexact || r->mode == GHZ_MPI_PER_HOP || (r->mode == GHZ_MPI_RECOMPRESS && c->collective->reduces))
    return INFINITY;
  int sums = job->reduction == REDUCE_SUM && !job->average && job->total_contributions > 1;
  double terms = sums ? (double)job->total_contributions : 1, bound = terms * job->lattice.eb;
  return sums || job->average ? nextafter(bound, INFINITY) : bound;
}

/* The job, but for its lattice, of which only the type is known yet, and its report. */
static payload_job job_of(const call *c, communicator *with, const record *said) {
  return (payload_job){.codec = with->codec,
                       .pool = &with->pool,
                       .plan = &with->plan,
                       .lattice.type = c->real,
                       .reduction = ghz_request_reduction(c),
                       .contributions = c->set.contributions,
                       .stride =
                           (size_t)c->count * c->value_size * (c->collective->blocks ? (size_t)c->at.ranks : 1),
                       .total_contributions = said->contributions,
                       .average = c->set.average,
                       .value_size = c->value_size};
}

/* Moves everything, once all ranks know what to do. */
static int move(const call *c, communicator *with, variant how, payload_job *job, ghz_mpi_report *report) {
  job->report = report;
  report->algorithm = how.algorithm;
  report->mode = how.mode;
  report->eb = how.mode == GHZ_MPI_PLAIN ? 0 : job->lattice.eb;
  ghz_plan_order(&with->plan);
  failure o = ghz_engine_run(&with->plan, payload_of(how.mode, job), job, &with->space, with->comm);
  if (o.kind != FAILURE_NONE)
    return raise_failure(c, &o);
  if (c->collective->finish && c->collective->finish(c) != GHZ_OK)
    return ghz_request_raise(c, ghz_request_of_device(GHZ_EDEVICE, ghz_device_message()));
  report->bound = result_bound(c, job, report);
  return MPI_SUCCESS;
}

static preparation preparation_of(const call *c, variant how, const payload_job *job, const layout *l,
                                  const record *said) {
  return (preparation){.call = said->identity[SAME_CALL],
                       .placement = said->placement,
                       .contributions = job->total_contributions,
                       .layout = *l,
                       .how = how,
                       .reduction = job->reduction,
                       .root = c->root};
}

/* A second agreement, where there is something to say: a range, or whether there is memory. `wrong` is what this rank knows to
 * be wrong already. */
static int agree_again(const call *c, communicator *with, variant how, payload_job *job, const layout *l,
                       record *said, error wrong) {
  preparation p = preparation_of(c, how, job, l, said);
  int relative = how.mode != GHZ_MPI_PLAIN && c->set.bound.kind != GHZ_ABS, prepared = is_prepared(with, &p);
  error on_device = {0}, on_plan = make_plan(c, with, how, l, job, &on_device);
  record r = {.min = INFINITY, .max = -INFINITY, .error_rank = c->at.rank};
  wrong = on_plan.error_class ? on_plan : wrong.error_class ? wrong : on_device;
  if (!on_plan.error_class)
    c->collective->arrange(c, with->plan.parts);
  if (!wrong.error_class && relative)
    wrong = find_range(c, with, job, &r);
  r.error_class = wrong.error_class;
  int code = MPI_SUCCESS;
  if (relative || !prepared)
    code = agree(c, with, &r, wrong);
  else if (on_plan.error_class) /* cannot be: there was memory for it before */
    code = ghz_request_raise(c, wrong);
  else if (wrong.error_class) /* a device that failed since: the engine tells the others */
    job->early_status = wrong.error_class == MPI_ERR_NO_MEM ? GHZ_ENOMEM : GHZ_EDEVICE;
  if (code == MPI_SUCCESS && !prepared)
    with->prepared[with->prepared_count++ % PREPARED] = p;
  said->min = r.min;
  said->max = r.max;
  return code;
}

static int run_on(const call *c, communicator *with, variant how, record *said, error wrong,
                  ghz_mpi_report *report) {
  payload_job job = job_of(c, with, said);
  layout l = layout_of(c, &c->collective->algorithms[how.algorithm], said);
  int code = agree_again(c, with, how, &job, &l, said, wrong);
  report->agree += MPI_Wtime();
  if (code != MPI_SUCCESS)
    return code;
  if (how.mode != GHZ_MPI_PLAIN) {
    wrong = make_lattice(c, said, &job.lattice);
    if (!wrong.error_class)
      wrong = check_terms(c, how, said->contributions, &job.lattice);
    if (wrong.error_class)
      return ghz_request_raise(c, wrong);
  }
  return move(c, with, how, &job, report);
}

/* What the payload of a GPU does: sums of one array a rank, and data that only move. A sum of one array in all is made of two,
 * see homomorphic.c. */
static int suits_gpu(const call *c, variant how, const record *said) {
  reduction r = ghz_request_reduction(c);
  return how.mode == GHZ_MPI_HOMOMORPHIC && c->set.contributions == 1 && !c->on.apart &&
         (r == REDUCE_NONE || (r == REDUCE_SUM && said->contributions > 1));
}

/* On a GPU, on the host, or on the host with copies of device buffers. */
static int run_ours(const call *c, communicator *with, variant how, record *said, ghz_mpi_report *report) {
  call host;
  const char *why;
  if (!c->on.any || suits_gpu(c, how, said))
    return run_on(c, with, how, said, (error){0}, report);
  ghz_status status = ghz_host_copy_begin(c, &host, &why);
  int code = run_on(&host, with, how, said, ghz_request_of_device(status, why), report);
  if (code == MPI_SUCCESS && (status = ghz_host_copy_end(c, &host, &why)) != GHZ_OK)
    code = ghz_request_raise(c, ghz_request_of_device(status, why));
  return code;
}

/* What this call would have taken at least without compression: the time with nothing to do but wait, for so
 * many more bytes. That waits may have had other reasons does not matter much: others' codecs work in the same
 * time. */
static double plain_seconds(const ghz_mpi_report *r) {
  if (r->mode == GHZ_MPI_PLAIN || r->sent_bytes == 0)
    return INFINITY;
  return r->wait * (double)r->raw_bytes / (double)r->sent_bytes;
}

/* What MPI does hangs if a rank stays away: where copies of device buffers can fail, all agree that they have not. */
static int run_native(const call *c, communicator *with, const record *said) {
  call ready;
  if (!said->devices)
    return ghz_request_native(c);
  error wrong = ghz_request_for_native(c, &ready);
  record r = {.error_class = wrong.error_class, .error_rank = c->at.rank};
  int code = agree(c, with, &r, wrong);
  return code == MPI_SUCCESS ? ghz_request_run_native(c, &ready) : code;
}

/* After the ranks have agreed: by MPI, or by us. */
static int run_chosen(const call *c, communicator *with, record *said, ghz_mpi_report *report) {
  const char *why = ghz_request_not_ours(c);
  variant how = why ? (variant){GHZ_MPI_NATIVE, GHZ_MPI_PLAIN} : choose(c, with, said);
  report->algorithm = how.algorithm;
  if (why)
    ghz_mpi_explain(c->collective->name, why);
  ghz_context_set_threads(with->codec, c->set.threads);
  return how.algorithm == GHZ_MPI_NATIVE ? run_native(c, with, said) : run_ours(c, with, how, said, report);
}

static int run_agreed(const call *c, communicator *with, error wrong) {
  double start = MPI_Wtime();
  ghz_mpi_report report = {.agree = -start};
  record said = first_record(c, with, wrong);
  if (!with->device_calls && ghz_tuner_bypasses(&with->tuner, kind_of(c, &said)))
    return wrong.error_class ? ghz_request_raise(c, wrong) : ghz_request_native(c);
  int code = agree(c, with, &said, wrong);
  if (code != MPI_SUCCESS)
    return code;
  with->device_calls |= said.devices > 0;
  ghz_tuner_record(&with->tuner, said.seconds, said.agreeing, said.plain_seconds);
  double agreed = MPI_Wtime();
  code = run_chosen(c, with, &said, &report);
  double end = MPI_Wtime();
  int native = report.algorithm == GHZ_MPI_NATIVE;
  with->last_seconds = code == MPI_SUCCESS ? end - agreed : 1e9; /* what failed is not to be tried again soon */
  with->last_agreeing = agreed - start;
  with->last_plain_seconds = native ? INFINITY : plain_seconds(&report);
  if (native)
    report = (ghz_mpi_report){.algorithm = GHZ_MPI_NATIVE, .mode = GHZ_MPI_PLAIN, .agree = agreed - start};
  report.seconds = end - start;
  if (c->set.report && code == MPI_SUCCESS)
    *c->set.report = report;
  return code;
}

/* Whether a call that leaves everything to us needs no agreement: for reasons that all ranks share if they
 * agree at all. */
static int needs_nobody(const call *c) {
  const settings *s = &c->set;
  return s->algorithm == GHZ_MPI_ALGORITHM_AUTO && s->mode == GHZ_MPI_MODE_AUTO && c->count >= 0 &&
         (ghz_request_bytes(c) < (double)s->threshold || s->bound.value == 0 || c->at.ranks == 1);
}

/* Checks what this rank can check alone, and whether its buffers are known. */
static error check_call(const call *c, const char *wrong) {
  error own = ghz_request_check(c, wrong);
  return own.error_class ? own : ghz_request_of_device(c->on.status, ghz_device_message());
}

static int run_without_agreement(const call *c) {
  error wrong = check_call(c, NULL);
  const char *why = ghz_request_not_ours(c);
  if (!wrong.error_class && !ghz_request_fits_int(c))
    wrong = (error){MPI_ERR_COUNT, "the count is too large for MPI, which has to do it"};
  if (why)
    ghz_mpi_explain(c->collective->name, why);
  return wrong.error_class ? ghz_request_raise(c, wrong) : ghz_request_native(c);
}

/* Once it is known on which device the buffers are, and that device is the current one. */
static int run_there(const call *c, const char *wrong) {
  communicator *with;
  if (!wrong && needs_nobody(c))
    return run_without_agreement(c);
  int code = ghz_communicator_of(c->comm, &with);
  if (code != MPI_SUCCESS)
    return code;
  error own = check_call(c, wrong);
  if (!own.error_class && !with->codec)
    own = (error){MPI_ERR_NO_MEM, "no memory, or no such instruction set, for the codec"};
  return run_agreed(c, with, own);
}

/* MPI's business; of the other group's buffers nothing is known here. */
static int run_between_groups(const call *c) {
  ghz_mpi_explain(c->collective->name, "the communicator is an intercommunicator");
  if (c->count < 0 || c->count > INT_MAX)
    return ghz_mpi_raise(c->comm, MPI_ERR_COUNT, c->collective->name,
                         "the count is negative, or too large for MPI");
  if (c->set.average)
    return ghz_mpi_raise(c->comm, MPI_ERR_ARG, c->collective->name, "no average over an intercommunicator");
  if (ghz_device_forbids(c->send, c->recv))
    return ghz_mpi_raise(c->comm, MPI_ERR_BUFFER, c->collective->name,
                         "device buffers over an intercommunicator need an MPI that is CUDA-aware");
  return ghz_request_native(c);
}

int ghz_collective_run(const call *asked, const ghz_mpi_options *options) {
  call c = *asked;
  int inter = 0;
  const char *wrong = ghz_settings_make(options, &c.set);
  if (!(options && options->algorithm) && c.set.algorithm > GHZ_MPI_NATIVE &&
      !c.collective->algorithms[c.set.algorithm].build)
    c.set.algorithm = GHZ_MPI_ALGORITHM_AUTO; /* the environment speaks of the collectives that have it */
  if (c.comm == MPI_COMM_NULL)
    return ghz_mpi_raise(c.comm, MPI_ERR_COMM, c.collective->name, "the communicator is MPI_COMM_NULL");
  int code = MPI_Comm_test_inter(c.comm, &inter);
  if (code != MPI_SUCCESS)
    return code;
  if (inter)
    return run_between_groups(&c);
  ghz_request_recognise(&c);
  const extent used = c.collective->extent(&c);
  if (c.count > 0)
    c.on = ghz_device_find(used.send ? c.send : NULL, used.recv ? c.recv : NULL);
  if (!c.on.any)
    return run_there(&c, wrong);
  int previous = ghz_device_enter(&c.on);
  code = run_there(&c, wrong);
  ghz_device_leave(previous);
  return code;
}
