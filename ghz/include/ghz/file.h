/* file.h: files of compressed arrays, .ghz: read, in whole or in part, written, appended to, added.
 *
 *   #include <ghz/file.h>
 *
 *   ghz_file *file;
 *   if (ghz_file_open("density.ghz", &file) == GHZ_OK) {
 *     const ghz_file_header *h = &ghz_file_get_info(file)->header;
 *     if (h->array.ndim == 3 && h->lattice.type == GHZ_F32)
 *       status = ghz_file_read_box(file, NULL, GHZ_F32, (uint64_t[]){0, 20, 0},
 *                                  (uint64_t[]){8, 40, 64}, x);
 *     ghz_file_close(file);
 *   }
 *
 * A file is an array in frames, each of which is a stream of libghz, with checksums, and an index
 * at its end: to open a file takes one read, a range of a frame two more. FILE_FORMAT.md, which is
 * installed with the documentation, specifies its bytes.
 *
 * Terms
 *   frame         a piece of the array that is contiguous in memory, compressed by itself
 *   packed        a frame whose stream is compressed once more, without loss
 *   seekable      said of a source that can be read at any position: a file, not a pipe
 *   page          128 tiles of a stream or, in a packed frame, 1024; or its end: packed, read and
 *                 checked by itself
 *
 * Conventions
 *   Errors        As in ghz.h; and whatever context a call was given, ghz_context_message(NULL) has
 *                 a sentence: the name of the file, what is wrong, and where. One that opens, reads
 *                 or writes a file may return EIO: the system refused; ECORRUPT, EVERSION: the file
 *                 is no .ghz file, truncated, damaged, or of another version; EUNSUPPORTED: this
 *                 build of libghz has no xxHash, without which nothing is opened or created, or no
 *                 zstd, and a page was packed by it: at level 1, and some at level 2.
 *   Untrusted     Any bytes may be given as a file. Memory is allocated for bytes that are there,
 *                 for the values of a frame, 512 MiB at most, and for what a packed frame says that
 *                 it unpacks to, at most the largest stream of its shape (SECURITY.md).
 *   Threads       A file or a writer serves one call at a time. Different ones are independent, but
 *                 one writer alone appends to a file at a time: see ghz_file_append.
 *   Order         Values are counted in the order of the memory, from 0.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GHZ_FILE_H
#define GHZ_FILE_H

#include <ghz/ghz.h>

GHZ_C_BEGIN

/* ---- What a file holds ----------------------------------------------------------------------- */

#define GHZ_FILE_NDIM 32            /* dimensions of an array, at most */
#define GHZ_FILE_PACK 2             /* the level to pack at: 1 is several times as fast, and packs less */
#define GHZ_FILE_UNKNOWN UINT64_MAX /* a number of values that only the end of a pipe tells */

/* The dimensions of an array as NumPy has them: dims[0] is the slowest, unless `fortran`. */
typedef struct ghz_array {
  unsigned ndim; /* 0: not known, or with npy a scalar */
  int fortran;   /* 1: dims[0] is the fastest */
  int npy;       /* 1: the values came from an .npy file, and go back to one */
  uint64_t dims[GHZ_FILE_NDIM];
} ghz_array;

typedef struct ghz_file_header {
  ghz_array array;
  ghz_lattice lattice;   /* of all streams */
  uint64_t count;        /* values; GHZ_FILE_UNKNOWN where a pipe has not said it yet */
  ghz_shape shape;       /* of the array as the streams see it: extents joined to z, y, x; dims 1: flat */
  uint64_t frame_values; /* of a frame that the end of the array does not cut short */
} ghz_file_header;

typedef struct ghz_file_info {
  ghz_file_header header;
  int version; /* of the file format: 4 */
  int indexed; /* 1: seekable, with an index: what follows is known; else 0 */
  uint64_t frames;
  uint64_t packed;        /* of these */
  uint64_t bytes;         /* of the file */
  uint32_t terms;         /* the most that a frame has */
  int inexact, transform; /* 1: of a frame at least */
  double bound;           /* guaranteed |y - exact|, as in ghz_info */
  uint64_t unused;        /* of `bytes`: indexes before the last, and what is unfinished */
  uint64_t unfinished;    /* of `bytes`: behind the end, where something is being appended, or was */
} ghz_file_info;

/* Returns the product of the dimensions, 1 without any; GHZ_FILE_UNKNOWN if it is 2^60 or more. */
GHZ_API uint64_t ghz_array_count(const ghz_array *array);

/* Chooses how header->count values of header->lattice.type, of header->array, are cut into frames:
 * sets header->shape and header->frame_values.
 * flat: 1 leaves the dimensions unused. Unknown counts are flat, too.
 * values: about how many a frame has; 0: 64 MiB of them.
 * Errors: EINVAL (the count is not that of the dimensions, or 2^60 or more; values over 2^26). */
GHZ_API_CHECKED ghz_status ghz_file_choose_frames(ghz_file_header *header, int flat, uint64_t values);

/* Returns the shape of the frame that begins with value `first`, if none before was cut short; of a
 * whole frame if `first` is GHZ_FILE_UNKNOWN. */
GHZ_API ghz_shape ghz_file_frame_shape(const ghz_file_header *header, uint64_t first);

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct ghz_file ghz_file;

/* Where bytes come from. Calls are given `user`, and return NULL, or why they fail: text that lives
 * until the next call. */
typedef struct ghz_file_source {
  void *user;
  const char *name; /* for messages, and copied; NULL: they have no name */
  /* Reads `size` bytes that follow those read last; fewer only at the end, and sets *got. */
  const char *(*read)(void *user, void *to, size_t size, size_t *got);
  /* Reads at an offset, likewise; NULL: not seekable. Then `read` may be NULL. */
  const char *(*read_at)(void *user, uint64_t offset, void *to, size_t size, size_t *got);
  uint64_t size;             /* with read_at: of all bytes */
  void (*close)(void *user); /* at ghz_file_close; NULL: nothing is to be done */
} ghz_file_source;

/* Opens a file, and checks its header and index.
 * path: a regular file, or a pipe; the name is copied. Errors: EINVAL (NULL, a directory). */
GHZ_API_CHECKED ghz_status ghz_file_open(const char *path, ghz_file **file);

/* Opens bytes that the calls of `source` give. After an error source->close was not called. */
GHZ_API_CHECKED ghz_status ghz_file_open_source(const ghz_file_source *source, ghz_file **file);

/* Closes a file. Ignores NULL. */
GHZ_API void ghz_file_close(ghz_file *file);

/* Returns what the file holds, as far as it is known by now. Valid until the file is closed. */
GHZ_API const ghz_file_info *ghz_file_get_info(const ghz_file *file);

/* A frame in memory, of one file after another. Begin with {0}; free with ghz_frame_free. */
typedef struct ghz_frame {
  ghz_bytes stream; /* size 0: there is no further frame */
  ghz_info info;    /* of the stream */
  uint64_t number;  /* of the frame, from 0 */
  uint64_t first;   /* its first value */
  int packed;       /* the file has it packed */
  void *memory;     /* the library's */
  size_t capacity;
} ghz_frame;

GHZ_API void ghz_frame_free(ghz_frame *frame);

/* Reads and checks the next frame; unpacks it with the threads of ctx. After the last one it checks
 * the end and the index, and sets frame->stream.size to 0. Tiles are checked when they are used. */
GHZ_API_CHECKED ghz_status ghz_file_next(ghz_file *file, ghz_context *ctx, ghz_frame *frame);

/* Decompresses values first .. first + count - 1 of the array to values[0..count).
 * out: as in ghz_decompress.
 * Of an indexed file only the pages are read, and checked, that hold the values, those in a row in
 * one read. Other files are read frame by frame; without read_at only forward.
 * Errors: EINVAL (not inside the array, out too narrow, cannot seek back). */
GHZ_API_CHECKED ghz_status ghz_file_read(ghz_file *file, ghz_context *ctx, ghz_type out, uint64_t first,
                                         size_t count, void *values);

/* As ghz_file_read, of a box: from[i] up to, not including, to[i] along each dimension i of
 * header.array. The values come without gaps, in the order of the file: with `fortran` the first
 * dimension is the fastest. Errors: EINVAL also if the array has no dimensions. */
GHZ_API_CHECKED ghz_status ghz_file_read_box(ghz_file *file, ghz_context *ctx, ghz_type out,
                                             const uint64_t *from, const uint64_t *to, void *values);

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct ghz_file_writer ghz_file_writer;

/* Where bytes go. Calls return NULL, or why they fail. */
typedef struct ghz_file_sink {
  void *user;
  const char *name; /* for messages, and copied; NULL: they have no name */
  const char *(*write)(void *user, const void *data, size_t size);
} ghz_file_sink;

/* Begins a file. The header says what will be written: array, count, lattice, shape, frame_values
 * (ghz_file_choose_frames). With lattice.eb 0, of integers also step 0, the lattice is that of the
 * first stream. A path, or the end of its symbolic links, gets its file in ghz_file_finish or
 * ghz_file_flush: until then it has no name, and is gone if the process is; where the system has no
 * such files, an unfinished one is beside it, .ghz-xxxxxx. An existing file is replaced only after
 * the new one has been synced to disk, and until then nobody can begin to append to it. A relative
 * path needs the same working directory until then.
 * Errors: EINVAL (a header that no reader would take), EIO (an existing file is write-protected),
 * EBUSY (it is being appended to; also of the call that gives the new one its name). */
GHZ_API_CHECKED ghz_status ghz_file_create(const char *path, const ghz_file_header *header,
                                           ghz_file_writer **writer);
GHZ_API_CHECKED ghz_status ghz_file_create_sink(const ghz_file_sink *sink, const ghz_file_header *header,
                                                ghz_file_writer **writer);

/* Begins to append to a file, in its place: its slowest dimension grows by `more` (its values,
 * where it has no dimensions), and what is new is written next, behind what is there, of which no
 * byte changes. The last frame is not filled up. Until ghz_file_finish or ghz_file_flush the file
 * reads as before, also if the process or the system dies; files that are open read as before in
 * any case. What an append has left that was not finished is cut off.
 * One writer at a time: the file is locked (flock) until the writer is freed, against other
 * processes, other threads, and other writers of the same thread. The lock holds between the
 * clients of an NFS server; a file system without locks (Lustre, mounted without flock) keeps no
 * two apart. A file that is replaced, moved or removed meanwhile, by a program that takes no lock,
 * is missed: ghz_file_flush and ghz_file_finish are EIO then.
 * Errors: as ghz_file_open and ghz_file_create; EBUSY (another writer appends to it, or is about to
 * replace it); EINVAL also if the file has no index, or if the streams of a longer array would have
 * other extents along x, or y. */
GHZ_API_CHECKED ghz_status ghz_file_append(const char *path, uint64_t more, ghz_file_writer **writer);

/* Sets the order of compression, as in ghz_compress_shape; GHZ_ORDER_BEST without this call. */
GHZ_API_CHECKED ghz_status ghz_file_set_order(ghz_file_writer *writer, int order);

/* Sets the level at which the frames that follow are packed: 1, by zstd; 2, smaller, by a coder of
 * the library's own; 0: not at all, as without this call. Errors: EINVAL, EUNSUPPORTED (1, in a
 * build without zstd). A frame that it makes smaller by less than a 128th is not packed. */
GHZ_API_CHECKED ghz_status ghz_file_set_pack(ghz_file_writer *writer, int level);

/* Compresses the next values of the array, of the lattice's type, any number, and writes each frame
 * that is full. Errors: EINVAL (more values than the header says; no lattice). */
GHZ_API_CHECKED ghz_status ghz_file_write(ghz_file_writer *writer, ghz_context *ctx, const void *values,
                                          size_t count);

/* Writes a stream as the next frame, which has the shape that ghz_file_frame_shape says, or fewer
 * planes, lines or values of it. Errors: EINVAL (another shape, too many values, or values wait for
 * a frame), EMISMATCH (another lattice). */
GHZ_API_CHECKED ghz_status ghz_file_write_stream(ghz_file_writer *writer, ghz_context *ctx, ghz_bytes stream);

/* Makes what was written readable by others: the file has its name from now on, and the array ends
 * where the values do, which must be whole steps along the slowest dimension. Values that wait for
 * the rest of their frame become a shorter one. What is written next is appended, with the lock and
 * the promises of ghz_file_append. Does nothing where nothing is new.
 * Errors: EINVAL (a step is not complete, the number of values is not known, no path), EBUSY;
 * EINVAL also as in ghz_file_append, if the array so far would be cut into other bricks. */
GHZ_API_CHECKED ghz_status ghz_file_flush(ghz_file_writer *writer, ghz_context *ctx);

/* Writes what is left, the end and the index, gives the file its name, and frees the writer, also
 * after an error; then what has the name is as before, or as at the last ghz_file_flush. What was
 * appended is on the disk then, in the file of that name. EINVAL (too few values), EBUSY. */
GHZ_API_CHECKED ghz_status ghz_file_finish(ghz_file_writer *writer, ghz_context *ctx);

/* Removes what was written since the last ghz_file_flush, and frees the writer. Ignores NULL. */
GHZ_API void ghz_file_abandon(ghz_file_writer *writer);

/* ---- Sums of files --------------------------------------------------------------------------- */

/* The sum of coefficients[i] times file i, times factor or by divisor; or the extremes. */
typedef struct ghz_file_operation {
  const int64_t *coefficients; /* NULL: 1 each */
  double factor;               /* 1: nothing is multiplied */
  uint64_t divisor;            /* 0: nothing is divided; k: a mean, on the lattice of ghz_mean */
  int extremum;                /* 0; -1: the smallest value of all files, 1: the largest; no coefficients */
} ghz_file_operation;

/* Reads the next frame of each of k >= 1 files, and combines them without decompressing, 16 at a
 * time: in memory are 16 streams, or fewer if they are large. From the first 16 on in which values
 * lie outside the lattice, the streams of all files that follow are in memory until the end of the
 * frame, as their sum is rounded once; sums of those before are one operand of it, so that it has
 * the bytes of ghz_sum or ghz_mean if the first 16 hold such values, or none does. After the last
 * frame of all files result->stream.size is 0.
 * With coefficients, lattices may be multiples of each other, as ghz_linear has it.
 * Errors: as ghz_file_next and ghz_linear; EMISMATCH (the files differ in type, dimensions,
 * lattice or frames, also where one of two alike was appended to: the message says which). */
GHZ_API_CHECKED ghz_status ghz_file_next_sum(ghz_context *ctx, size_t k, ghz_file *const *files,
                                             const ghz_file_operation *operation, ghz_frame *result);

/* Combines all frames in this way, and writes each. A header for the writer is that of a file, with
 * lattice.eb 0, of integers also step 0. The writer is the caller's to finish. Errors: as
 * ghz_file_next_sum and ghz_file_write_stream. */
GHZ_API_CHECKED ghz_status ghz_file_sum(ghz_context *ctx, size_t k, ghz_file *const *files,
                                        const ghz_file_operation *operation, ghz_file_writer *writer);

/* ---- Packed streams -------------------------------------------------------------------------- */
/* A stream in memory packed as that of a packed frame is: without loss, page by page. For who
 * stores streams elsewhere than in .ghz files. FILE_FORMAT.md, "Packed stream". */

/* Returns the most bytes that a stream of `size` bytes takes packed; 0 if that overflows. */
GHZ_API size_t ghz_packed_bound(size_t size);

/* Packs a stream, with the threads of ctx, to dst, and sets *size.
 * level: 1 or 2, as in ghz_file_set_pack; GHZ_FILE_PACK is a good one.
 * capacity: at least ghz_packed_bound(stream.size). */
GHZ_API_CHECKED ghz_status ghz_pack_stream(ghz_context *ctx, ghz_bytes stream, int level, void *dst,
                                           size_t capacity, size_t *size);

/* Returns whether bytes begin as a packed stream does, and as no stream does. */
GHZ_API int ghz_is_packed(ghz_bytes bytes);

/* Unpacks a stream, with the threads of ctx, to memory of *size bytes. What a stream is remains to
 * be checked, as of any other bytes.
 * most: the most bytes that the stream may have; more are ECORRUPT before memory is taken. Of an
 * array whose shape is known it is ghz_shape_bound(shape, type, ghz_terms_limit(35)). */
GHZ_API_CHECKED ghz_status ghz_unpack_stream(ghz_context *ctx, ghz_bytes packed, size_t most, void **stream,
                                             size_t *size);

GHZ_C_END
#endif /* GHZ_FILE_H */
