/* mpi.h: the whole public interface of libghzmpi, included as <ghz/mpi.h>.
 *
 * libghzmpi provides MPI collectives that send arrays of float and double compressed, under a
 * strict error bound. Reductions add the compressed data without decompressing them.
 *
 * Each call takes the arguments of the MPI call of its name, and options:
 *
 *   ghz_mpi_options options = GHZ_MPI_OPTIONS;
 *   options.bound = (ghz_bound){GHZ_REL, 1e-4};
 *   ghz_allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &options);
 *
 * Promises
 *   bound       Every value of a sum of N contributions is within N * eb of the exact sum, or
 *               within eb if options.of_result is set. Every other result is within eb: averages,
 *               minima, maxima, and data that only move. ghz.h, "bound", has the one exception. The
 *               report says which eb was used.
 *   same bits   Results have the same bits on every rank and in every run, from host and from
 *               device buffers; without options.of_result on any number of ranks. Not promised for
 *                 - calls that MPI makes (below). Where these only move data, they are exact;
 *                 - sums that the report calls `inexact`: they met values beyond the lattice (2^35
 *                   steps in float), which were added in floating point, in the order that the
 *                   algorithm has. All ranks have the same bits even so;
 *                 - runs that made other calls before: by these a kind of calls becomes MPI's;
 *                 - other machines, where options.link says to choose: it weighs cores and
 *                   instruction sets of the slowest rank.
 *   NaN         Sums, minima and maxima to which a rank gives NaN are NaN, if they are compressed:
 *               MPI's own minima and maxima keep or lose it by the order of ranks.
 *   no hang     If ranks disagree on the call, count, shape, type, operation, root, bound, fill or
 *               options, or if one of them runs out of memory, all ranks return an error. Not
 *               promised where MPI makes the call on some of them without asking (below).
 *
 * Conventions
 *   buffers     Contiguous arrays of `type`. Counts are numbers of values and may exceed 2^31. The
 *               library does not use buffers after a call has returned.
 *   complex     Arrays of MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, and of Fortran's MPI_COMPLEX
 *               and MPI_DOUBLE_COMPLEX, are real and imaginary parts in turn: twice as many values,
 *               each of which has the bound. A shape counts these along x.
 *   errors      Each call returns an MPI error code, after it has called the error handler of the
 *               communicator. MPI_Error_string explains the code in a sentence that names the call.
 *               After an error the contents of output buffers are unspecified. The communicator
 *               remains usable, unless MPI itself failed.
 *   threads     Threads may call at the same time on different communicators, if MPI was
 *               initialised with MPI_THREAD_MULTIPLE. No two threads use one communicator at a
 *               time.
 *   memory      Messages travel on a communicator of the library's own, whose ranks stand node by
 *               node (those of a node share memory: MPI_COMM_TYPE_SHARED). It is made by the first
 *               call that needs it, and freed with the program's, with the plans of 16 kinds of
 *               calls. A process keeps 16; calls on further communicators make one each time. If
 *               MPI has none left, it makes the call itself, which is said on stderr once. Memory
 *               is kept for the next call, on whichever communicator: at most about one worst-case
 *               compressed copy of the largest buffer, or 20 MiB if that is more, for each thread
 *               that calls at the same time; and where several threads work for it
 *               (options.threads) some 12 MiB, and 2 MiB for each of them.
 *
 * Calls that MPI makes
 *   MPI makes a call, uncompressed, if
 *     - the algorithm is GHZ_MPI_NATIVE,
 *     - the type is none of float and double (MPI_FLOAT, MPI_DOUBLE and Fortran's types of that
 *       representation) and complex numbers of them (above),
 *     - the operation is none of MPI_SUM, MPI_MIN and MPI_MAX; of complex numbers, not MPI_SUM,
 *     - or the bound is GHZ_MPI_FLOAT, and the call is no sum of float.
 *   Where algorithm and mode are AUTO, and no fill value is reduced, it also makes, without the
 *   ranks asking each other,
 *     - calls without a bound,
 *     - and, if MPI's int takes their count, calls below the threshold, calls of one rank, and, of
 *       a kind that compression was worth nothing to, 16 after the one that showed it; then that is
 *       tried again, after 32, and so on up to 256. These are data that move, from 256 KiB on and
 *       without a fill; with options.link all calls. Calls of a kind have the same collective,
 *       operation, bound and options, and sizes within a factor of 2.
 *
 * Device buffers, in a library built with CUDA
 *   sendbuf and recvbuf, each by itself, may be memory of a GPU (from cudaMalloc, or managed). The
 *   library detects that. Results and messages have the same bytes as with host buffers. Ranks with
 *   device buffers and ranks with host buffers can take part in one call.
 *   on the GPU  Compressed calls that move data, and sums and averages of one contribution per
 *               rank, if all buffers that the rank uses are on one device. Only compressed bytes
 *               leave it: straight to MPI if that is CUDA-aware, else through pinned host memory.
 *   copied      The buffers of all other calls are copied to pinned host memory, and the result
 *               back: minima and maxima, the bound GHZ_MPI_FLOAT, fill values with bounds other
 *               than GHZ_ABS, other numbers of contributions, a sum of one array in all,
 *               reduce_scatter in place, blocks with counts of their own, buffers on two devices
 *               or on one and the host, and calls that MPI makes if it is not CUDA-aware.
 *   order       Work on the buffers that the caller has put on streams must have ended before the
 *               call. When the call returns, the result is complete. The library uses streams of
 *               its own, and leaves the thread's current device as it was.
 *   memory      Streams, contexts, pinned and device memory belong to the communicator, too: some
 *               dozens of pieces of a few MiB each, and pinned copies of the largest buffers that
 *               had to be copied.
 *   errors      If a GPU fails or has no memory, the call returns an error on all ranks; in a call
 *               that MPI makes without the ranks asking each other, on that rank.
 *   A library built without CUDA takes every buffer for host memory.
 *
 * Environment
 *   The first call of a process reads these variables. They hold where the options leave a choice
 *   open. A value or a name (GHZ_MPI_BOND) that is not understood is ignored, which rank 0 of
 *   MPI_COMM_WORLD says on stderr, of its own. Numbers are written as in C, 0.5, whatever locale a
 *   rank has.
 *   GHZ_MPI_BOUND       abs:1e-3, rel:1e-4 or psnr:80; a plain number is abs; result:rel:1e-4 sets
 *                       of_result; float: sums as accurate as those of floats (GHZ_MPI_FLOAT); by
 *                       collective: bcast:abs:1,allreduce:rel:1e-4,1e-3, of which the last is that
 *                       of all others
 *   GHZ_MPI_EXTENTS     extents of arrays, the slowest first: 256x256x256,512x512; a call whose
 *                       count is their product has them, the first if several fit
 *   GHZ_MPI_ALGORITHM   auto, mpi, ring, doubling, halving, tree, chain, linear; for the
 *                       collectives that have it
 *   GHZ_MPI_MODE        auto, homomorphic
 *   GHZ_MPI_THRESHOLD   bytes (suffixes k, M, G)
 *   GHZ_MPI_THREADS     threads that compress, add and decompress, per process
 *   GHZ_MPI_LINK        the speed of a node's link: 200mbit, 1gbit, auto (options.link)
 *   GHZ_MPI_FILL        the value that stands for "missing": -999, 1e20
 *   GHZ_MPI_CHECK       a number N: every Nth call of a kind is made by MPI, too (options.check);
 *                       0: none
 *   GHZ_MPI_CUDA_AWARE  0 or 1: whether MPI takes device memory; unset: MPI is asked
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_MPI_H
#define GHZ_MPI_H

#include <ghz/ghz.h>
#include <mpi.h>

/* The library belongs to one MPI: with another one a program links, and crashes. pkg-config and the
 * targets of CMake say which one it is, since this header serves all; so does mpi_of.h where the
 * library is installed for one. */
#if !defined GHZ_MPI_OF_OPEN_MPI && !defined GHZ_MPI_OF_MPICH && defined __has_include
#if __has_include(<ghz/mpi_of.h>)
#include <ghz/mpi_of.h>
#endif
#endif
#if defined GHZ_MPI_OF_OPEN_MPI && !defined OPEN_MPI
#error "this libghzmpi was built with Open MPI, and <mpi.h> is that of another MPI: take the mpicc of Open MPI"
#elif defined GHZ_MPI_OF_MPICH && !defined MPICH_VERSION
#error "this libghzmpi was built with MPICH, and <mpi.h> is that of another MPI: take the mpicc of MPICH"
#endif

GHZ_C_BEGIN

/* ---- Options --------------------------------------------------------------------------------- */

/* How data travel between the ranks. A call returns MPI_ERR_ARG if its collective lacks the
 * algorithm. Sources: ring, Patarasuk and Yuan 2009; halving and doubling, Thakur, Rabenseifner and
 * Gropp 2005; ring on compressed data, C-Coll (IPDPS'24) and hZCCL (SC'24); doubling on compressed
 * data, gZCCL (ICS'24). */
typedef enum ghz_mpi_algorithm {
  GHZ_MPI_ALGORITHM_AUTO = 0, /* by ranks and bytes */
  GHZ_MPI_NATIVE,             /* the MPI call of the same name, uncompressed, whatever the mode */
  GHZ_MPI_RING,               /* allreduce, reduce, reduce_scatter, allgather */
  GHZ_MPI_DOUBLING,           /* allreduce: recursive doubling */
  GHZ_MPI_HALVING,            /* allreduce: recursive halving, then doubling */
  GHZ_MPI_TREE,               /* reduce, bcast, scatter, gather: binomial tree */
  GHZ_MPI_CHAIN,              /* bcast: from rank to rank */
  GHZ_MPI_LINEAR              /* scatter, gather: between the root and each rank directly */
} ghz_mpi_algorithm;

/* What the messages hold. */
typedef enum ghz_mpi_mode {
  GHZ_MPI_MODE_AUTO = 0, /* as homomorphic, but for calls that MPI makes, see above */
  GHZ_MPI_HOMOMORPHIC    /* compress once, add compressed data, decompress once */
} ghz_mpi_mode;

/* A kind of bound for sums and averages of float: as accurate as float, {GHZ_MPI_FLOAT, 0}. Results
 * have the same bits whatever the algorithm, the number of ranks, and the MPI.
 *   a value    is the exact sum of its contributions, each within report.eb, rounded to float once.
 *              Contributions of 2^24 report.eb and more are exact, however large.
 *   the array  report.eb is such that rounding all contributions errs less, in the mean square,
 *              than rounding them to float did: about 1e-8 of what is typical of them. Values that
 *              a gap in size sets apart from 16 smaller ones or more (1e20 for "missing"; outliers,
 *              up to a quarter of all) do not count here, and the largest 1024th part of the others
 *              counts for no more than the rest. So the mean square error is no larger than that of
 *              MPI's sums, and the largest at most 1.5 times theirs, where sums of floats err as
 *              those of random digits do.
 * MPI's sums can be more accurate where floats happen to be exact, and at places whose
 * contributions are all small beside what is typical of the array, as report.eb is the same for all
 * places: docs/collectives.md has a list.
 * A sum of two arrays is rounded correctly, as MPI's: it compresses where all values have exponents
 * close to each other, and is sent as it is elsewhere. Shapes of planes are ignored: flat arrays
 * compress better here. */
#define GHZ_MPI_FLOAT GHZ_OF_FLOAT

/* What a call did on this rank. Times are seconds of this process. */
typedef struct ghz_mpi_report {
  ghz_mpi_algorithm algorithm; /* that was used; GHZ_MPI_NATIVE: MPI's, uncompressed */
  /* Bytes that this rank would have sent by the same algorithm without compression, bytes that it
   * sent, and in how many messages. All are 0 for GHZ_MPI_NATIVE. */
  uint64_t raw_bytes, sent_bytes, messages;
  double seconds; /* the whole call */
  double agree;   /* agreement with the other ranks, range of the values, plan */
  /* Of the processor, for compression; addition, minimum or maximum; decompression: of one thread,
   * on average. Of a GPU, the time in which this rank had nothing to do but wait for it. */
  double compress, combine, decompress;
  double cpu;   /* of the processor, of all threads: these three, and what agreement computes; not what waits */
  int threads;  /* that did this; 0: the call did not compress */
  double wait;  /* for messages, with nothing else to do */
  double eb;    /* error bound of each contribution; 0 if the call did not compress */
  double bound; /* error bound of the result; 0 if the call did not compress; +Inf if inexact */
  int inexact;  /* 1: a sum met values beyond the lattice, see "same bits" above */
  int dims;     /* of the array that was compressed; 1: flat; 0: the call did not compress */
  /* What the bound took from this rank's values, for ghz_loss_text (ghz.h). All zeros where nothing
   * was looked at: uncompressed calls, device memory, GHZ_MPI_FLOAT. */
  ghz_loss loss;
  /* That the choice went by: options.link, or what was found for GHZ_MPI_LINK_AUTO; 0: none, or MPI
   * made the call without the ranks asking each other. */
  double link;
  /* The result on this rank beside `bound`: of `seen` values, finite and not missing, the least,
   * the largest, the root mean square, and the share that is smaller than the bound. A sample,
   * 32768 values of a call at most, unless it was checked. 0 seen: uncompressed, nothing here, or
   * device memory. */
  uint64_t seen;
  double min, max, rms, below;
  /* Of a checked call (options.check): seconds that MPI's took, 0 where there was none, which are
   * no part of `seconds`; and the largest and root mean square difference from its result, of
   * values that are finite and not missing in both. */
  double by_mpi, error, error_rms;
} ghz_mpi_report;

/* Initialise with GHZ_MPI_OPTIONS, then set fields. All but report, threads and contributions must
 * match on all ranks. */
typedef struct ghz_mpi_options {
  size_t size; /* sizeof(ghz_mpi_options): tells later versions which fields there are */

  /* GHZ_REL and GHZ_PSNR refer to the range of the values of all ranks. Value 0 means
   * GHZ_MPI_BOUND; without that variable nothing is compressed. GHZ_MPI_FLOAT: see there. */
  ghz_bound bound;

  /* Of the array that the call counts: ghz_shape_make makes it of extents. Smooth arrays of two or
   * three dimensions compress better with their shape. In reduce_scatter, allgather, scatter and
   * gather it is that of a rank's block. It must have `count` values. All zeros mean
   * GHZ_MPI_EXTENTS, or flat. */
  ghz_shape shape;

  int of_result; /* 1: the bound is that of the result; a sum of N arrays uses bound / N for each */
  int average;   /* 1, with MPI_SUM: divide the sum by the number of contributions */

  ghz_mpi_algorithm algorithm; /* AUTO: that of GHZ_MPI_ALGORITHM */
  ghz_mpi_mode mode;           /* AUTO: that of GHZ_MPI_MODE */

  /* Bytes of the larger buffer, see "Calls that MPI makes". 0: messages of any size, one value too,
   * have the same bits. -1 means GHZ_MPI_THRESHOLD, or 256 KiB. */
  int64_t threshold;

  /* Reductions: number of arrays that this rank gives. They follow each other in sendbuf, and each
   * has the size that the call reduces. 0 (sums only): none, and sendbuf is ignored. If a rank
   * gives another number than 1, all ranks need mode GHZ_MPI_HOMOMORPHIC, and none can use
   * MPI_IN_PLACE. All ranks together can give as many as ghz_terms_limit has: 2^23 - 1 arrays of
   * float, 2^14 - 1 of double. */
  int contributions;

  /* That compress, add and decompress; the calling one is one of them. 0: GHZ_MPI_THREADS, or the
   * cores that a rank of its node has, 16 at most. None waits on a core between calls. */
  int threads;

  /* 1: ghz_bcast does not write the root's buffer, which then differs from the others by up to
   * eb. */
  int keep_root;

  /* 1: values equal to `fill` stand for "missing", as in ghz_lattice_set_fill: -999, 1e20. They are
   * kept exactly, outside range and bound, and what is added to them or compared with them becomes
   * missing; NaN comes back as the fill, too. The library rounds the fill to the type. Reductions
   * with a fill never go to MPI, which would add the fills up, whatever their size: without a bound
   * of ours they are errors. 0 means GHZ_MPI_FILL, or none. */
  int has_fill;
  double fill;

  ghz_mpi_report *report; /* receives the report of a call that succeeds; may be NULL */

  /* Bits per second of a node's link to others, in mode AUTO: then data are compressed with their
   * shape, flat, or not at all, as the speeds of the codec (constants for the instruction sets,
   * shared by the ranks of a core; the slowest rank's count) and the bytes that calls of the kind
   * sent before make it fastest; never the clock. The choices differ in bits. GHZ_MPI_LINK_AUTO:
   * what the systems of the nodes say of their InfiniBand ports or network interfaces, the least,
   * which report.link has; where they say nothing, none. GHZ_MPI_LINK_UNKNOWN means GHZ_MPI_LINK;
   * without that data are compressed, with the shape that they have. */
  double link;

  /* N: of the compressed calls of a kind (above) on a communicator every Nth, from the second on,
   * is made by MPI as well, for the report to compare; 1: all are. That takes MPI's time, and
   * memory for another result. Not checked: calls with device buffers, reductions of fill values,
   * numbers of contributions other than 1, counts that MPI's int does not take, calls of which no
   * rank has a report, and calls for which a rank lacks the memory. 0 means GHZ_MPI_CHECK, or
   * none. */
  int check;
} ghz_mpi_options;

#define GHZ_MPI_LINK_UNKNOWN (-1.0)
#define GHZ_MPI_LINK_AUTO (-2.0)

/* The environment decides, else the library. */
#define GHZ_MPI_OPTIONS                                                                                        \
  {                                                                                                            \
    sizeof(ghz_mpi_options), {GHZ_ABS, 0}, {0, {0, 0, 0}}, 0, 0, GHZ_MPI_ALGORITHM_AUTO, GHZ_MPI_MODE_AUTO,    \
        -1, 1, 0, 0, 0, 0, NULL, GHZ_MPI_LINK_UNKNOWN, 0                                                       \
  }

/* ---- The calls ------------------------------------------------------------------------------- */
/* options: NULL means GHZ_MPI_OPTIONS.
 * Returns MPI_SUCCESS or, if the error handler returns, an error code. ghz_mpi_error_class gives
 * its class:
 *   MPI_ERR_COMM    comm is MPI_COMM_NULL, or an intercommunicator
 *   MPI_ERR_COUNT   count is negative, too large for memory, or too large for the MPI call that has
 *                   to be made
 *   MPI_ERR_TYPE    type is MPI_DATATYPE_NULL
 *   MPI_ERR_ROOT    root is no rank of comm
 *   MPI_ERR_BUFFER  a buffer is NULL, sendbuf is recvbuf, or MPI_IN_PLACE stands where the call
 *                   does not take it
 *   MPI_ERR_ARG     the options are wrong, the shape has another number of values than the call, a
 *                   displacement is negative or too large, or the ranks disagree
 *   MPI_ERR_NO_MEM  a rank has no memory
 *   MPI_ERR_OTHER   a message was damaged, or a GPU failed
 * Errors of MPI keep their codes. In what follows `ranks` is the size of comm. */

/* Reduces: recvbuf[i] on every rank = op over all contributions' element i, 0 <= i < count.
 * sendbuf: count values, or options->contributions times as many; MPI_IN_PLACE on all ranks: the
 * contribution is in recvbuf. recvbuf: count values. */
GHZ_API int ghz_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, const ghz_mpi_options *options);

/* The same, with the result on rank `root` only. Other ranks ignore recvbuf. Only the root may pass
 * MPI_IN_PLACE. */
GHZ_API int ghz_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                       int root, MPI_Comm comm, const ghz_mpi_options *options);

/* Reduces arrays of ranks * recvcount values, of which rank r receives block r, as
 * MPI_Reduce_scatter_block does.
 * sendbuf: ranks * recvcount values, or options->contributions times as many. recvbuf: recvcount
 * values. MPI_IN_PLACE on all ranks: recvbuf has ranks * recvcount values, the contribution; the
 * result replaces the first recvcount of them, and the others keep their values (unless MPI makes
 * the call: MPICH overwrites them). */
GHZ_API int ghz_reduce_scatter(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm, const ghz_mpi_options *options);

/* Gathers on all ranks: block r of recvbuf on every rank = sendbuf of rank r. Rank r itself
 * receives its values as the others do, compressed and decompressed.
 * sendbuf: count values; MPI_IN_PLACE on all ranks: they are in block r of recvbuf.
 * recvbuf: ranks * count values. One count and one type serve both buffers. */
GHZ_API int ghz_allgather(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                          const ghz_mpi_options *options);

/* The same two with blocks of any sizes, as MPI_Reduce_scatter and MPI_Allgatherv: block r has
 * recvcounts[r] values, and all ranks give the same recvcounts. In sendbuf (in place: in recvbuf)
 * of a reduction the blocks follow each other. In recvbuf of a gather block r begins at value
 * displs[r], which may differ between ranks; NULL: behind the one before. Blocks must not overlap;
 * what lies between them stays as it is. Equal blocks can have a shape, others are flat. */
GHZ_API int ghz_reduce_scatterv(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                                MPI_Datatype type, MPI_Op op, MPI_Comm comm, const ghz_mpi_options *options);
GHZ_API int ghz_allgatherv(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                           const MPI_Count displs[], MPI_Datatype type, MPI_Comm comm,
                           const ghz_mpi_options *options);

/* Broadcasts: buffer on every rank = buffer of the root, count values. The root's own buffer is
 * overwritten with the decompressed values, so that all ranks hold the same bits, unless
 * options->keep_root is set. */
GHZ_API int ghz_bcast(void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
                      const ghz_mpi_options *options);

/* Scatters: recvbuf on rank r = block r of the root's sendbuf.
 * sendbuf: ranks * count values at the root; other ranks ignore it.
 * recvbuf: count values; MPI_IN_PLACE at the root: its block stays in sendbuf, unchanged. */
GHZ_API int ghz_scatter(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, int root,
                        MPI_Comm comm, const ghz_mpi_options *options);

/* Gathers at the root: block r of the root's recvbuf = sendbuf of rank r.
 * sendbuf: count values; MPI_IN_PLACE at the root: its values are in its block of recvbuf, and stay
 * unchanged.
 * recvbuf: ranks * count values at the root; other ranks ignore it. */
GHZ_API int ghz_gather(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, int root,
                       MPI_Comm comm, const ghz_mpi_options *options);

/* ---- Errors, names, texts -------------------------------------------------------------------- */
/* These five are thread-safe; ghz_mpi_error_class as far as MPI is. */

/* Returns the class of an error code that a call returned, as MPI_Error_class does with Open MPI;
 * MPICH does not let libraries add codes to its own classes. */
GHZ_API int ghz_mpi_error_class(int code);

/* Return the names that the environment uses, such as "ring" and "homomorphic", or "?". The strings
 * are static. */
GHZ_API const char *ghz_mpi_algorithm_name(ghz_mpi_algorithm algorithm);
GHZ_API const char *ghz_mpi_mode_name(ghz_mpi_mode mode);

/* Reads a bound as GHZ_MPI_BOUND has it. Returns 1, sets *bound, and sets *of_result to 1 if the
 * text begins with "result:". Returns 0 and changes nothing if the text is no bound. of_result may
 * be NULL. */
GHZ_API int ghz_mpi_parse_bound(const char *text, ghz_bound *bound, int *of_result);

/* Reads extents, the slowest first, as in 256x256x256. Returns 1, and sets *shape as ghz_shape_make
 * does. Returns 0 and changes nothing if the text is something else, or the product overflows. */
GHZ_API int ghz_mpi_parse_extents(const char *text, ghz_shape *shape);

GHZ_C_END
#endif /* GHZ_MPI_H */
