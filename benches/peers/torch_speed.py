"""Speed of training beside PyTorch, samples per CPU second, one thread, both in one run.

    python benches/peers/torch_speed.py [--profile release] [--rounds 3] [CASE...]

The same networks, batches and numbers of rows on both sides (see benches/src/bin/training.rs); features and labels are noise.
Adam 1e-3, float32, batches by index_select, no data loader. The best of the rounds counts; ours and theirs take turns.
"""
import argparse
import json
import subprocess
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[2]
GOALS = {("mlp 784-128-10", 64): 1.5, ("mlp 784-128-10", 512): 1.5, ("crowd layer 512-128-8", 64): 4.0,
         ("max-mig 512-128-8", 64): 2.0, ("cnn 28x28", 64): 1.0}


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, outputs))


def cnn():
    layers, before = [], 1
    for at, filters in enumerate((32, 32, 64, 64)):
        layers.append(nn.Conv2d(before, filters, 3, padding=1))
        if at == 0:
            layers.append(nn.BatchNorm2d(filters))
        layers += [nn.ReLU(), nn.MaxPool2d(2)]
        before = filters
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


class CrowdLayer(nn.Module):
    """A matrix per annotator on the class probabilities; answers that do not exist are masked, as the peers do."""

    def __init__(self, inputs, annotators, classes):
        super().__init__()
        self.base = mlp(inputs, classes)
        self.w = nn.Parameter(torch.eye(classes).repeat(annotators, 1, 1))

    def forward(self, x):
        return torch.einsum("bk,mkj->bjm", torch.softmax(self.base(x), 1), self.w)


class TwoViews(nn.Module):
    """Max-MIG: the crowd's view is a linear map of the one-hot answers, as in the public program."""

    def __init__(self, inputs, annotators, classes):
        super().__init__()
        self.base, self.crowd = mlp(inputs, classes), nn.Linear(annotators * classes, classes)

    def loss(self, x, hot):
        h, g = torch.softmax(self.base(x), 1), torch.softmax(self.crowd(hot), 1)
        n = h.shape[0]
        r = (h * h.shape[1]) @ g.T
        own = torch.diagonal(r)
        return (r.sum() - own.sum()) / (n * (n - 1)) - torch.mean(1 + torch.log(own + 1e-12))


def epoch(model, x, y, batch, loss_of):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    order = torch.randperm(len(x))
    model.train()
    for at in range(0, len(x), batch):
        i = order[at:at + batch]
        opt.zero_grad(set_to_none=True)
        loss_of(x.index_select(0, i), y.index_select(0, i)).backward()
        opt.step()


def theirs(case, batch):
    """Rows per CPU second."""
    torch.manual_seed(1)
    if case.startswith("mlp"):
        x, y, model = torch.rand(60_000, 784), torch.randint(0, 10, (60_000,)), mlp(784, 10)
        loss_of = lambda a, b: functional.cross_entropy(model(a), b)
    elif case.startswith("cnn"):
        x, y, model = torch.rand(2000, 1, 28, 28), torch.randint(0, 10, (2000,)), cnn()
        loss_of = lambda a, b: functional.cross_entropy(model(a), b)
    else:
        n, m, k = 10_000, 59, 8
        x, y = torch.rand(n, 512), torch.randint(0, k, (n, m))
        y[torch.rand(n, m) > 2.5 / m] = -1
        if case.startswith("crowd"):
            model = CrowdLayer(512, m, k)
            loss_of = lambda a, b: functional.cross_entropy(model(a), b, ignore_index=-1)
        else:
            y = (y.unsqueeze(2) == torch.arange(k)).reshape(n, m * k).float()
            model = TwoViews(512, m, k)
            loss_of = model.loss
    epoch(model, x[:20 * batch], y[:20 * batch], batch, loss_of)  # warm
    best = float("inf")
    for _ in range(3):  # as on our side: the best of three times two epochs
        start = time.process_time()
        for _ in range(2):
            epoch(model, x, y, batch, loss_of)
        best = min(best, (time.process_time() - start) / 2)
    return len(x) / best


def ours(profile, case):
    folder = "debug" if profile == "dev" else profile
    done = subprocess.run([ROOT / "target" / folder / "training", case], check=True, capture_output=True, text=True)
    return {r["batch"]: r["samples_per_cpu_s"] for r in map(json.loads, done.stdout.splitlines())}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("cases", nargs="*")
    p.add_argument("--profile", default="release")
    p.add_argument("--rounds", type=int, default=3)
    a = p.parse_args()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, one thread, samples per CPU second\n")
    print("| case | batch | PyTorch | crowdwise | ratio | goal |\n|---|---|---|---|---|---|")
    for (case, batch), goal in GOALS.items():
        if a.cases and not any(case.startswith(c) for c in a.cases):
            continue
        peer, own = 0.0, 0.0
        for _ in range(a.rounds):
            peer = max(peer, theirs(case, batch))
            own = max(own, ours(a.profile, case)[batch])
        print(f"| {case} | {batch} | {peer:,.0f} | {own:,.0f} | {own / peer:.2f} | {goal} |", flush=True)


if __name__ == "__main__":
    main()
