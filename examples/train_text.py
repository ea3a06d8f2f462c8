#!/usr/bin/env python3
# train_text.py: trains a small transformer on the text of Python's own library, on two ranks of
# this machine: by DistributedDataParallel alone, and with the line that compresses its gradients.
# usage: python examples/train_text.py      STEPS=20 does less. Needs: pip install "./plugins/python[torch]"
# SPDX-License-Identifier: BSD-3-Clause
import math
import os
import sysconfig
import tempfile
import time
from pathlib import Path

import ghz.torch
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BATCH, CONTEXT, WIDTH, LAYERS = 8, 48, 96, 2


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters, self.places = nn.Embedding(128, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, 0.0, "gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, 128)
        self.register_buffer("mask", torch.full((CONTEXT, CONTEXT), -math.inf).triu(1))
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, text):
        return self.head(self.layers(self.letters(text) + self.places.weight, self.mask))


class Text:
    def __init__(self):
        files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
        data = torch.frombuffer(bytearray().join(f.read_bytes() for f in files)[:3_000_000], dtype=torch.uint8) & 127
        self.data, held_out = data[:2_700_000], data[2_700_000:]
        self.held_out = self.pieces(held_out, torch.arange(256) * 1000)

    def pieces(self, data, starts):
        return torch.stack([data[i : i + CONTEXT + 1] for i in starts.tolist()]).long()

    def model(self, seed):
        torch.manual_seed(seed)
        return Model()

    def optimiser(self, model, steps):
        adam = torch.optim.AdamW(model.parameters(), 2e-3, (0.9, 0.95), weight_decay=0.01)
        return adam, torch.optim.lr_scheduler.LambdaLR(
            adam, lambda i: min(1, (i + 1) / 20) * (0.55 + 0.45 * math.cos(math.pi * i / steps)))

    def batch(self, step, rank, seed):
        chance = torch.Generator().manual_seed(1_000_003 * seed + 101 * step + rank)
        return self.pieces(self.data, torch.randint(len(self.data) - CONTEXT - 1, (BATCH,), generator=chance))

    def loss(self, model, batch):
        return nn.functional.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())


def train(task, model, steps, seed=0, after=None):
    """Returns the seconds of each step; calls after(step) behind it."""
    optimiser, schedule = task.optimiser(model, steps)
    times = []
    for step in range(steps):
        begin = time.perf_counter()
        optimiser.zero_grad()
        task.loss(model, task.batch(step, dist.get_rank(), seed)).backward()
        optimiser.step()
        schedule.step()
        if after:
            after(step)
        times.append(time.perf_counter() - begin)
    return times


def run(rank, steps, store):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=2)
    task = Text()
    for compressed in (False, True):
        model = DistributedDataParallel(task.model(0))
        sent = 4 * steps * sum(p.numel() for p in model.parameters())  # 2 (n - 1) / n times the weights
        if compressed:
            state = ghz.torch.State(rel=0.25, trial=0)  # on one machine a trial would take DDP's own
            model.register_comm_hook(state, ghz.torch.hook)
        took = sum(train(task, model, steps))
        loss = task.loss(model.module, task.held_out).item()
        name, sent = ("ghz, rel 0.25", state.sent) if compressed else ("DDP alone", sent)
        if rank == 0:
            print(f"{name:14}{sent / 1e6:8.2f} MB sent by a rank{took:8.1f} s   loss of held-out text {loss:.3f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        steps = int(os.environ.get("STEPS", 300))
        torch.multiprocessing.spawn(run, (steps, f"{folder}/store"), 2)
