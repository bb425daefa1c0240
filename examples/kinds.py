"""Answers that are not classes: ratings, comparisons, rankings and tags of words.

Run it in a clone, after `pip install . pandas`:  python examples/kinds.py
"""

from pathlib import Path

import pandas as pd

import crowdwise

here = Path(__file__).parent

# ratings: a value for each item with its standard error, and who is always too high or too low
ratings = crowdwise.aggregate(pd.read_csv(here / "ratings.csv"), "gaussian-annotators")
print(ratings.values_.head(3))
print(ratings.annotators_[["bias", "sd"]].round(1))

# comparisons: which of two is better, to a leaderboard with intervals
pairs = crowdwise.aggregate(pd.read_csv(here / "pairs.csv"), "crowd-bt")
print(pairs.ranking_.sort_values("score", ascending=False).head(3))

# rankings: `a > b > c`, best first
ballots = crowdwise.PlackettLuce().fit(pd.read_csv(here / "rankings.csv"))
print(ballots.ranking_.sort_values("score", ascending=False).head(3))

# tags of words: what a token is depends on its neighbours
tokens = crowdwise.aggregate(pd.read_csv(here / "sequences.csv"), "bayes-seq")
print(tokens.labels_.head(8))
