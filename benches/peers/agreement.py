"""Largest difference between posteriors of Crowdwise and crowd-kit on real sets under equal settings.

    target/peers-venv/bin/python benches/peers/agreement.py [DATA]      (DATA: default CROWDWISE_DATA, else ../shared/data)

Needs the release binary and the environment of run.sh. Repeated labels are dropped first (last one kept): crowd-kit counts them once in
some places and twice in others.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation import GLAD, MACE, BradleyTerry, DawidSkene, MajorityVote, OneCoinDawidSkene, Wawa, ZeroBasedSkill

ROOT = Path(__file__).resolve().parents[2]
BINARY = ROOT / "target/release/crowdwise"
NEVER = -float("inf")


def ours(csv, method, *params):
    args = [str(BINARY), "fit", str(csv), "-m", method, "--format", "json", "--quiet"]
    for p in params:
        args += ["-p", p]
    return json.loads(subprocess.run(args, check=True, capture_output=True, text=True).stdout)


def posterior_difference(csv, peer, method, *params):
    doc = ours(csv, method, *params)
    frame = pd.DataFrame([r["posterior"] for r in doc["labels"]], index=[r["item"] for r in doc["labels"]], columns=doc["class_names"])
    theirs = peer.reindex(index=frame.index, columns=frame.columns).fillna(0.0)
    differ = int((frame.to_numpy().argmax(1) != theirs.to_numpy().argmax(1)).sum())
    return float(np.abs(frame.to_numpy() - theirs.to_numpy()).max()), differ


def in_order(frame):
    """Names such that order of appearance and sorted order agree: crowd-kit's MACE mixes the two up when they differ."""
    frame = frame.rename(columns={"item": "task"})
    for column in ("task", "worker", "label"):
        frame[column] = frame[column].astype("category").cat.codes.map("x{:06d}".format)
    frame = frame.sort_values(["task", "worker"], kind="stable").reset_index(drop=True)
    for _ in range(100):
        seen = {c: list(dict.fromkeys(frame[c])) for c in ("worker", "label")}
        if all(s == sorted(s) for s in seen.values()):
            return frame
        for c, s in seen.items():
            frame[c] = frame[c].map({x: f"x{n:06d}" for n, x in enumerate(s)})
        frame = frame.sort_values(["task", "worker"], kind="stable").reset_index(drop=True)
    raise SystemExit("no order found")


def main(data):
    print("| set | method, settings | largest difference of a probability (scores: of a score) | labels that differ |")
    print("|---|---|---|---|")
    fixed = ("alpha=0", "tol=0", "accelerate=false", "max_iter=20")
    with tempfile.TemporaryDirectory() as tmp:
        for name in ("rte", "dog", "face", "bluebird", "labelme"):
            frame = pd.read_csv(data / name / "answers.csv", dtype=str).drop_duplicates(["item", "worker"], keep="last")
            csv = Path(tmp) / "a.csv"
            frame.to_csv(csv, index=False)
            d = frame.rename(columns={"item": "task"})
            for text, peer, method, params in (
                ("majority-vote", lambda: MajorityVote().fit(d).probas_, "majority-vote", ()),
                ("wawa", lambda: Wawa().fit(d).predict_proba(d), "weighted-majority-vote", ("leave_one_out=false",)),
                ("zero-based-skill", lambda: ZeroBasedSkill().fit(d).predict_proba(d), "zero-based-skill", ()),
                ("dawid-skene, 20 iterations", lambda: DawidSkene(n_iter=20, tol=NEVER).fit(d).probas_, "dawid-skene", fixed),
                ("one-coin, 20 iterations", lambda: OneCoinDawidSkene(n_iter=20, tol=NEVER).fit(d).probas_, "one-coin", fixed),
            ):
                worst, differ = posterior_difference(csv, peer(), method, *params)
                print(f"| {name} | {text} | {worst:.1e} | {differ} |", flush=True)
        for name in ("bluebird", "labelme", "face", "valence5", "prelec_art"):
            d = in_order(pd.read_csv(data / name / "answers.csv", dtype=str).drop_duplicates(["item", "worker"], keep="last"))
            csv = Path(tmp) / "g.csv"
            d.rename(columns={"task": "item"}).to_csv(csv, index=False)
            glad = GLAD(n_iter=5, tol=NEVER, m_step_max_iter=1000, m_step_tol=1e-9, silent=True).fit(d).probas_
            # crowd-kit returns the posterior from before its last maximisation
            worst, differ = posterior_difference(
                csv, glad, "glad", "start=prior", "tol=0", "max_iter=4", "inner_iter=1000", "inner_tol=1e-9")
            print(f"| {name} | glad, 5 iterations, exact inner search | {worst:.1e} | {differ} |", flush=True)
            mace = MACE(n_restarts=1, n_iter=2000, method="vb").fit(d).probas_
            worst, differ = posterior_difference(csv, mace, "mace", "max_iter=2000", "tol=1e-10")
            print(f"| {name} | mace (vb), converged from different starts | {worst:.1e} | {differ} |", flush=True)
        for name in ("age_pairs", "photo_pairs", *(f"simulated, seed {n}" for n in range(3))):
            where = data / name
            if name.startswith("simulated"):
                where = Path(tmp) / name
                made = ["simulate", "bradley-terry", "-o", str(where), "--items", "200", "-p", "pairs=4000", "--seed", name[-1], "-q"]
                subprocess.run([str(BINARY), *made], check=True)
            frame = pd.read_csv(where / "answers.csv", dtype=str)
            frame = frame[frame.winner != "tie"]
            csv = Path(tmp) / "p.csv"
            frame.to_csv(csv, index=False)
            d = frame.rename(columns={"winner": "label"})
            theirs = np.log(BradleyTerry(n_iter=20000, tol=0).fit(d).scores_)
            doc = ours(csv, "bradley-terry", "ties=half", "ridge=0", "virtual_wins=0", "tol=1e-10")
            mine = pd.Series({r["item"]: r["score"] for r in doc["labels"]})
            part = pd.Series({r["item"]: r["component"] for r in doc["labels"]})
            diff = (mine - theirs.reindex(mine.index))
            diff -= diff.groupby(part).transform("mean")
            print(f"| {name} | bradley-terry without ties | {diff.abs().max():.1e} | |", flush=True)


if __name__ == "__main__":
    default = os.environ.get("CROWDWISE_DATA", ROOT.parent / "shared/data")
    main(Path(sys.argv[1] if len(sys.argv) > 1 else default))
