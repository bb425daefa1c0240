"""Reference outputs of crowd-kit for the golden tests.

    python3 -m venv target/peers-venv
    target/peers-venv/bin/pip install crowd-kit==1.4.2 'scikit-learn<1.6' 'pandas<3' 'numpy<2'
    target/peers-venv/bin/python benches/peers/golden.py crates/crowdwise-methods/tests/golden

Makes small data sets with a fixed seed, runs crowd-kit on them and writes

    input-crowd2.csv, input-crowd3.csv        item,annotator,label
    input-pairs.csv, input-pairs-ties.csv     left,right,annotator,winner  (winner "tie" = a tie)
    crowdkit-<method>.json                    one list of cases; each names its input and the call

Shapes: posterior[item][class]; confusion[annotator][truth][label] (crowd-kit stores label x truth and has no entry
for a label that an annotator never used: that is 0 here); items, annotators and classes in the order of the input.
Numbers are written so that they read back exactly.

Names are given in the order of first appearance, so that sorted order and order of appearance agree for items,
annotators and classes: crowd-kit's MACE mixes the two up when they differ.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.stats as sps

import crowdkit
from crowdkit.aggregation import (
    GLAD,
    KOS,
    MACE,
    BradleyTerry,
    DawidSkene,
    MajorityVote,
    OneCoinDawidSkene,
    Wawa,
    ZeroBasedSkill,
)

warnings.filterwarnings("ignore")
NEVER = -float("inf")  # a tolerance below which no step falls: the number of iterations is fixed


def crowd(seed, items, annotators, k, per_item):
    """Labels of annotators with their own confusion matrices; some are poor."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, items, p=np.arange(k, 0, -1) / (k * (k + 1) / 2))
    skill = np.clip(rng.beta(4, 2, annotators), 0.35, 0.97)
    rows = np.stack([[rng.dirichlet(np.where(np.arange(k) == t, 12 * s, 12 * (1 - s) / (k - 1))) for t in range(k)]
                     for s in skill])
    out = []
    for i in range(items):
        for j in sorted(rng.choice(annotators, rng.integers(3, per_item + 1), replace=False)):
            out.append((i, j, rng.choice(k, p=rows[j, truth[i]])))
    names = [{}, {}, {}]
    for row in out:
        for known, x in zip(names, row):
            known.setdefault(x, len(known))
    text = [(f"i{names[0][i]:02d}", f"w{names[1][j]:02d}", "abcdefgh"[names[2][c]]) for i, j, c in out]
    # rows of an item in annotator order, as the names now sort
    frame = pd.DataFrame(text, columns=["task", "worker", "label"])
    return frame.sort_values(["task", "worker"], kind="stable").reset_index(drop=True)


def by_first_appearance(frame):
    """Renames until sorting by name changes no order of appearance (sorting rows may have changed it)."""
    for _ in range(50):
        done = True
        for column, prefix in (("worker", "w{:02d}"), ("label", None)):
            seen = list(dict.fromkeys(frame[column]))
            if seen != sorted(seen):
                done = False
                new = {s: (prefix.format(n) if prefix else "abcdefgh"[n]) for n, s in enumerate(seen)}
                frame[column] = frame[column].map(new)
        frame = frame.sort_values(["task", "worker"], kind="stable").reset_index(drop=True)
        if done:
            return frame
    raise SystemExit("no order found; take another seed")


def pairs(seed, items, annotators, comparisons, ties):
    rng = np.random.default_rng(seed)
    score = rng.normal(0, 1, items)
    out = []
    for n in range(comparisons):
        a, b = rng.choice(items, 2, replace=False)
        p = 1 / (1 + np.exp(score[b] - score[a]))
        u = rng.random()
        close = ties * 4 * p * (1 - p)
        winner = "tie" if u < close else (a if (u - close) / (1 - close) < p else b)
        name = lambda x: x if x == "tie" else f"p{x:02d}"
        out.append((name(a), name(b), f"w{n % annotators}", name(winner)))
    return pd.DataFrame(out, columns=["left", "right", "worker", "label"])


def order(frame):
    return {
        "items": list(dict.fromkeys(frame.task)),
        "annotators": list(dict.fromkeys(frame.worker)),
        "classes": sorted(frame.label.unique()),
    }


def posterior(probas, names):
    return probas.reindex(index=names["items"], columns=names["classes"]).fillna(0.0).values.tolist()


def confusion(errors, names):
    """errors is indexed by (worker, said) with a column per truth."""
    full = pd.MultiIndex.from_product([names["annotators"], names["classes"]])
    e = errors.reindex(index=full, columns=names["classes"]).fillna(0.0).values
    k = len(names["classes"])
    return e.reshape(-1, k, k).transpose(0, 2, 1).tolist()


def case(name, call, names, probas, **more):
    return {"input": name, "call": call, **names, "posterior": posterior(probas, names), **more}


def votes(name, d, names):
    m = MajorityVote().fit(d)
    return [case(name, "MajorityVote()", names, m.probas_, skill=m.skills_[names["annotators"]].tolist())]


def wawa(name, d, names):
    m = Wawa().fit(d)
    p = m.predict_proba(d)
    return [case(name, "Wawa()", names, p, skill=m.skills_[names["annotators"]].tolist())]


def zbs(name, d, names):
    m = ZeroBasedSkill().fit(d)
    p = m.predict_proba(d)
    return [case(name, "ZeroBasedSkill()", names, p, skill=m.skills_[names["annotators"]].tolist())]


def dawid_skene(name, d, names):
    out = []
    for n in (1, 20):
        m = DawidSkene(n_iter=n, tol=NEVER).fit(d)
        out.append(case(name, f"DawidSkene(n_iter={n}, tol=-inf)", names, m.probas_, n_iter=n,
                        prior=m.priors_[names["classes"]].tolist(), confusion=confusion(m.errors_, names)))
    return out


def one_coin(name, d, names):
    m = OneCoinDawidSkene(n_iter=20, tol=NEVER).fit(d)
    return [case(name, "OneCoinDawidSkene(n_iter=20, tol=-inf)", names, m.probas_, n_iter=20,
                 prior=m.priors_[names["classes"]].tolist(), skill=m.skills_[names["annotators"]].tolist())]


def glad(name, d, names):
    """posterior is the E step before the last M step, as crowd-kit leaves it; alphas and betas are after it.

    The default inner search stops early (m_step_tol 1e-2), so its parameters depend on the search; the tight one is
    at the maximum of every M step.
    """
    out = []
    for n, inner, tol in ((1, 25, 1e-2), (10, 25, 1e-2), (1, 1000, 1e-9), (10, 1000, 1e-9)):
        m = GLAD(n_iter=n, tol=NEVER, m_step_max_iter=inner, m_step_tol=tol).fit(d)
        out.append(case(name, f"GLAD(n_iter={n}, tol=-inf, m_step_max_iter={inner}, m_step_tol={tol})", names,
                        m.probas_, n_iter=n, m_step_max_iter=inner, m_step_tol=tol,
                        alpha=m.alphas_[names["annotators"]].tolist(), log_beta=m.betas_[names["items"]].tolist()))
    return out


def mace(name, d, names):
    """start_* are crowd-kit's own random start; spamming columns are (guess, know), strategy is per class."""
    out = []
    m_, k = len(names["annotators"]), len(names["classes"])
    unit = lambda x: x / x.sum(axis=1, keepdims=True)
    start = lambda width: unit(sps.uniform(1, 1.5).rvs(size=(m_, width), random_state=0)).tolist()
    for method in ("em", "vb"):
        for n in (1, 50):
            m = MACE(n_restarts=1, n_iter=n, method=method, random_state=0).fit(d)
            out.append(case(name, f'MACE(n_restarts=1, n_iter={n}, method="{method}", random_state=0)', names,
                            m.probas_, method=method, n_iter=n, start_spamming=start(2), start_strategy=start(k),
                            spamming=m.spamming_.tolist(), strategy=m.thetas_.tolist()))
    return out


def kos(name, d, names):
    """Labels only: crowd-kit keeps no scores. Two classes only."""
    if len(names["classes"]) != 2:
        return []
    out = []
    for seed in (0, 1):
        labels = KOS(n_iter=100, random_state=seed).fit_predict(d)
        out.append({"input": name, "call": f"KOS(n_iter=100, random_state={seed})", **names,
                    "labels": labels[names["items"]].tolist()})
    return out


def bradley_terry(inputs):
    """tol=0: with a positive one crowd-kit stops after two iterations, since it compares an array with itself.

    Ties: every comparison is given twice, a tie once for each side, which is a half win for both.
    """
    out = []
    for name, d in inputs.items():
        if (d.label == "tie").any():
            one, two = d.copy(), d.copy()
            one.loc[one.label == "tie", "label"] = one.left
            two.loc[two.label == "tie", "label"] = two.right
            d, how = pd.concat([one, two]), "BradleyTerry(n_iter=20000, tol=0) on doubled rows"
        else:
            how = "BradleyTerry(n_iter=20000, tol=0)"
        s = BradleyTerry(n_iter=20000, tol=0).fit_predict(d)
        out.append({"input": name, "call": how, "items": list(s.index), "pi": s.tolist()})
    return out


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    crowds = {
        "input-crowd2.csv": by_first_appearance(crowd(11, 50, 10, 2, 6)),
        "input-crowd3.csv": by_first_appearance(crowd(12, 60, 12, 3, 7)),
    }
    comparisons = {"input-pairs.csv": pairs(21, 12, 6, 300, 0.0), "input-pairs-ties.csv": pairs(22, 10, 6, 300, 0.3)}
    for name, d in crowds.items():
        d.rename(columns={"task": "item", "worker": "annotator"}).to_csv(folder / name, index=False)
    for name, d in comparisons.items():
        d.rename(columns={"worker": "annotator", "label": "winner"}).to_csv(folder / name, index=False)

    def write(method, cases):
        about = {"package": "crowd-kit", "version": crowdkit.__version__, "made_by": "benches/peers/golden.py"}
        lines = ",\n".join(json.dumps(c) for c in cases)
        head = json.dumps(about)[:-1]
        path = folder / f"crowdkit-{method}.json"
        path.write_text(f'{head}, "cases": [\n{lines}\n]}}\n')
        print(path.name, path.stat().st_size)

    by_method = {"majority-vote": votes, "wawa": wawa, "zero-based-skill": zbs, "dawid-skene": dawid_skene,
                 "one-coin": one_coin, "glad": glad, "mace": mace, "kos": kos}
    for method, run in by_method.items():
        write(method, [c for name, d in crowds.items() for c in run(name, d, order(d))])
    write("bradley-terry", bradley_terry(comparisons))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
