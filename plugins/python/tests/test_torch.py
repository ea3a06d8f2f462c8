# test_torch.py: owns the tests of ghz.torch: most are checks that four processes run together.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import datetime
import hashlib
import math
import os
import re
import subprocess
import sys
import time
import traceback
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import ghz
import pytest

torch = pytest.importorskip("torch", reason="ghz.torch is not tested: there is no torch here")
import ghz.torch
import torch.distributed as dist
import torch.multiprocessing as mp
from ghz.torch import State
from torch.nn.parallel import DistributedDataParallel

CLONE = Path(os.environ.get("GHZ_SOURCE") or Path(__file__).parents[3])
WORLD = 4
UNITS = {torch.float32: 2.0**-24, torch.bfloat16: 2.0**-9, torch.float16: 2.0**-12}  # half an ulp


def group_of(ranks: int) -> Any:
    return dist.new_group(list(range(ranks)), backend="gloo")


def everyone(value: Any, group: Any = None) -> list[Any]:
    found = [None] * dist.get_world_size(group)
    dist.all_gather_object(found, value, group=group)
    return found


def digest(tensors: Any) -> str:
    data = [tensor.detach().float().numpy().tobytes() for tensor in tensors]
    return hashlib.sha256(b"".join(data)).hexdigest()


def noise(seed: int, *shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + 7 * sum(shape)))


def rms_of(tensor: Any) -> Any:
    return tensor.double().square().mean().sqrt().nan_to_num(0)


def assert_near(tensor: Any, wanted: Any, bound: float) -> None:
    tiny = torch.finfo(tensor.dtype).smallest_normal
    allowed = bound + (UNITS[tensor.dtype] * (wanted.abs() + bound)).clamp(min=tiny)
    assert bool(((tensor.double() - wanted).abs() <= allowed).all()), (tensor.shape, bound)


def assert_mean(state: State, tensors: list[Any], group: Any = None) -> None:
    """The mean is within the bound of this step's largest rms, and the same on all ranks."""
    exact, rms = [t.double() for t in tensors], [rms_of(t) for t in tensors]
    for total, most in zip(exact, rms):
        dist.all_reduce(total.div_(dist.get_world_size(group)), group=group)
        dist.all_reduce(most, dist.ReduceOp.MAX, group=group)
    state.mean_(tensors).wait()
    assert len(set(everyone(digest(tensors), group))) == 1
    for tensor, wanted, most in zip(tensors, exact, rms):
        assert_near(tensor, wanted, state.rel * float(most))


def raises_soon(kind: Any, work: Any, words: str = ".") -> None:
    begin = time.monotonic()
    with pytest.raises(kind, match=words):
        work()
    assert time.monotonic() - begin < 2


# ---- Checks: every rank runs each, with its number ----


def worlds_and_types(rank: int) -> None:
    shapes: list[tuple[int, ...]] = [(1,), (3, 5), (1000, 7), (0,), (), (2049,), *[(2,)] * 70]
    for ranks in range(1, WORLD + 1):
        group, own = group_of(ranks), group_of(ranks)
        if rank >= ranks:
            continue
        state = State(0.1, group=own, trial=0)
        for dtype in UNITS:
            tensors = [noise(rank, *s) * 10.0 ** -(k % 4 + rank) for k, s in enumerate(shapes)]
            tensors += [noise(rank, 40, 30).t(), noise(1, 50) * (rank == 1) / 999]  # or zeros
            assert_mean(state, [tensor.to(dtype) for tensor in tensors], group)
        for scale in (1e-42, 1e-30, 1e-22, 1e22, 1e36):
            assert_mean(state, [noise(rank, 3000) * scale], group)
        for nothing in ([], [torch.zeros(0)]):
            assert len(state.mean_(nothing).wait()) == len(nothing)
        assert (state.sent > 0) == (ranks > 1)


def a_fresh_bound_in_each_step(rank: int) -> None:
    state = State(1.0, feedback=True)
    for scale in (1e6, 1.0, 1e-6):
        assert_mean(state, [noise(rank, 5000) * scale])
        state._residuals.clear()  # which would move the mean
    outlier = torch.ones(2000)
    outlier[5] = 1e30 * (rank + 1)
    assert_mean(State(0.1), [outlier])
    weight = torch.nn.Parameter(torch.full((10,), float(rank)))
    State(0.01).mean_([weight]).wait()
    assert_near(weight.detach(), torch.full((10,), 1.5).double(), 0.03)


def feedback_converges(rank: int) -> None:
    state, total, wanted = State(4.0, feedback=True), torch.zeros(5000), noise(rank, 5000)
    dist.all_reduce(wanted)
    for _ in range(20):
        mine = noise(rank, 5000)
        state.mean_([mine]).wait()
        total += mine
    assert float((total / 20 - wanted / WORLD).abs().max()) <= 4 / 20 + 1e-5


def strange_values_stay(rank: int) -> None:
    state = State(0.1, feedback=True)
    for _ in range(2):
        values = noise(rank, 3000)
        values[3] = math.nan if rank == 1 else 1
        values[7] = math.inf if rank < 3 else 1
        values[9] = math.inf if rank == 0 else -math.inf
        wanted = values.double()
        dist.all_reduce(wanted)
        state.mean_([values]).wait()
        assert values[3].isnan() and values[7] == math.inf and values[9].isnan()
        assert_near(values[10:], wanted[10:] / WORLD, 0.1)
        assert len(set(everyone(digest([values.nan_to_num(5, 6, 7)])))) == 1
        assert not state._residuals
    assert_mean(state, [noise(rank, 3000)])


def ranks_that_disagree(rank: int) -> None:
    raises_soon(ghz.MismatchError, lambda: State(0.25 if rank else 0.5), "rel=")
    raises_soon(ghz.MismatchError, lambda: State(0.25, trial=rank), "trial=")
    n = 1 + rank
    for mine in ([noise(0, 3000 * n)], [noise(0, 6000 // n)] * n, [noise(0, 1)] * 99 * n):
        state = State(0.1)
        raises_soon(ghz.MismatchError, lambda: state.mean_(mine).wait(), "sizes")
        raises_soon(ghz.ArgumentError, lambda: state.mean_(mine), "an error has ended this State")


def one_that_fails(rank: int) -> None:
    for group in (None, True):
        state = State(0.1, group=group and group_of(WORLD))
        if rank == 3:
            state._lattice = None
        kind = AttributeError if rank == 3 else RuntimeError
        raises_soon(kind, lambda: state.mean_([torch.ones(5000)]).wait())
        dist.barrier()
    state = State(0.5, trial=0)
    state._lattice = None
    with pytest.raises(RuntimeError, match="AttributeError|peer"):  # out of backward
        train(None, rank, state, 1)


def wrong_arguments(rank: int) -> None:
    for rel in (0, -1, math.nan, math.inf, 2**20):
        raises_soon(ghz.ArgumentError, lambda: State(rel), "rel=")
    raises_soon(ghz.ArgumentError, lambda: State(1, trial=-1), "trial=")
    raises_soon(ghz.ArgumentError, lambda: State(1, group=dist.group.WORLD), "group=")
    state, one = State(1e-3), torch.ones(3)
    for wrong in (one.double(), one.cfloat(), one.int(), one.to_sparse()):
        raises_soon(TypeError, lambda: state.mean_([one, wrong]), "float32, bfloat16")
    assert_mean(state, [one])  # nothing was sent before


def train(group: Any, rank: int, state: Any = None, steps: int = 20, **options: Any) -> Any:
    """Returns what the weights are, the mean loss of the last steps, and the buckets seen."""
    torch.manual_seed(1)
    layers = [torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU()]
    dtype, skip = options.pop("dtype", torch.float32), options.pop("no_sync", False)
    model = torch.nn.Sequential(*layers, torch.nn.Linear(512, 10)).to(dtype)
    options |= {"process_group": group, "bucket_cap_mb": 0.1}
    parallel, seen, losses = DistributedDataParallel(model, **options), set(), []

    def hook(state: Any, bucket: Any) -> Any:
        seen.add((bucket.index(), bucket.buffer().numel()))
        return ghz.torch.hook(state, bucket)

    hook.__annotations__ = ghz.torch.hook.__annotations__  # types, not strings
    if state:
        parallel.register_comm_hook(state, hook)
    optimiser = torch.optim.AdamW(model.parameters(), 1e-3)
    for step in range(steps):
        x = noise(rank + 10 * step, 12, 64)
        if skip:
            with parallel.no_sync():
                parallel(x.to(dtype)).square().mean().backward()
        loss = torch.nn.functional.cross_entropy(parallel(x.to(dtype)).float(), x[:, :10].argmax(1))
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses.append(float(loss.detach()))
    weights = everyone(digest(model.parameters()), group)
    assert len(set(weights)) == 1
    return weights[0], sum(sum(everyone(losses[-5:], group), [])) / 5 / len(weights), seen


def ddp_on_three_ranks(rank: int) -> None:
    group, groups = group_of(3), [group_of(3) for _ in range(7)]
    if rank == 3:
        return
    states = [State(0.5, group=own, trial=0, pack=k == 2) for k, own in enumerate(groups[:3])]
    plain, ours = train(group, rank), [train(group, rank, state) for state in states]
    assert ours[0] == ours[1] == ours[2], "a run does not repeat, or packing changes bits"
    assert ours[0][0] != plain[0] and abs(ours[0][1] / plain[1] - 1) <= 0.01
    assert len({index for index, _ in ours[0][2]}) < len(ours[0][2]), "buckets were not rebuilt"
    ring = 20 * 4 * 2 / 3 * 2 * (65 * 512 + 513 * 512 + 513 * 10)  # bytes of a rank
    assert states[2].sent < states[0].sent <= ring / 10
    variants = ["no_sync", "find_unused_parameters", "gradient_as_bucket_view"]
    for own, variant in zip(groups[3:], variants):
        assert train(group, rank, State(0.5, group=own, trial=0), 4, **{variant: True})[1] < 2.6
    if torch.__version__ >= "2":  # gloo of before broadcasts no bfloat16, as DDP wants
        train(group, rank, State(0.5, group=groups[-1], trial=0), 4, dtype=torch.bfloat16)


def the_trial_takes_the_faster(rank: int) -> None:
    def late(function: Any, *arguments: Any) -> Any:
        time.sleep(0.25 * (rank == 1))
        return function(*arguments)

    for name, plain in (("_exchange", True), ("allreduce_hook", False)):
        state = State(0.5, trial=2)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ghz.torch, name, partial(late, getattr(ghz.torch, name)))
            train(None, rank, state, 8)
        assert everyone(state.plain) == [plain] * WORLD
        sent = state.sent
        train(None, rank, state, 2)
        assert (state.sent == sent) == plain


def one_that_dies(rank: int) -> None:
    state, values = State(0.1), noise(rank, 200000)
    dist.barrier()
    if rank != 2:
        raises_soon(RuntimeError, lambda: state.mean_([values]).wait())


CHECKS = [worlds_and_types, a_fresh_bound_in_each_step, feedback_converges, strange_values_stay,
          ranks_that_disagree, one_that_fails, wrong_arguments, ddp_on_three_ranks,
          the_trial_takes_the_faster, one_that_dies]  # fmt: skip


def run_checks(rank: int, folder: Path) -> None:
    """Ends at the first check that fails, by which the other ranks fail, too."""
    warnings.simplefilter("error", UserWarning)
    torch.set_num_threads(1)
    wait = datetime.timedelta(seconds=30)
    dist.init_process_group("gloo", f"file://{folder}/store", wait, WORLD, rank)
    for check in CHECKS:
        outcome = folder / f"{check.__name__}.{rank}"
        try:
            check(rank)
            if check is not one_that_dies:
                dist.barrier()
            outcome.write_text("passed")
        except BaseException:
            outcome.write_text(traceback.format_exc())
            os._exit(1)
    os._exit(0)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranks")
    ranks, end = mp.spawn(run_checks, (folder,), WORLD, join=False), time.monotonic() + 240
    for process in ranks.processes:
        process.join(max(0, end - time.monotonic()))
        process.kill()
    return folder


@pytest.mark.parametrize("check", [check.__name__ for check in CHECKS])
def test_four_ranks(check: str, outcomes: Path) -> None:
    for rank in range(WORLD):
        outcome = outcomes / f"{check}.{rank}"
        assert outcome.exists(), f"rank {rank} failed before"
        assert outcome.read_text() == "passed", f"rank {rank}"


# ---- What one process does ----


def a_dict(seed: int) -> dict[str, Any]:
    found = {f"weight{k}": noise(seed, 300, k) * 10.0 ** (k - seed) for k in range(5)}
    found |= {str(dtype): noise(seed, 5, 4, 3, 2).to(dtype) for dtype in UNITS}
    found |= {"scalar": noise(seed), "tiny": torch.full((3,), 1e-41)}
    found["zeros, or not"] = noise(seed, 9) / 1e6 * (seed > 1)
    return found | {"steps": torch.tensor(seed), "mask": torch.ones(3) > 0, "f8": noise(1).double()}


def test_dicts_are_saved_and_averaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dicts, paths = [a_dict(seed) for seed in (1, 2, 3)], [tmp_path / f"{k}.ghzt" for k in range(3)]
    for state_dict, path in zip(dicts, paths):
        ghz.torch.save(state_dict, path, rel=1 / 64)
        loaded = ghz.torch.load(path)
        for name, tensor in state_dict.items():
            assert loaded[name].dtype == tensor.dtype and loaded[name].shape == tensor.shape
            if tensor.dtype in UNITS:
                assert_near(loaded[name], tensor.double(), float(rms_of(tensor)) / 64)
            else:
                assert torch.equal(loaded[name], tensor)
        values = sum(tensor.numel() for tensor in state_dict.values())
        assert path.stat().st_size < 2 * values + 300 * len(state_dict)
    with monkeypatch.context() as patch:
        patch.delattr(ghz.Stream, "_read_all")  # what decompresses
        ghz.torch.mean(paths, tmp_path / "mean.ghzt")
    for name, tensor in ghz.torch.load(tmp_path / "mean.ghzt").items():
        every = [state_dict[name] for state_dict in dicts]
        if tensor.dtype in UNITS:
            bound = sum(float(rms_of(one)) for one in every) / 3 / 64
            assert_near(tensor, sum(one.double() for one in every) / 3, bound)
        else:
            assert torch.equal(tensor, every[0])


def test_wrong_dicts(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c", "d")]
    for path, value in zip(paths, (torch.ones(3), torch.ones(4), 5)):
        ghz.torch.save({"weight": value}, path, rel=0.1)
    for chosen in (paths[:2], paths[::2]):
        with pytest.raises(ghz.MismatchError, match="weight"):
            ghz.torch.mean(chosen, tmp_path / "mean")
    with pytest.raises(ghz.ArgumentError):
        ghz.torch.mean([], tmp_path / "mean")
    with pytest.raises(ghz.ArgumentError):
        ghz.torch.save({"weight": torch.ones(3)}, paths[0], rel=0)
    paths[0].write_bytes(b"no file")
    torch.save([1, 2], paths[1])
    for path in paths[:2]:
        with pytest.raises(ghz.CorruptError, match="ghz.torch.save"):
            ghz.torch.load(path)
    with pytest.raises(FileNotFoundError):
        ghz.torch.load(paths[3])


def test_compress_names_what_takes_tensors() -> None:
    one = torch.ones(3)
    assert ghz.compress(one, abs=1).shape == (3,)
    for array in (one.bfloat16(), one.half(), torch.nn.Parameter(one), {"weight": one}):
        with pytest.raises(TypeError, match="ghz.torch.save"):
            ghz.compress(array, abs=1)


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (CLONE / "docs/TRAINING.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    assert len(blocks) >= 3
    dist.init_process_group("gloo", f"file://{tmp_path}/store", rank=0, world_size=1)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    dist.destroy_process_group()


def test_the_commands_run() -> None:
    commands = re.findall(r"^    python (\S+.*)$", (CLONE / "docs/TRAINING.md").read_text(), re.M)
    assert len(commands) >= 4
    few = os.environ | {"STEPS": "3", "SEEDS": "1"}
    for command in commands:
        run = partial(subprocess.run, cwd=CLONE, env=few, stdout=subprocess.PIPE, text=True)
        done = run([sys.executable, *command.split()], timeout=600)
        if done.returncode == 77:
            pytest.skip(f"{command}: not possible here")
        assert done.returncode == 0 and "ghz" in done.stdout, command
