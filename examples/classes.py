"""Classes: from a table of answers to labels, annotators and a page.

Run it in a clone, after `pip install . pandas`:  python examples/classes.py
"""

from pathlib import Path

import pandas as pd

import crowdwise

here = Path(__file__).parent
votes = pd.read_csv(here / "demo.csv")                          # item, annotator, label
truth = pd.read_csv(here / "demo-truth.csv", index_col="item")["label"]

# `auto` chooses a model that suits the data; results come back as pandas objects, because the votes are a frame
fit = crowdwise.aggregate(votes, "auto")
print(fit.labels_.head(3))
print(fit.probas_.head(3).round(2))

# whom to trust, and what to look at
print(fit.annotators_[["accuracy", "low", "high", "flags"]].round(2))
for finding in fit.findings_:
    print(finding)
for row in fit.result_.items(by="entropy", top=3):
    print(row["item"], row["label"], row["votes"])

# known truth only scores the result; other methods are one class away
for method in (crowdwise.MajorityVote(), crowdwise.DawidSkene()):
    score = method.fit(votes).result_.evaluate(truth)
    print(type(method).__name__, score["accuracy"])
