// target.cuh: where the tiles of a result go. Blocks write groups of tiles. A group finds its place
// by decoupled look-back over the groups before it (Merrill and Garland, "Single-pass parallel
// prefix scan with decoupled look-back", 2016). The block that ends last writes the header and the
// outcome.
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GHZ_TARGET_CUH
#define GHZ_TARGET_CUH

#include <ghz/cuda.h>

#include "cuda/primitives/warp.cuh"

// The smallest group of tiles that a block writes at a time. Look-back needs a word for each group.
enum { GROUP_LEAST = 4 };

// What the blocks of one call share in global memory: all zero when the kernel starts.
struct progress {
  unsigned next;     // group that starts next: blocks take numbers, as they may start in any order
  unsigned finished; // blocks that ended
  unsigned flags;    // of the result, beside those of its operands
  u64 fault;         // the complement of the gravest fault; see note_fault
  u64 total;         // bytes of all tiles
  u64 moved;         // of an accumulator's payload: pieces that were taken to be moved
  uint32_t terms;    // of an accumulator's sum, until its header is written
  u64 groups[1];     // of each group: what look-back needs

  static size_t size(uint64_t tiles) {
    return sizeof(progress) + (size_t)(tiles / GROUP_LEAST + (tiles % GROUP_LEAST != 0)) * sizeof(u64);
  }
};

// The result: a stream or a message.
struct tile_target {
  uint8_t *header; // where the stream or message begins, a multiple of 16
  uint64_t *ends;  // of chunks; NULL in a message
  uint16_t *sizes;
  uint8_t *payload;
  uint64_t room;             // bytes for the payload
  uint64_t header_and_index; // their bytes
  ghz_shape shape;
  uint64_t first, tiles;
  // 1: tiles are written from the last to the first, and the payload ends where the room ends. The
  // end of a chunk is then the distance from there to its end, and no header is written.
  int backwards;
  progress *shared;
  ghz_cuda_outcome *outcome;
};

// ---- Faults -------------------------------------------------------------------------------------

enum fault_kind { FAULT_HEADER = 0, FAULT_TILE = 1, FAULT_ROOM = 2 };

// Keeps the gravest fault. They are ordered by kind, then tile: which one is reported does not
// depend on the order of blocks.
DEVICE void note_fault(progress *p, fault_kind kind, uint64_t tile, unsigned operand, int status) {
  u64 key =
      (u64)kind << 62 | (u64)(tile & 0x3fffffffffffULL) << 16 | (u64)(operand & 255) << 8 | (u64)(-status);
  atomicMax(&p->fault, ~key);
}

DEVICE void outcome_of_fault(u64 fault, ghz_cuda_outcome *o) {
  o->status = GHZ_OK;
  o->operand = ~0u;
  o->tile = ~UINT64_C(0);
  if (!fault)
    return;
  u64 key = ~fault;
  unsigned operand = (unsigned)(key >> 8 & 255);
  o->status = -(int)(key & 255);
  o->operand = operand == 255 ? ~0u : operand;
  if (key >> 62 == FAULT_TILE)
    o->tile = key >> 16 & 0x3fffffffffffULL;
}

// ---- Look-back ----------------------------------------------------------------------------------

constexpr u64 SUM_OF_GROUP = (u64)1 << 62, SUM_OF_ALL = (u64)2 << 62, FLAGS = (u64)3 << 62;

// Groups that a warp looks at in one step, by loads that do not wait for each other: about as many
// as run at once on a large device.
enum { LOOKED_AT = 128 };

// Words of groups base - 1 down to base - LOOKED_AT: lane l has that of group base - 1 - l, then
// every 32nd. What lies before the first group counts as a sum of all.
struct words_before {
  u64 word[LOOKED_AT / 32];

  METHOD static u64 look(const u64 *words, uint64_t base, int distance) {
    return (uint64_t)distance < base ? watch(words + (base - 1 - (uint64_t)distance)) : SUM_OF_ALL;
  }
  METHOD void look_at_all(const u64 *words, uint64_t base, int lane) {
    UNROLLED for (int k = 0; k < LOOKED_AT / 32; k++) word[k] = look(words, base, 32 * k + lane);
  }
  // Adds the lane's sums up to the nearest sum of all to *sum; returns false if there is none.
  // Waits for groups that have not told theirs, but for none behind that sum.
  METHOD bool add_up(const u64 *words, uint64_t base, u64 &sum, int lane) {
    bool found = false;
    UNROLLED for (int k = 0; k < LOOKED_AT / 32; k++) {
      if (found)
        continue;
      while (__any_sync(ALL, (word[k] & FLAGS) == 0))
        word[k] = look(words, base, 32 * k + lane);
      const uint32_t whole = __ballot_sync(ALL, (word[k] & SUM_OF_ALL) != 0);
      const int stop = whole ? __ffs((int)whole) - 1 : 31;
      sum += lane <= stop ? word[k] & ~FLAGS : 0;
      found = whole != 0;
    }
    return found;
  }
};

// Publishes `sum`, the bytes of group g, and returns the sum over the groups before it. By a whole
// warp. A 64-bit word holds flag and sum together, so that no fence is needed between them.
DEVICE u64 look_back(u64 *words, uint64_t g, u64 sum, bool in_place, int lane) {
  if (lane == 0)
    tell(words + g, (g ? SUM_OF_GROUP : SUM_OF_ALL) | sum);
  if (g == 0)
    return 0;
  u64 before = 0;
  words_before seen;
  for (uint64_t base = g;; base -= LOOKED_AT) {
    seen.look_at_all(words, base, lane);
    if (seen.add_up(words, base, before, lane))
      break;
  }
  UNROLLED for (int d = 16; d; d /= 2) before += __shfl_xor_sync(ALL, before, d);
  if (in_place) {    // who hears of this hears of the groups before, too, and of what they have read
    __threadfence(); // what each lane has seen comes before the barrier
    __syncwarp();
    if (lane == 0)
      __threadfence(); // and what all have seen before what lane 0 tells
  }
  if (lane == 0)
    tell(words + g, SUM_OF_ALL | (before + sum));
  return before;
}

// ---- Groups -------------------------------------------------------------------------------------

// A group of tiles, as the warps of a block share it.
template <int TILES> struct group_state {
  uint32_t size[TILES], before[TILES]; // bytes of each tile, and of the group's tiles before it
  uint64_t number;                     // in the order of starting
  uint64_t index;                      // from the first tile of the result
  uint8_t *place;                      // of its first tile
  int fits;
};

template <int TILES> DEVICE uint64_t groups_of(const tile_target &target) {
  static_assert(TILES >= GROUP_LEAST && TILES_PER_CHUNK % TILES == 0,
                "look-back has words for larger groups only");
  return target.tiles / TILES + (target.tiles % TILES != 0);
}

// The groups that a block works on. They come from a counter, since blocks may start in any order.
// A block asks for its next group while it works on one.
struct group_queue {
  unsigned next = 0; // in thread 0

  METHOD void ask(progress *shared) {
    if (threadIdx.x == 0)
      next = atomicAdd(&shared->next, 1u);
  }
  // Makes the next group the block's. Returns false where there is none.
  template <int TILES> METHOD bool take(group_state<TILES> &s, const tile_target &target) {
    const uint64_t groups = groups_of<TILES>(target);
    __syncthreads(); // all have done with the one before
    if (threadIdx.x == 0) {
      s.number = next;
      s.index = target.backwards ? groups - 1 - next : next;
    }
    __syncthreads();
    return s.number < groups;
  }
};

// Publishes the sizes of a group's tiles and finds its place. By a whole warp. In an accumulator
// later groups may then overwrite what this one has read. `unread`: bytes at the beginning of the
// room that neither this group nor one before has read.
template <int TILES>
DEVICE void place_group(group_state<TILES> &s, const tile_target &target, uint64_t unread, int lane) {
  const uint64_t groups = groups_of<TILES>(target), tile = s.index * TILES + (uint64_t)lane;
  const uint32_t size = lane < TILES ? s.size[lane] : 0, before_tile = sum_before(size, lane);
  const uint32_t sum = __reduce_add_sync(ALL, size);
  const u64 before = look_back(target.shared->groups, s.number, sum, target.backwards != 0, lane),
            after = before + sum;
  if (lane < TILES) {
    s.before[lane] = before_tile;
    if (tile < target.tiles)
      target.sizes[tile] = (uint16_t)size;
  }
  if (lane)
    return;
  s.fits = after <= target.room && (!target.backwards || target.room - after >= unread);
  s.place = target.payload + (!s.fits ? 0 : target.backwards ? target.room - after : before);
  if (!s.fits)
    note_fault(target.shared, FAULT_ROOM, 0, 255, GHZ_ECAPACITY);
  if (target.ends && s.index && s.index % (TILES_PER_CHUNK / TILES) == 0) // the chunk before ends here
    target.ends[s.index / (TILES_PER_CHUNK / TILES) - 1] = target.backwards ? after : before;
  if (s.number + 1 == groups)
    target.shared->total = after;
}

// ---- The end ------------------------------------------------------------------------------------

// The fields of the result's header that a kernel finds out.
struct result_header {
  ghz_lattice lattice;
  uint32_t terms, flags;
};

DEVICE void put_stream_header(const tile_target &target, const result_header &h, uint64_t payload) {
  uint64_t *header = reinterpret_cast<uint64_t *>(target.header);
  const uint64_t magic = target.ends ? STREAM_MAGIC : MESSAGE_MAGIC;
  const uint32_t flags = h.flags | (h.lattice.has_fill ? FLAG_FILL : 0);
  header[0] = magic | (uint64_t)h.lattice.type << 32 | (uint64_t)flags << 40 | (uint64_t)h.lattice.cap << 48 |
              (uint64_t)target.shape.dims << 56;
  UNROLLED for (int i = 0; i < 3; i++) header[1 + i] = target.shape.extent[i];
  header[4] = (uint64_t)__double_as_longlong(h.lattice.step);
  header[5] = (uint64_t)__double_as_longlong(h.lattice.eb);
  header[6] = h.terms;
  header[7] = payload;
  header[8] = h.lattice.has_fill ? (uint64_t)__double_as_longlong(h.lattice.fill) : 0;
  if (!target.ends) {
    header[9] = target.first;
    header[10] = target.tiles;
  }
}

// What a call that has ended says, of a result of so many bytes.
DEVICE void put_outcome(const progress *p, ghz_cuda_outcome *outcome, uint32_t terms, uint32_t flags,
                        uint64_t size) {
  ghz_cuda_outcome o;
  outcome_of_fault(__ldcg(&p->fault), &o);
  o.inexact = o.status == GHZ_OK && (flags & FLAG_INEXACT);
  o.terms = o.status == GHZ_OK ? terms : 0;
  o.size = o.status == GHZ_OK ? size : 0;
  *outcome = o;
  __threadfence_system();
}

// Ends a block. Returns true in one thread of the block that ends last.
DEVICE bool is_last_block(progress *p, uint64_t blocks) {
  __syncthreads();
  if (threadIdx.x)
    return false;
  __threadfence();
  return atomicAdd(&p->finished, 1u) + 1 == blocks;
}

// Ends a kernel that writes tiles. The thread for which is_last_block was true calls it.
DEVICE void finish_result(const tile_target &target, const result_header &h) {
  __threadfence();
  uint64_t payload = __ldcg(&target.shared->total);
  if (target.ends && target.tiles)
    target.ends[chunks_of(target.tiles) - 1] = payload;
  put_stream_header(target, h, payload);
  put_outcome(target.shared, target.outcome, h.terms, h.flags, target.header_and_index + payload);
}

#endif
