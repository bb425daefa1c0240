"""Which labels to ask for while a classifier learns, on simulated data: by gain, and the same number for every item.

First labels say little about the annotators, so that both begin alike; `gain` pulls ahead from two labels per item on.

Run it in a clone, after `pip install . scikit-learn`:  python examples/active_loop.py
"""

import numpy as np
from sklearn.linear_model import LogisticRegression

import crowdwise

# 400 items with 5 features each; everybody can label everything, and some guess
sim = crowdwise.simulate("dawid-skene", items=400, annotators=20, per_item=20, accuracy=0.65, features=5, spammers=0.2, seed=1)
features = {item: row for item, row in zip(sim.truth, sim.features)}
frame = sim.to_pandas().sample(frac=1, random_state=1)
answer = {(item, who): label for item, who, label in zip(frame["task"], frame["worker"], frame["label"])}
start = frame[frame.groupby("task").cumcount() < 1].head(60)    # one label for each of the first 60 items

for strategy in ["gain", "fewest"]:
    loop = crowdwise.ActiveLoop(
        LogisticRegression(max_iter=500), features, start, annotators=frame["worker"].unique().tolist(), strategy=strategy
    )
    for _ in range(16):
        for q in loop.ask(60):
            loop.tell(q["item"], q["annotator"], answer[q["item"], q["annotator"]])
    loop.fit()
    right = np.mean([loop.labels()[item] == label for item, label in sim.truth.items()])
    alone = np.mean([a == b for a, b in zip(loop.predict(sim.features), sim.truth.values())])
    print(f"{strategy}: {loop.asker.n_labels} labels, {right:.3f} of the items right, {alone:.3f} by the classifier alone")
