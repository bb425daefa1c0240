"""Rankings from comparisons: Crowdwise beside crowd-kit and choix on the same generated data, in one run.

    VENV/bin/python benches/peers/rank.py [comparisons ...] [--items N] [--annotators N]

Needs crowd-kit (and choix, if it is to be in the table) in the virtual environment, and `target/release/crowdwise` (or the path in CROWDWISE).
Times are CPU seconds of the fit alone: crowd-kit's `fit` with the data frame ready, choix with its list of pairs ready, Crowdwise the `fit` part that
`crowdwise fit -v` reports, on one thread, or the CPU seconds of the whole process with reading where those are less; the least of --repeats runs, since it is wall time. Every line also has Kendall's tau with the scores that made the data: a fast wrong answer is none.
NoisyBradleyTerry runs in a process of its own that is ended after --patience seconds.
"""

import argparse
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("CROWDWISE", ROOT / "target/release/crowdwise"))


def synth(comparisons, items, annotators, seed=0):
    """A quarter of the annotators answers the other way round, a fifth guesses, the others are right with 0.95."""
    rng = np.random.default_rng(seed)
    score = rng.normal(0, 1.5, items)
    w = rng.choice([0.1, 0.5, 0.95], annotators, p=[0.25, 0.2, 0.55])
    left = rng.integers(0, items, comparisons)
    right = (left + rng.integers(1, items, comparisons)) % items
    who = rng.integers(0, annotators, comparisons)
    win = rng.random(comparisons) < 1 / (1 + np.exp(score[right] - score[left]))
    win = np.where(rng.random(comparisons) < w[who], win, ~win)
    return left, right, who, win, score


def kendall(a, b):
    i, j = np.triu_indices(len(a), 1)
    return np.mean(np.sign(a[i] - a[j]) * np.sign(b[i] - b[j]))


def crowdwise(csv, method, items):
    args = [str(BINARY), "fit", str(csv), "-m", method, "--threads", "1", "-v", "--progress", "none", "--format", "csv"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(args, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        sys.exit(run.stderr)
    fit = float(re.search(r"fit: ([0-9.]+) s", run.stderr).group(1))
    score = np.zeros(items)
    for line in run.stdout.splitlines()[1:]:
        f = line.split(",")
        score[int(f[1][1:])] = float(f[2])
    whole = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return min(fit, whole), score, whole  # `fit` is wall time: on a busy machine the CPU time of the process is less


def crowd_kit(frame, name, items, queue, **params):
    from crowdkit.aggregation import BradleyTerry, NoisyBradleyTerry

    method = {"BradleyTerry": BradleyTerry, "NoisyBradleyTerry": NoisyBradleyTerry}[name](**params)
    t = time.process_time()
    fitted = method.fit(frame)
    seconds = time.process_time() - t
    score = np.zeros(items)
    for item, s in fitted.scores_.items():
        score[int(item[1:])] = s
    queue.put((seconds, score))


def in_time(patience, *args, **params):
    """Runs in a process of its own; None if it takes longer than `patience` seconds."""
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=crowd_kit, args=(*args, queue), kwargs=params)
    process.start()
    try:
        return queue.get(timeout=patience)
    except Exception:
        return None
    finally:
        process.terminate()
        process.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", nargs="*", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--annotators", type=int, default=500)
    parser.add_argument("--patience", type=float, default=90)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    import pandas as pd

    print("| comparisons | program | CPU s of the fit | tau | times bradley-terry | times crowd-bt |")
    print("|---|---|---|---|---|---|")
    for size in args.sizes:
        left, right, who, win, score = synth(size, args.items, args.annotators)
        names = np.array([f"i{i}" for i in range(args.items)])
        people = np.array([f"w{j}" for j in range(args.annotators)])
        frame = pd.DataFrame({"worker": people[who], "left": names[left], "right": names[right], "label": names[np.where(win, left, right)]})
        with tempfile.TemporaryDirectory() as folder:
            csv = Path(folder) / "answers.csv"
            frame.rename(columns={"label": "winner"}).to_csv(csv, index=False)
            methods = ("bradley-terry", "crowd-bt", "rank-centrality")
            runs = {m: [crowdwise(csv, m, args.items) for _ in range(args.repeats)] for m in methods}
            ours = {m: min(all_runs, key=lambda run: run[0]) for m, all_runs in runs.items()}
        base, crowd = ours["bradley-terry"][0], ours["crowd-bt"][0]

        def line(name, seconds, s):
            tau = "" if s is None else f"{kendall(s, score):.3f}"
            print(f"| {size} | {name} | {seconds:.3f} | {tau} | {seconds / base:.1f} | {seconds / crowd:.1f} |", flush=True)

        for method, (seconds, s, whole) in ours.items():
            line(f"crowdwise {method} (whole process {whole:.2f})", seconds, s)
        for name, params in (("BradleyTerry", {"n_iter": 100}), ("BradleyTerry", {"n_iter": 100, "tol": 0.0}), ("NoisyBradleyTerry", {})):
            label = f"crowd-kit {name} {params or ''}"
            done = in_time(args.patience, frame, name, args.items, **params)
            if done is None:
                print(f"| {size} | {label} | not within {args.patience:.0f} s | | | |", flush=True)
            else:
                line(label, *done)
        try:
            import choix
        except ImportError:
            print("choix is not installed", file=sys.stderr)
            continue
        pairs = list(zip(np.where(win, left, right).tolist(), np.where(win, right, left).tolist()))
        t = time.process_time()
        s = choix.ilsr_pairwise(args.items, pairs, alpha=0.01)
        line("choix ilsr_pairwise", time.process_time() - t, s)


if __name__ == "__main__":
    main()
