"""`DawidSkene().fit_predict(df)` of Crowdwise and of crowd-kit on the same pandas frame with text ids, side by side in one run.

    PYTHONPATH=python target/crowdkit-venv/bin/python benches/peers/python_frames.py [LABELS …]      (default: 1000000)

Every run is a process of its own that makes the frame, calls once and reports seconds of CPU and of the clock for the call and
the peak of its memory, and what it had before the call. The last rows are Crowdwise on an Arrow table, and the fit alone (the Rust call on data that
are there already): their difference is the price of the binding. Build the package with `maturin develop --release` first.
"""

import json
import resource
import subprocess
import sys
import time

SIDES = ("crowd-kit", "crowdwise", "crowdwise, Arrow", "crowdwise, the fit alone")


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


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one(side, labels):
    data = frame(labels)
    if side == "crowd-kit":
        from crowdkit.aggregation import DawidSkene
    else:
        from crowdwise import DawidSkene
    if side == "crowdwise, Arrow":
        import pyarrow as pa

        data = pa.Table.from_pandas(data)
    if side == "crowdwise, the fit alone":
        from crowdwise._answers import answers

        data = answers(data, ("categorical",))
        DawidSkene(n_iter=1).fit(data)
    method = DawidSkene()
    before, cpu, clock = peak(), time.process_time(), time.perf_counter()
    if side == "crowdwise, the fit alone":
        method.fit(data)
    else:
        method.fit_predict(data)
    print(
        json.dumps(
            {
                "cpu": time.process_time() - cpu,
                "clock": time.perf_counter() - clock,
                "before": before,
                "peak": peak(),
                "iterations": len(method.loss_history_),
            }
        )
    )


def main(sizes):
    print("| labels | side | iterations | CPU s | s | memory before, MB | peak, MB | added, MB |")
    print("|---|---|---|---|---|---|---|---|")
    for labels in sizes:
        for side in SIDES:
            out = subprocess.run([sys.executable, __file__, "--one", side, str(labels)], capture_output=True, text=True)
            if out.returncode:
                print(f"| {labels} | {side} | failed: {out.stderr.strip().splitlines()[-1]} | | | | | |", flush=True)
                continue
            r = json.loads(out.stdout)
            print(
                f"| {labels} | {side} | {r['iterations']} | {r['cpu']:.2f} | {r['clock']:.2f} | {r['before']:.0f} | {r['peak']:.0f} "
                f"| {r['peak'] - r['before']:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], int(sys.argv[3]))
    else:
        main([int(n) for n in sys.argv[1:]] or [1_000_000])
