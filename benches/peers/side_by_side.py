"""Crowdwise beside crowd-kit and plain numpy on the same generated data, in one run.

    benches/peers/run.sh [labels ...] [method ...] [--whole labels ...]          (makes its own virtual environment)

Sizes of the fits (default 100000 1000000), methods (default all; no runs from a file to a file if some are named), and sizes of the
runs from a file to a file (default: those of the fits).

For each size and number of classes: the same labels, the same number of EM iterations, no stopping rule, and the same labels out.
Times are CPU seconds of the fit alone (crowd-kit: `fit`, data frame ready; numpy: arrays ready; Crowdwise: the `fit` part that
`crowdwise fit -v` reports, one thread). End to end: a CSV with string ids, from process start to written labels, with peak memory.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BINARY = ROOT / "target/release/crowdwise"
RUNS = 3


def synth(k, m, labels, per=5, seed=0):
    """Five labels per item from distinct annotators with diagonals between 0.35 and 0.95."""
    rng = np.random.default_rng(seed)
    n = labels // per
    truth = rng.integers(0, k, n)
    first = rng.integers(0, m, n)
    step = rng.integers(1, max(m // per, 2), n)
    who = ((first[:, None] + step[:, None] * np.arange(per)) % m).ravel()
    item = np.repeat(np.arange(n), per)
    skill = rng.uniform(0.35, 0.95, m)
    z = truth[item]
    right = rng.random(len(item)) < skill[who]
    wrong = (z + rng.integers(1, max(k, 2), len(item))) % k
    return item, who, np.where(right, z, wrong), truth


def numpy_dawid_skene(item, who, label, k, iterations):
    """What a careful user writes in 30 lines: bincount per class."""
    n, m = item.max() + 1, who.max() + 1
    q = np.zeros((n, k))
    for c in range(k):
        q[:, c] = np.bincount(item, weights=label == c, minlength=n)
    q /= q.sum(1, keepdims=True)
    cell = who * k + label
    for _ in range(iterations):
        e = q[item]
        table = np.stack([np.bincount(cell, weights=e[:, c], minlength=m * k) for c in range(k)], 1).reshape(m, k, k)
        table = np.maximum(table, 1e-10)
        table /= table.sum(1, keepdims=True)
        prior = q.mean(0)
        logs = np.log(table).reshape(m * k, k)[cell]
        s = np.stack([np.bincount(item, weights=logs[:, c], minlength=n) for c in range(k)], 1) + np.log(np.maximum(prior, 1e-300))
        s -= s.max(1, keepdims=True)
        q = np.exp(s)
        q /= q.sum(1, keepdims=True)
    return q.argmax(1)


def cpu():
    return time.process_time()


def crowdwise(csv, method, params, out):
    """Runs the binary on one thread; CPU seconds of its fit part, wall and peak memory of the whole process."""
    args = [str(BINARY), "fit", str(csv), "-m", method, "--threads", "1", "-o", str(out), "-v", "--progress", "none"]
    for key, value in params.items():
        args += ["-p", f"{key}={value}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    t = time.time()
    run = subprocess.run(args, capture_output=True, text=True)
    wall = time.time() - t
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        sys.exit(run.stderr)
    total = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # talk on stderr: "crowdwise: fit: 0.123456 s"
    parts = [line.split() for line in run.stderr.splitlines() if line.startswith("crowdwise: fit: ")]
    fit = float(parts[0][2]) if parts else float("nan")
    return fit, total, wall


def write_csv(path, item, who, label):
    import pandas as pd

    pd.DataFrame({"item": np.char.add("item-", item.astype(str)), "annotator": np.char.add("annotator-", who.astype(str)),
                  "label": np.char.add("class ", label.astype(str))}).to_csv(path, index=False)


def whole(program):
    """Wall and CPU seconds and peak memory (MB) of a process from start to end. The peak is read while it runs: what the
    system reports afterwards includes the memory of this process, from before the program was loaded."""
    t = time.time()
    p = subprocess.Popen(program)
    peak = 0
    while True:
        pid, status, usage = os.wait4(p.pid, os.WNOHANG)
        if pid:
            return time.time() - t, usage.ru_utime + usage.ru_stime, peak / 1024, status
        try:
            lines = Path(f"/proc/{p.pid}/status").read_text().splitlines()
            peak = max([peak] + [int(x.split()[1]) for x in lines if x.startswith("VmHWM")])
        except OSError:
            pass
        time.sleep(0.01)


def methods(k, m, labels):
    """Method, iterations, crowd-kit's class and parameters, our parameters; those that crowd-kit can do at this size."""
    from crowdkit.aggregation import GLAD, KOS, MACE, MMSR, DawidSkene, OneCoinDawidSkene

    yield "dawid-skene", 10, DawidSkene, {"tol": -float("inf")}, {"alpha": 0, "tol": 0, "accelerate": "false"}
    yield "one-coin", 5, OneCoinDawidSkene, {"tol": -float("inf")}, {"alpha": 0, "tol": 0, "accelerate": "false"}
    yield "mace", 5, MACE, {"n_restarts": 1, "method": "vb"}, {"restarts": 1, "tol": 0}
    if labels <= 100_000:  # crowd-kit needs minutes for more
        yield "glad", 1, GLAD, {"tol": -1e300, "silent": True}, {"tol": 0}
    if k == 2:  # crowd-kit has two classes only
        yield "kos", 10, KOS, {}, {"tol": 0, "by_degree": "false", "init": "normal"}
    if m <= 100:  # crowd-kit's matrix has the square of the number of pairs of annotators as entries
        trim = (m - 1) // 2 - 1  # crowd-kit's number of what is left out, if every two annotators share an item
        yield "mmsr", 20, MMSR, {"tol": -1.0}, {"tol": 0, "corrupted": trim, "adversaries": "reverse"}


def main(sizes, wanted, whole_sizes):
    import pandas as pd

    print("ns per label and iteration, CPU, one thread; same data, same iterations, labels compared\n")
    print("| method | K | labels | iterations | crowd-kit | numpy | Crowdwise | crowd-kit / Crowdwise | numpy / Crowdwise | labels that differ |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as tmp:
        for labels in sizes:
            for k in (2, 4, 10):
                item, who, label, _ = synth(k, max(labels // 1000, 50), labels)
                csv, out = Path(tmp) / "a.csv", Path(tmp) / "out.csv"
                write_csv(csv, item, who, label)
                frame = pd.DataFrame({"task": item, "worker": who, "label": label})
                for method, theirs, peer, peer_params, params in methods(k, who.max() + 1, labels):
                    if wanted and method not in wanted:
                        continue
                    # the best of a few runs on either side: the first of a process pays for what the machine did before
                    peer_s = float("inf")
                    for _ in range(RUNS):
                        t = cpu()
                        m = peer(n_iter=theirs, **peer_params).fit(frame)
                        if method == "mmsr":
                            m.predict(frame)  # its fit ends before the vote
                        peer_s = min(peer_s, cpu() - t)
                        if peer_s > 20:
                            break
                    peer_ns = peer_s / labels / theirs * 1e9
                    their_labels = m.labels_.sort_index().to_numpy()
                    fit = min(crowdwise(csv, method, {**params, "max_iter": theirs}, out)[0] for _ in range(RUNS))
                    ours = pd.read_csv(out).set_index("item")
                    ours.index = ours.index.str[5:].astype(int)
                    our_labels = ours.sort_index()["label"].str[6:].astype(int).to_numpy()
                    differ = int((our_labels != their_labels).sum())
                    our_ns = fit / labels / theirs * 1e9
                    np_ns = float("nan")
                    if method == "dawid-skene":
                        t = cpu()
                        np_labels = numpy_dawid_skene(item, who, label, k, theirs)
                        np_ns = (cpu() - t) / labels / theirs * 1e9
                        differ = max(differ, int((np_labels != our_labels).sum()))
                    show = lambda x: "" if x != x else f"{x:.1f}"
                    print(f"| {method} | {k} | {labels} | {theirs} | {show(peer_ns)} | {show(np_ns)} | {show(our_ns)} | "
                          f"{show(peer_ns / our_ns)} | {show(np_ns / our_ns)} | {differ} of {len(our_labels)} |", flush=True)
        if wanted:
            return
        print("\nEnd to end: a CSV with string ids, process start to written labels, dawid-skene with 10 iterations, one thread\n")
        print("| labels | K | program | wall s | CPU s | peak MB |")
        print("|---|---|---|---|---|---|")
        code = ("import sys, pandas as pd\nfrom crowdkit.aggregation import DawidSkene\n"
                "d = pd.read_csv(sys.argv[1], names=['task', 'worker', 'label'], header=0)\n"
                "DawidSkene(n_iter=10, tol=-float('inf')).fit_predict(d).to_csv(sys.argv[2])")
        for labels in whole_sizes:
            item, who, label, _ = synth(4, max(labels // 1000, 50), labels)
            csv, out = Path(tmp) / "a.csv", Path(tmp) / "out.csv"
            write_csv(csv, item, who, label)
            del item, who, label
            ours = [str(BINARY), "fit", str(csv), "-m", "dawid-skene", "-p", "max_iter=10", "-p", "tol=0",
                    "-p", "accelerate=false", "--threads", "1", "--quiet", "-o", str(out)]
            theirs = [sys.executable, "-c", code, str(csv), str(out)]
            for name, program in (("pandas + crowd-kit", theirs), ("crowdwise", ours)):
                wall, total, peak, status = whole(program)
                if status != 0:
                    sys.exit(f"{name} failed")
                print(f"| {labels} | 4 | {name} | {wall:.2f} | {total:.2f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="numbers of labels, methods")
    parser.add_argument("--whole", nargs="*", type=int)
    args = parser.parse_args()
    sizes = [int(x) for x in args.what if x.isdigit()] or [100_000, 1_000_000]
    main(sizes, [x for x in args.what if not x.isdigit()], sizes if args.whole is None else args.whole)
