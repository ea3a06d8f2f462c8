"""stack.py: image stacking with mpi4py, on arrays of NumPy; knows nothing of libghz.

mpiexec -n R python3 stack.py EB      EB: what a value that was moved may be off by (0: nothing)
"""
# SPDX-License-Identifier: BSD-3-Clause
import sys

import numpy as np
from mpi4py import MPI

N = 100000
world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
bound = float(sys.argv[1])
worst = 0.0


def image(who, dtype=np.float32):
    return (np.sin(0.001 * np.arange(N) + who) * (1 + 0.1 * who)).astype(dtype)


def check(what, got, want, terms=1):
    global worst
    error = np.abs(got.astype(np.float64) - want).max()
    if not error <= terms * bound + 1e-6:
        print(f"stack.py: rank {rank}: {what}: off by {error}", file=sys.stderr)
        world.Abort(1)
    worst = max(worst, error / (terms * bound)) if bound else 0.0


stacked = sum(image(r).astype(np.float64) for r in range(ranks))
everyone = np.concatenate([image(r) for r in range(ranks)])

total = np.empty(N, np.float32)
world.Allreduce(image(rank), total)
check("Allreduce", total, stacked, ranks)
total = image(rank, np.float64)
world.Allreduce(MPI.IN_PLACE, total, MPI.SUM)
check("Allreduce in place", total, stacked, ranks)
total = image(2) if rank == 2 else np.empty(N, np.float32)
world.Bcast(total, root=2)
check("Bcast", total, image(2))
part = np.empty(N, np.float32)
world.Reduce_scatter_block(everyone, part, MPI.MIN)
check("Reduce_scatter_block", part, image(rank))

# Columns of a matrix, pickled objects, integers: what is not an array of floats arrives, too.
matrix = np.zeros((N, 2), np.float32)
if rank == 0:
    matrix[:, 1] = image(0)
column = MPI.FLOAT.Create_vector(N, 1, 2).Commit()
world.Bcast([matrix[:, 1:].base.reshape(-1)[1:], 1, column] if rank % 2 == 0 else [total, N, MPI.FLOAT], root=0)
check("Bcast of a column", matrix[:, 1] if rank % 2 == 0 else total, image(0))
column.Free()
assert world.bcast({"step": 7} if rank == 0 else None, root=0) == {"step": 7}
assert world.allreduce(rank) == ranks * (ranks - 1) // 2
if rank == 0:
    print(f"largest error {worst:.4f} bounds")
