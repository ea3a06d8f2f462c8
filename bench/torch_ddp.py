#!/usr/bin/env python3
# torch_ddp.py: trains with DistributedDataParallel on four ranks whose links are shaped, under
# several hooks, and prints the tables of docs/TRAINING.md.
# usage: bench/torch_ddp.py time|loss|outer|trial     as root; SEEDS=1 STEPS=20 do less
# SPDX-License-Identifier: BSD-3-Clause
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples"))

import ghz.torch
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel
from train_text import Text, train

RANKS = 4
HOOKS = ["none", "fp16", "int8", "PowerSGD 1", "ghz 0.25", "ghz 0.5", "ghz 1"]
RATES = {"50 Mbit/s": 50_000_000, "200 Mbit/s": 200_000_000, "1 Gbit/s": 1_000_000_000, "unshaped": 0}


class Digits:
    """scikit-learn's digits, by SGD with momentum: a network of 0.15 M weights, or a wide one of 1.1 M."""

    def __init__(self, wide=False):
        from sklearn.datasets import load_digits

        found, self.wide = load_digits(), wide
        order = torch.randperm(len(found.data), generator=torch.Generator().manual_seed(5))
        x = torch.tensor(found.data / 16, dtype=torch.float32).view(-1, 1, 8, 8)[order]
        y = torch.tensor(found.target)[order]
        self.data, self.held_out = (x[:1200], y[:1200]), (x[1200:], y[1200:])

    def model(self, seed):
        torch.manual_seed(seed)
        if self.wide:
            layers = [nn.Flatten(), nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)]
        else:
            layers = [nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU()]
            layers += [nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1024, 128), nn.ReLU(), nn.Linear(128, 10)]
        return nn.Sequential(*layers)

    def optimiser(self, model, steps):
        sgd = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
        return sgd, torch.optim.lr_scheduler.LambdaLR(sgd, lambda i: 0.5 * (1 + math.cos(math.pi * i / steps)))

    def batch(self, step, rank, seed):
        chance = torch.Generator().manual_seed(1_000_003 * seed + 101 * step + rank)
        chosen = torch.randint(1200, (8 if self.wide else 16,), generator=chance)
        return self.data[0][chosen], self.data[1][chosen]

    def loss(self, model, batch):
        return nn.functional.cross_entropy(model(batch[0]), batch[1])


def int8_bytes(x):
    """Blocks of 256 as int8, and a float32 for each."""
    blocks = x.view(-1, 256)
    scale = (blocks.abs().amax(1, keepdim=True) / 127).clamp(min=1e-30)
    return torch.cat([(blocks / scale).round().to(torch.int8).view(torch.uint8).flatten(), scale.flatten().view(torch.uint8)])


def int8_values(data):
    n = data.numel() // 260 * 256
    return (data[:n].view(torch.int8).view(-1, 256) * data[n:].view(torch.float32).unsqueeze(1)).flatten()


def int8_hook(state, bucket):
    """The sum in two steps, an all-to-all and an all-gather, each of 8 bits: as torchft's."""
    flat = bucket.buffer()
    each = -(-flat.numel() // (256 * RANKS)) * 256
    padded = torch.zeros(each * RANKS)
    padded[: flat.numel()] = flat
    sent = torch.stack([int8_bytes(part) for part in padded.split(each)])
    received = torch.empty_like(sent)
    dist.all_to_all_single(received, sent)
    mine = int8_bytes(sum(int8_values(part) for part in received) / RANKS)
    parts = [torch.empty_like(mine) for _ in range(RANKS)]
    dist.all_gather(parts, mine)
    flat.copy_(torch.cat([int8_values(part) for part in parts])[: flat.numel()])
    future = torch.futures.Future()
    future.set_result(flat)
    return future


def register(model, name, steps):
    kind, *words = name.split()
    if kind == "fp16":
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    elif kind == "int8":
        model.register_comm_hook(None, int8_hook)
    elif kind == "PowerSGD":
        state = powerSGD_hook.PowerSGDState(None, 1, start_powerSGD_iter=10 if steps > 100 else 2)
        model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    elif kind == "ghz":
        options = {"feedback": "feedback" in words, "pack": "pack" in words, "trial": 5 * ("trial" in words)}
        model.register_comm_hook(ghz.torch.State(float(words[0]), **options), ghz.torch.hook)


def sent_bytes():
    return int(Path("/sys/class/net/eth0/statistics/tx_bytes").read_text())


def outer_steps(model, name):
    """DiLoCo: returns what follows a step: after 15 of each rank Nesterov's momentum takes the mean of
    what they changed."""
    state = ghz.torch.State(float(name.split()[1]), trial=0) if name != "none" else None
    weights = [w.detach() for w in model.parameters()]
    starts, momenta = [w.clone() for w in weights], [torch.zeros_like(w) for w in weights]

    def after(step):
        if step % 15 != 14:
            return
        changes = [start - w for start, w in zip(starts, weights)]
        if state:
            state.mean_(changes).wait()
        else:
            for change in changes:
                dist.all_reduce(change.div_(RANKS))
        for w, start, momentum, change in zip(weights, starts, momenta, changes):
            momentum.mul_(0.9).add_(change)
            w.copy_(start.sub_(0.7 * (change + 0.9 * momentum)))

    return after


def measure(task, name, steps, seed, outer):
    """Returns a row: what a rank sent, and took, in a step of one run; and the loss at its end."""
    model = task.model(seed)
    if outer:
        after, trained = outer_steps(model, name), model
    else:
        # PowerSGD over gloo dies of two buckets, whose collectives overtake each other.
        dist._DEFAULT_FIRST_BUCKET_BYTES = 1 << (30 if name == "PowerSGD 1" else 20)
        after, trained = None, DistributedDataParallel(model)
        register(trained, name, steps)
    dist.barrier()
    sent, cpu = sent_bytes(), time.process_time()
    times = train(task, trained, steps, seed, after)
    mine = [(sent_bytes() - sent) / steps, 1000 * statistics.median(times[3:] or times),
            1000 * (time.process_time() - cpu) / steps, sum(times)]  # fmt: skip
    dist.barrier()
    every = torch.tensor(mine)
    dist.all_reduce(every)
    row = {"method": name, "loss": task.loss(model, task.held_out).item()}
    return row | dict(zip(("bytes", "ms", "cpu", "total"), (every / RANKS).tolist()))


def rank_main(what, steps, seeds, *names):
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    task = {"text": Text, "outer": Text, "digits": Digits, "wide": lambda: Digits(True)}[what]()
    for seed in range(1, int(seeds) + 1):
        for name in names:
            row = measure(task, name, int(steps), seed, what == "outer")
            if dist.get_rank() == 0:
                print(json.dumps(row), flush=True)
    dist.barrier()


def rows_of(rate, what, steps, seeds, names):
    """Runs the ranks, with a line of progress; returns for each name its rows."""
    steps, seeds = int(os.environ.get("STEPS", steps)), int(os.environ.get("SEEDS", seeds))
    command = [HERE / "cluster/torch.sh", str(RANKS), str(rate), sys.executable, str(HERE / "torch_ddp.py"), "rank", what, str(steps), str(seeds)]
    found = {name: [] for name in names}
    with subprocess.Popen([*command, *names], stdout=subprocess.PIPE, text=True) as ranks:
        for number, line in enumerate(ranks.stdout):
            row = json.loads(line)
            found[row["method"]].append(row)
            print(f"\r{what}, {number + 1} of {seeds * len(names)}: {row['method']}   ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if ranks.returncode:
        sys.exit(ranks.returncode)
    return found


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def table(*rows):
    rows = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    print(*("| " + " | ".join(row) + " |" for row in rows), sep="\n")


def print_times():
    steps = {50_000_000: 8, 200_000_000: 16, 1_000_000_000: 30, 0: 30}
    found = {name: rows_of(rate, "wide", steps[rate], 2, HOOKS) for name, rate in RATES.items()}
    rows = [["hook", "MB a step", *RATES, "CPU ms"]]
    for name in HOOKS:
        last = found["unshaped"][name]
        ms = [f"{median(rows[name], 'ms'):.0f}" for rows in found.values()]
        rows.append([name, f"{median(last, 'bytes') / 1e6:.3f}", *ms, f"{median(last, 'cpu'):.1f}"])
    table(*rows)


def print_losses(tasks, names):
    found = {what: rows_of(0, what, steps, 3, names) for what, steps in tasks.items()}
    rows = [["hook", *(f"{what}: {words}" for what in tasks for words in ("times fewer bytes", "loss", "of each seed"))]]
    for name in names:
        row = [name]
        for every in found.values():
            losses = [r["loss"] for r in every[name]]
            fewer = median(every["none"], "bytes") / median(every[name], "bytes")
            row += [f"{fewer:.1f}", f"{statistics.mean(losses):.4f}", " ".join(f"{loss:.3f}" for loss in losses)]
        rows.append(row)
    table(*rows)


def print_trial():
    found = rows_of(0, "wide", 200, 3, ["none", "ghz 0.25 trial"])
    parts = [f"{ours['total'] / plain['total']:.3f}" for plain, ours in zip(*found.values())]
    print("ghz 0.25 with a trial, 200 steps, of the time of none:", *parts)


COMMANDS = {
    "time": print_times,
    "loss": lambda: print_losses({"text": 200, "digits": 300}, [*HOOKS[:4], "ghz 0.1", *HOOKS[4:], "ghz 1 feedback", "ghz 2 feedback"]),
    "outer": lambda: print_losses({"outer": 180}, ["none", "ghz 0.25", "ghz 1", "ghz 2"]),
    "trial": print_trial,
}

if __name__ == "__main__":
    if sys.argv[1:2] == ["rank"]:
        rank_main(*sys.argv[2:])
    elif len(sys.argv) == 2 and sys.argv[1] in COMMANDS:
        COMMANDS[sys.argv[1]]()
    else:
        sys.exit("usage: bench/torch_ddp.py time|loss|outer|trial")
