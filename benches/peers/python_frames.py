"""`DawidSkene(…).fit_predict(df)` of Crowdwise, with crowd-kit's settings, and of crowd-kit on the same pandas frame with text ids, side by side in one run.

    PYTHONPATH=python target/crowdkit-venv/bin/python benches/peers/python_frames.py [LABELS[:ITERATIONS] …]      (default: 1000000)

Every run is a process of its own that makes the frame, calls once and reports seconds of CPU and of the clock for the call, the
memory that it had before the call and its peak during the call (Linux: the kernel's mark is set back before the call). With
ITERATIONS both do so many, without a stopping rule. The rows "Arrow" are Crowdwise on an Arrow table; "in Rust" is how much of that
call's time was spent in the compiled part (columns to numbers, table, fit, best classes), so that the difference is what the binding
costs. Build the package with `maturin develop --release` first.
"""

import gc
import json
import subprocess
import sys
import time

SIDES = ("crowd-kit", "crowdwise", "crowdwise, Arrow")


def frame(labels):
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    items, people, k = labels // 5, max(100, labels // 1000), 4
    truth = rng.integers(0, k, items)
    item = np.repeat(np.arange(items), 5)
    who = rng.integers(0, people, len(item))
    right = rng.random(len(item)) < rng.uniform(0.35, 0.95, people)[who]
    label = np.where(right, truth[item], rng.integers(0, k, len(item)))
    names = [np.array([f"{c}{n}" for n in range(size)], dtype=object) for c, size in (("task-", items), ("worker-", people), ("c", k))]
    return pd.DataFrame({"task": names[0][item], "worker": names[1][who], "label": names[2][label]})


def memory(field):
    """A field of the kernel's account of this process, MB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) / 1024


def forget_peak():
    gc.collect()
    with open("/proc/self/clear_refs", "w", encoding="ascii") as out:
        out.write("5")


def timed_parts():
    """Makes the compiled functions add up the time that is spent in them."""
    from crowdwise import _answers, _base, _crowdwise, _frames

    spent = {"columns": 0.0, "table": 0.0, "fit": 0.0, "labels": 0.0}

    def timed(part, work):
        def call(*args, **options):
            begun = time.perf_counter()
            try:
                return work(*args, **options)
            finally:
                spent[part] += time.perf_counter() - begun

        return staticmethod(call)

    class Columns:
        from_arrow = timed("columns", _crowdwise.Column.from_arrow)

    class Tables:
        classes = timed("table", _crowdwise.Data.classes)

    class Compiled:
        fit = timed("fit", _crowdwise.fit)

    _frames.Column, _answers.Data, _base._crowdwise = Columns, Tables, Compiled
    return spent


#: crowd-kit's algorithm and its defaults, in our words.
AS_THERE = {"max_iter": 100, "tol": 1e-5, "alpha": 0.0, "accelerate": False, "zeros": "counts", "stop": "bound"}


def one(side, labels, iterations):
    data = frame(labels)
    if side == "crowd-kit":
        from crowdkit.aggregation import DawidSkene

        options = {} if iterations is None else {"n_iter": iterations, "tol": float("-inf")}
    else:
        from crowdwise import DawidSkene

        DawidSkene().fit_predict(data[:100])  # what is imported later
        options = AS_THERE if iterations is None else {**AS_THERE, "max_iter": iterations, "tol": -1e60}
    spent = None
    if side == "crowdwise, Arrow":
        import pyarrow as pa

        data = pa.Table.from_pandas(data)
        DawidSkene().fit_predict(data[:100])
        spent = timed_parts()
    method = DawidSkene(**options)
    forget_peak()
    before, cpu, clock = memory("VmRSS"), time.process_time(), time.perf_counter()
    method.fit_predict(data)
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    found = {"cpu": cpu, "clock": clock, "before": before, "peak": memory("VmHWM"), "parts": spent}
    if spent is not None:
        begun = time.perf_counter()
        method._fit.best()
        spent["labels"] = time.perf_counter() - begun
    print(json.dumps({**found, "iterations": len(method.loss_history_)}))


def main(sizes):
    print("| labels | side | iterations | CPU s | s | memory before, MB | peak, MB | added, MB | in Rust, s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for size in sizes:
        labels, _, iterations = size.partition(":")
        for side in SIDES:
            out = subprocess.run([sys.executable, __file__, "--one", side, labels, iterations], capture_output=True, text=True)
            if out.returncode:
                print(f"| {labels} | {side} | failed: {out.stderr.strip().splitlines()[-1]} | | | | | | |", flush=True)
                continue
            r = json.loads(out.stdout)
            parts = "" if r["parts"] is None else f"{sum(r['parts'].values()):.2f} ({', '.join(f'{k} {v:.2f}' for k, v in r['parts'].items())})"
            print(
                f"| {labels} | {side} | {r['iterations']} | {r['cpu']:.2f} | {r['clock']:.2f} | {r['before']:.0f} | {r['peak']:.0f} "
                f"| {r['peak'] - r['before']:.0f} | {parts} |",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) if sys.argv[4] else None)
    else:
        main(sys.argv[1:] or ["1000000"])
