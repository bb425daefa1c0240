"""A classifier learned from features and what the crowd said, on simulated data.

Run it in a clone, after `pip install . scikit-learn`:  python examples/classifier.py
"""

from sklearn.linear_model import LogisticRegression

import crowdwise

# 400 items with 5 features each and 3 labels each; one annotator in five guesses
sim = crowdwise.simulate("dawid-skene", items=400, annotators=20, per_item=3, features=5, spammers=0.2, seed=1)
X, answers, truth = sim.features, sim.matrix(), sim.truth_array()    # answers: items x annotators, -1 where nobody was asked

# a small network and the annotators' confusion matrices, learned together
network = crowdwise.Aggnet(epochs=30).fit(X, answers)
print("network, by the features alone", network.score(X, truth))

# the same idea around a classifier of your own
own = crowdwise.Aggnet(network=LogisticRegression(max_iter=500)).fit(X, answers)
print("logistic regression", own.score(X, truth))
