/* ghz_mpi.h: the whole public interface of libghzmpi.
 *
 * Collectives on float and double that send compressed data, built on libghz and plain MPI point-to-point calls.
 * Each call has the arguments of the MPI call of its name, and options:
 *
 *   ghz_mpi_options options = GHZ_MPI_OPTIONS;
 *   options.bound = (ghz_bound){GHZ_REL, 1e-4};
 *   ghz_allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options);
 *
 * Promises
 *   same bits   A result has the same bits on every rank, whatever the algorithm, the topology and the order in
 *               which messages arrive; with a bound per rank (options.of_result = 0) also for every number of
 *               ranks that the same contributions are spread over. This is what mode GHZ_MPI_HOMOMORPHIC does, and
 *               GHZ_MPI_MODE_AUTO where it compresses. Where the report says `inexact`, values outside the lattice
 *               met in a sum (float32: beyond 2^35 bounds), and their floating-point sum depends on the algorithm,
 *               though never on the rank.
 *   bound       Strict, per value: sums of N contributions are within N * eb of the exact sum (eb with
 *               options.of_result), averages, minima, maxima and moved data within eb. ghz.h, "bound", has the one
 *               exception.
 *   errors      As in MPI: every call returns an MPI error code, through the error handler of the communicator;
 *               MPI_Error_string gives a sentence that names the call. Ranks that disagree on the call, count,
 *               type, operation, root, bound or options all get an error, and none hangs, unless some of them go
 *               straight to MPI (below).
 *   resources   One context per communicator and process hangs on the communicator and is freed with it. Memory is
 *               kept for the next call: at most about one worst-case compressed copy of the largest buffer, or some
 *               20 MiB where that is more.
 *
 * As in MPI, all processes of the communicator make the same calls in the same order, and no two threads use one
 * communicator at a time; different communicators may be used by different threads (MPI_THREAD_MULTIPLE).
 * Buffers are contiguous arrays of `type`; counts are counts of values and may exceed 2^31.
 *
 * What is not compressed goes to the MPI call of the same name: types other than float and double (MPI_FLOAT,
 * MPI_DOUBLE, and Fortran's of the same representation), operations other than MPI_SUM, MPI_MIN and MPI_MAX, and
 * intercommunicators; and, as long as algorithm and mode are AUTO, calls for which nobody gave a bound, calls
 * below the threshold, and those of one rank alone. These last three go straight there: without agreement, and with MPI's own checks alone. So do
 * most calls of a kind for which MPI was found to be the best way, and so fast that agreeing would be felt.
 * GHZ_MPI_VERBOSE=1 says what else than small calls goes to MPI, and why.
 *
 * Device buffers, in a library built with CUDA: sendbuf and recvbuf, each by itself, may be memory of a GPU (cudaMalloc, or
 * managed), which is recognised; results and messages have the very same bytes as those of ranks with host buffers, and ranks with
 * either take part in one call.
 *   on the GPU  Sums and averages of one contribution per rank, and data that only move, where they are compressed in
 *               mode GHZ_MPI_HOMOMORPHIC (or AUTO): only compressed bytes leave the device, straight to MPI if that is
 *               CUDA-aware and all buffers of the rank are on the device, else through pinned host memory.
 *   copied      Everything else: minima and maxima, other modes, other numbers of contributions, a sum of one array in all,
 *               buffers on two devices; and what goes to MPI, unless MPI is CUDA-aware. Such device buffers are copied to pinned
 *               host memory and the result back. Over an intercommunicator that is an error.
 *   order       What the caller has put on streams for these buffers must have ended before the call, as MPI has it;
 *               when it returns, the result is there. The library uses streams of its own. The calls leave the
 *               thread's current device as it was.
 *   resources   Contexts, streams, pinned and device memory hang on the communicator, too: for what is under way, some
 *               dozens of pieces of a few MiB each, and for what is copied as much pinned memory as the largest buffers.
 *   errors      A GPU that fails, or has no memory, is an error of the call on every rank, like a damaged message. Where a call
 *               goes to MPI without agreement it is one of that rank alone, as MPI's own are.
 * A library without CUDA cannot tell device memory from host memory.
 *
 * Environment: read once, by the first call of the process, and used where the options leave the choice open.
 *   GHZ_MPI_BOUND       abs:1e-3, rel:1e-4 or psnr:80 (a plain number is abs); result:rel:1e-4: of the result
 *   GHZ_MPI_ALGORITHM   auto, mpi, ring, doubling, halving, tree, chain, linear; of the collectives that have it
 *   GHZ_MPI_MODE        auto, homomorphic, plain
 *   GHZ_MPI_THRESHOLD   bytes (suffixes k, M, G)
 *   GHZ_MPI_THREADS     threads of the codec per process
 *   GHZ_MPI_KEEP_ROOT   1: ghz_bcast leaves the root's buffer alone
 *   GHZ_MPI_VERBOSE     1: says on stderr, once per reason, what is not compressed
 *   GHZ_MPI_CUDA_AWARE  0 or 1: whether MPI takes device memory; else MPI is asked
 */
#ifndef GHZ_MPI_H
#define GHZ_MPI_H

#include <ghz.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The route that data take. What a collective does not have is an error (MPI_ERR_ARG).
 * Sources: ring, Patarasuk and Yuan 2009; halving and doubling, Thakur, Rabenseifner and Gropp 2005; recursive
 * doubling on compressed data, gZCCL (ICS'24); ring on compressed data, C-Coll (IPDPS'24) and hZCCL (SC'24). */
typedef enum ghz_mpi_algorithm {
  GHZ_MPI_ALGORITHM_AUTO = 0, /* by what calls like this one took so far */
  GHZ_MPI_NATIVE,             /* the MPI call of the same name, whatever the mode */
  GHZ_MPI_RING,               /* allreduce, reduce, reduce_scatter, allgather */
  GHZ_MPI_DOUBLING,           /* allreduce: recursive doubling */
  GHZ_MPI_HALVING,            /* allreduce: recursive halving, then doubling */
  GHZ_MPI_TREE,               /* reduce, bcast, scatter, gather: binomial */
  GHZ_MPI_CHAIN,              /* bcast: from rank to rank */
  GHZ_MPI_LINEAR              /* scatter, gather: straight between the root and every rank */
} ghz_mpi_algorithm;

/* What happens to data on their way. */
typedef enum ghz_mpi_mode {
  GHZ_MPI_MODE_AUTO = 0, /* homomorphic, or not compressed where that is faster */
  GHZ_MPI_HOMOMORPHIC,   /* compress once, add compressed data, decompress once */
  GHZ_MPI_PLAIN       /* our own schedules, uncompressed */
} ghz_mpi_mode;

/* What a call did, on this rank. Times are seconds of this process. */
typedef struct ghz_mpi_report {
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
  uint64_t raw_bytes;  /* what this rank would have sent without compression, on the same route */
  uint64_t sent_bytes; /* what it sent; both 0 for GHZ_MPI_NATIVE */
  uint64_t messages;   /* how many it sent */
  double seconds;      /* the whole call */
  double agree;        /* agreeing with the other ranks, finding the range, planning */
  double compress;     /* in the codec; on a GPU, as the next two: with nothing to do but wait for it */
  double combine;      /* in the codec: addition, minimum, maximum */
  double decompress;   /* in the codec */
  double wait;         /* with nothing to do but wait for messages */
  double eb;           /* bound per contribution that was used; 0 if not compressed */
  double bound;        /* of every value of the result; 0 if not compressed; +Inf if none is promised */
  int inexact;
} ghz_mpi_report;

/* Options of a call, to be made by GHZ_MPI_OPTIONS and changed. All ranks give the same, except for report, threads and contributions. */
typedef struct ghz_mpi_options {
  size_t size;     /* sizeof(ghz_mpi_options), by which later versions will know this one */
  ghz_bound bound; /* value 0: that of GHZ_MPI_BOUND, if there is one, else nothing is compressed. GHZ_REL and
                      GHZ_PSNR refer to the range of the values that all ranks give. */
  int of_result;   /* 1: the bound is for the result: a sum over N contributions is made with bound / N each */
  int average;     /* 1, with MPI_SUM: divide by the number of contributions */
  ghz_mpi_algorithm algorithm;
  ghz_mpi_mode mode;
  int64_t
      threshold; /* bytes of the larger buffer below which a call goes straight to MPI as long as algorithm and
                        mode are AUTO; -1: that of GHZ_MPI_THRESHOLD, or 256 KiB */
  int contributions; /* reductions: arrays that this rank gives: sendbuf holds so many of the size that the call
                        reduces, one behind the other; 0 (sums only): none, sendbuf is ignored. Another number than 1,
                        on whichever rank, needs mode GHZ_MPI_HOMOMORPHIC on all, and does not go in place. All ranks
                        together: at most 2^23 - 1 of float, 2^14 - 1 of double. */
  int threads;       /* OpenMP threads of the codec; 0: GHZ_MPI_THREADS, or 1 */
  int keep_root; /* 1: ghz_bcast leaves the root's buffer alone: it then differs from the others' by up to the
                        bound. -1: as GHZ_MPI_KEEP_ROOT says, or 0 */
  ghz_mpi_report *report; /* filled in if not NULL */
} ghz_mpi_options;

/* Options that leave everything to the environment and the library. */
#define GHZ_MPI_OPTIONS                                                                                        \
  { sizeof(ghz_mpi_options), {GHZ_ABS, 0}, 0, 0, GHZ_MPI_ALGORITHM_AUTO, GHZ_MPI_MODE_AUTO, -1, 1, 0, -1, NULL }

/* ---- The calls --------------------------------------------------------------------------------------- */
/* options may be NULL: GHZ_MPI_OPTIONS. Each call returns MPI_SUCCESS or, if the error handler returns, a code of
 * class MPI_ERR_COMM, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_ROOT, MPI_ERR_ARG (options, or ranks
 * that disagree), MPI_ERR_NO_MEM or MPI_ERR_OTHER (a message that was damaged; what MPI itself reports keeps its
 * code); ask ghz_mpi_error_class. After an error the output buffer is unspecified, and the communicator can be used
 * again unless MPI itself failed. */

/* recvbuf[i] on every rank = op over the contributions' element i. sendbuf may be MPI_IN_PLACE on all ranks. */
GHZ_API int ghz_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, const ghz_mpi_options *options);

/* The same on rank `root` alone; elsewhere recvbuf is ignored. sendbuf may be MPI_IN_PLACE at the root. */
GHZ_API int ghz_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                       int root, MPI_Comm comm, const ghz_mpi_options *options);

/* As MPI_Reduce_scatter_block: sendbuf holds ranks x recvcount values, rank r gets block r of the result. In
 * place: input in recvbuf, result at its beginning. */
GHZ_API int ghz_reduce_scatter(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm, const ghz_mpi_options *options);

/* recvbuf holds ranks x count values: block r as rank r gave it, compressed and decompressed on every rank, r
 * too. In place: rank r's values lie in block r of recvbuf. One count and type serve both sides. */
GHZ_API int ghz_allgather(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                          const ghz_mpi_options *options);

/* buffer of every rank = that of root, compressed and decompressed; the root's too, so that all have the same
 * bits (see keep_root). */
GHZ_API int ghz_bcast(void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
                      const ghz_mpi_options *options);

/* recvbuf on rank r = block r of the root's sendbuf, which holds ranks x count values. recvbuf may be
 * MPI_IN_PLACE at the root: its own block then stays where and as it is. */
GHZ_API int ghz_scatter(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, int root,
                        MPI_Comm comm, const ghz_mpi_options *options);

/* Block r of the root's recvbuf = sendbuf of rank r. sendbuf may be MPI_IN_PLACE at the root: its own block
 * then stays as it is. */
GHZ_API int ghz_gather(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, int root,
                       MPI_Comm comm, const ghz_mpi_options *options);

/* The class of an error code that one of the calls returned, one of those above. MPI_Error_class says the same
 * with an MPI that lets libraries add codes to its own classes (Open MPI; MPICH does not). Thread-safe as far
 * as MPI is. */
GHZ_API int ghz_mpi_error_class(int code);

/* Names as in the environment ("ring", "homomorphic"); "?" for what is none. Static. Thread-safe. */
GHZ_API const char *ghz_mpi_algorithm_name(ghz_mpi_algorithm algorithm);
GHZ_API const char *ghz_mpi_mode_name(ghz_mpi_mode mode);

/* Reads a bound as GHZ_MPI_BOUND has it. *of_result is set where the text says "result:", else left alone.
 * Returns 1, or 0 and leaves all as it is. Thread-safe. */
GHZ_API int ghz_mpi_parse_bound(const char *text, ghz_bound *bound, int *of_result);

#ifdef __cplusplus
}
#endif
#endif /* GHZ_MPI_H */
