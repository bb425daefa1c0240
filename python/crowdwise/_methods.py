"""One class for every method. Generated from the list of methods by `cargo xtask gen`: do not edit."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any, Literal

from . import _crowdkit
from ._base import Aggregator, WarmAggregator
from ._learn import Learner

__all__ = [
    "AdvCrowd",
    "Aggnet",
    "Auto",
    "BWA",
    "BayesDawidSkene",
    "BayesDgc",
    "BeliefPropagation",
    "BradleyTerry",
    "CATD",
    "CNMFEm",
    "CNMFOpt",
    "CNMFSpa",
    "CRH",
    "CTD",
    "CentredTriplets",
    "CommunityBCC",
    "Conal",
    "ConfusionVector",
    "CrowdLayer",
    "CrowdSVM",
    "Crowdlab",
    "DawidSkene",
    "DeepBP",
    "DeepMF",
    "Dlc",
    "DoctorNet",
    "EnhancedBCC",
    "GLAD",
    "GeoCrowdNet",
    "GpCrowd",
    "HierarchicalDawidSkene",
    "IBCC",
    "InstanceConfusion",
    "KOS",
    "KosSVD",
    "LabelModel",
    "LfEm",
    "MACE",
    "MBEM",
    "MMSR",
    "MajorityVote",
    "MaxMarginMajorityVote",
    "MaxMig",
    "Mean",
    "MeanField",
    "Median",
    "MinimaxEntropy",
    "Mnn",
    "OneCoinDawidSkene",
    "Ordinal",
    "OrdinalVb",
    "PooledDawidSkene",
    "Raykar",
    "SpammerHammer",
    "SparseSpectralSVD",
    "SpectralEm",
    "SpectralSVD",
    "Spem",
    "SymNmf",
    "TraceReg",
    "TrimmedMean",
    "TwoStage",
    "Wawa",
    "ZeroBasedSkill",
]

#: The class of every method.
CLASSES: dict[str, str] = {
    "auto": "Auto",
    "majority-vote": "MajorityVote",
    "weighted-majority-vote": "Wawa",
    "zero-based-skill": "ZeroBasedSkill",
    "dawid-skene": "DawidSkene",
    "one-coin": "OneCoinDawidSkene",
    "confusion-vector": "ConfusionVector",
    "spammer-hammer": "SpammerHammer",
    "bayes-dawid-skene": "BayesDawidSkene",
    "ibcc": "IBCC",
    "pooled-dawid-skene": "PooledDawidSkene",
    "community-bcc": "CommunityBCC",
    "hierarchical-dawid-skene": "HierarchicalDawidSkene",
    "enhanced-bcc": "EnhancedBCC",
    "bwa": "BWA",
    "mean-field": "MeanField",
    "belief-propagation": "BeliefPropagation",
    "kos": "KOS",
    "cnmf-spa": "CNMFSpa",
    "cnmf-opt": "CNMFOpt",
    "cnmf-em": "CNMFEm",
    "sym-nmf": "SymNmf",
    "ctd": "CTD",
    "spem": "Spem",
    "spectral-svd": "SpectralSVD",
    "sparse-spectral-svd": "SparseSpectralSVD",
    "kos-svd": "KosSVD",
    "spectral-em": "SpectralEm",
    "mmsr": "MMSR",
    "lf-em": "LfEm",
    "centred-triplets": "CentredTriplets",
    "label-model": "LabelModel",
    "crowdlab": "Crowdlab",
    "ordinal-vb": "OrdinalVb",
    "ordinal": "Ordinal",
    "mace": "MACE",
    "glad": "GLAD",
    "minimax-entropy": "MinimaxEntropy",
    "max-margin-majority-vote": "MaxMarginMajorityVote",
    "crowd-svm": "CrowdSVM",
    "crh": "CRH",
    "catd": "CATD",
    "mean": "Mean",
    "median": "Median",
    "trimmed-mean": "TrimmedMean",
    "bradley-terry": "BradleyTerry",
    "two-stage": "TwoStage",
    "raykar": "Raykar",
    "gp-crowd": "GpCrowd",
    "aggnet": "Aggnet",
    "adv-crowd": "AdvCrowd",
    "mbem": "MBEM",
    "bayes-dgc": "BayesDgc",
    "deep-mf": "DeepMF",
    "deep-bp": "DeepBP",
    "crowd-layer": "CrowdLayer",
    "trace-reg": "TraceReg",
    "geo-crowd-net": "GeoCrowdNet",
    "doctor-net": "DoctorNet",
    "conal": "Conal",
    "dlc": "Dlc",
    "instance-confusion": "InstanceConfusion",
    "mnn": "Mnn",
    "max-mig": "MaxMig",
}


class Auto(Aggregator):
    r"""Fits four models, rejects those that collapse, averages the best, and reports calibrated probabilities.

    Use it when nobody knows which method suits the data, which is the usual case: it is the default of `fit`. On 22
    real sets it is right on 80.4 % of the items on average, against 78.5 % for Dawid-Skene and 75.6 % for majority
    vote (`benches/QUALITY.md`; a test holds it). On sources that vote one class only, where Dawid-Skene falls to 45
    % (`ws_youtube`), it keeps 90.5 %.

    It cannot promise more than that. The gain over the best single model is within two standard errors of nothing;
    on a new set expect something between the best fixed method and one point above. Three things it cannot see:
    annotators who all share one bias while items have few labels; sets so small that the choice is chance
    (`prelec_art`, 90 items, 0.028 below majority vote; on no shared set with 200 known items is it more than 0.01
    below); and which of two readings is *true* when both explain the labels. With known truth for some hundred
    items, `compare --truth` decides better.

    Parameters
    ----------
    max_iter : int, default 60
        Most iterations of each candidate.
    tol : float, default 0.00001
        Stop a candidate when one step changes no expected probability by more than this.
    drift_weight : float, default 0.75
        What a candidate loses for moving the class shares away from those of the votes by 1.
    calibrate : bool, default True
        Temper the probabilities by the number of labels of the item, because annotators err together on hard items.
        The labels stay the same.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.Auto().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm.
    Applied Statistics 28(1), 1979. ``crowdwise.page("auto")`` has the whole page.
    """

    _id = "auto"
    _accepts = ("categorical", "real", "preference")

    def __init__(
        self,
        *,
        max_iter: int = 60,
        tol: float = 0.00001,
        drift_weight: float = 0.75,
        calibrate: bool = True,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.drift_weight = drift_weight
        self.calibrate = calibrate
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class MajorityVote(_crowdkit.MajorityVoteCalls):
    r"""The class with the most votes; its probability is its share of the votes.

    Use it as the yardstick for everything else, when items have many labels each, or when annotators are about
    equally good.

    Do not use it as the last word when annotators differ: a careless majority outvotes a careful minority. On the
    bundled demo data it is right on 86.5 % of the items, `weighted-majority-vote` on 92.5 %, `dawid-skene` on 97 %.
    Its probabilities are shares of votes, not degrees of belief: 3 of 5 votes do not make an answer right in 60 of
    100 cases.

    Parameters
    ----------
    default_skill : float | None, default None
        As in crowd-kit; see `fit`.
    on_missing_skill : str, default "error"
        As in crowd-kit; see `fit`.
    ties : Literal["first", "random"], default "first"
        Which of several classes with equally many votes becomes the label: `first` in class order, or one drawn
        with the seed (its probability is raised by one millionth, the others keep the vote share).
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.MajorityVote().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    V. S. Sheng, F. Provost and P. G. Ipeirotis, Get another label? Improving data quality and data mining using
    multiple, noisy labelers, KDD 2008 ``crowdwise.page("majority-vote")`` has the whole page.
    """

    _id = "majority-vote"
    _accepts = ("categorical",)
    _renamed = {"default_skill": None, "on_missing_skill": None}

    def __init__(
        self,
        default_skill: float | None = None,
        on_missing_skill: str = "error",
        *,
        ties: Literal["first", "random"] = "first",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.default_skill = default_skill
        self.on_missing_skill = on_missing_skill
        self.ties = ties
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Wawa(_crowdkit.WawaCalls):
    r"""A vote in which annotators count by how often they are right, known or estimated.

    Use it when annotators differ in care and you want something simple that can be explained in one line, when you
    already know how good they are (`rule=given`, or `rule=log-odds` with `accuracies`), or when gold answers arrive
    one by one (`rule=multiplicative`). On the bundled demo data: majority vote 86.5 % right, `wawa` 92.5 %,
    `iterative` 93.5 %, `log-odds` 94.5 %.

    Do not use it when annotators have habits that depend on the class (leaning towards one class, confusing two):
    one number cannot say that, and `dawid-skene` can. On `trec` and similar sets every rule that knows only
    accuracies does worse than `dawid-skene`, some worse than the plain vote.

    Parameters
    ----------
    rule : Literal["given", "wawa", "log-odds", "iterative", "multiplicative"], default "wawa"
        Where the weights come from: `given`; `wawa`, the share of an annotator's labels that the majority agrees
        with; `log-odds`, the logarithm of the odds of being right; `iterative`, `wawa` against its own weighted
        majority until no label changes; `multiplicative`, halved (see `beta`) at every wrong answer to a gold item.
    weights : dict[str, Any] | None, default None
        Weights of annotators by name, for rule `given`, e.g. {"ann": 2, "bob": 0.5}.
    other_weight : float, default 1.0
        Weight of the annotators that `weights` does not name.
    accuracies : dict[str, Any] | None, default None
        Known accuracies of annotators by name, for rule `log-odds`; all others are estimated by agreement.
    leave_one_out : bool, default False
        Compares an annotator with the majority of the others: without it everybody agrees with himself a little.
    max_iter : int, default 20
        Most rounds of rule `iterative`.
    beta : float, default 0.5
        Factor of rule `multiplicative` for a wrong answer.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.Wawa().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    N. Littlestone and M. K. Warmuth, The weighted majority algorithm, Information and Computation 108(2), 1994
    ``crowdwise.page("weighted-majority-vote")`` has the whole page.
    """

    _id = "weighted-majority-vote"
    _accepts = ("categorical",)
    _optional = frozenset({"weights", "accuracies"})

    def __init__(
        self,
        *,
        rule: Literal["given", "wawa", "log-odds", "iterative", "multiplicative"] = "wawa",
        weights: dict[str, Any] | None = None,
        other_weight: float = 1.0,
        accuracies: dict[str, Any] | None = None,
        leave_one_out: bool = False,
        max_iter: int = 20,
        beta: float = 0.5,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.rule = rule
        self.weights = weights
        self.other_weight = other_weight
        self.accuracies = accuracies
        self.leave_one_out = leave_one_out
        self.max_iter = max_iter
        self.beta = beta
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class ZeroBasedSkill(_crowdkit.ZeroBasedSkillCalls):
    r"""Weighted vote in which every annotator's weight steps towards the share of his labels that the vote agrees with.

    Use it where crowd-kit's `ZeroBasedSkill` was used and the same numbers are wanted, or as a slightly better
    `wawa`. On the bundled demo data: majority vote 86.5 % right, this 93.5 %.

    Do not expect more than a vote by accuracy can give: it knows one number per annotator, measures it against a
    result that holds the annotator's own label, and an annotator who guesses among K classes still keeps a weight
    of about 1/K. `weighted-majority-vote` with `rule=log-odds` gives such an annotator none, and `dawid-skene` also
    knows which classes are confused.

    Parameters
    ----------
    n_iter : int, default 100
        Most iterations.
    lr_init : float, default 1.0
        First step towards the measured agreement: 1 replaces the skill by it, less averages.
    lr_steps_to_reduce : int, default 20
        The step is shortened at every so many iterations.
    lr_reduce_factor : float, default 0.5
        The step is multiplied by this each time.
    eps : float, default 1e-5
        Every skill starts this much above chance, 1/K.
    tol : float, default 1e-12
        Stops when no skill changes by more than this; further iterations would change nothing.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.ZeroBasedSkill().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    D. Ustalov, N. Pavlichenko and B. Tseitlin, Learning from Crowds with Crowd-Kit, Journal of Open Source Software
    9(96), 2024 ``crowdwise.page("zero-based-skill")`` has the whole page.
    """

    _id = "zero-based-skill"
    _accepts = ("categorical",)
    _renamed = {"n_iter": "max_iter", "lr_init": "learning_rate", "lr_steps_to_reduce": "reduce_every", "lr_reduce_factor": "reduce_factor", "eps": "head_start"}

    def __init__(
        self,
        n_iter: int = 100,
        lr_init: float = 1.0,
        lr_steps_to_reduce: int = 20,
        lr_reduce_factor: float = 0.5,
        eps: float = 1e-5,
        *,
        tol: float = 1e-12,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.lr_init = lr_init
        self.lr_steps_to_reduce = lr_steps_to_reduce
        self.lr_reduce_factor = lr_reduce_factor
        self.eps = eps
        self.tol = tol
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class DawidSkene(_crowdkit.DawidSkeneCalls):
    r"""A confusion matrix per annotator, estimated together with the truth by EM.

    Use it when annotators make *different kinds* of mistakes (one misses a class, another confuses two) and each
    has given a few dozen labels or more. It is the method to beat: on data of that kind nothing simpler is as good.

    Do not use it when
    - annotators have few labels (about five per class): the matrices overfit; take `bayes-dawid-skene` or
      `one-coin`;
    - every source only ever votes one class and is silent otherwise (labelling functions): all classes collapse
      into one, and a finding says so;
    - errors of many annotators are correlated (copies, shared misconceptions): its probabilities will be far too
      sure;
    - there are two labels an item or fewer: nothing identifies the matrices.

    Parameters
    ----------
    n_iter : int, default 100
        Most iterations (passes over the labels).
    tol : float, default 1e-5
        Stop when one EM step changes no probability, of a confusion matrix or of a class, by more than this.
    initial_error_strategy : str | None, default None
        As in crowd-kit; see `fit`.
    alpha : float, default 0.0
        Smoothing: added to every cell of the expected counts. 0 gives the maximum-likelihood estimate of the paper.
    alpha_diagonal : float, default 0.0
        Added to the diagonal cells besides `alpha`: a belief that annotators are better than random.
    class_prior : Literal["learn", "uniform", "fixed"], default "learn"
        Class shares: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    beta : float, default 0.0
        Added to every class count when class shares are learned.
    zeros : Literal["floor", "eps", "skip", "counts"], default "counts"
        What a probability of exactly zero becomes (only without smoothing): `floor` 1e-10, `eps` 2.2e-16, `skip`
        (the label then says nothing about that class), or `counts` (expected counts are at least 1e-10, as in
        crowd-kit).
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Where the iterations begin: the vote shares (`majority`), `random` matrices, or those of another method.
    restarts : int, default 1
        Starts in all; those after the first are random, and the one with the best objective is kept.
    assignment : Literal["soft", "hard", "hybrid"], default "soft"
        `soft` EM, `hard` EM (Fast-Dawid-Skene) or `hybrid` (soft first, then hard).
    accelerate : bool, default False
        Extrapolate (SQUAREM): the same optimum in fewer iterations. Soft EM only.
    stop : Literal["parameters", "bound"], default "bound"
        What `tol` is compared with: the largest change of a probability (`parameters`), or the gain per label of
        the bound that crowd-kit watches (`bound`; without acceleration, and the result is that of the last E-step).
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.DawidSkene().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm.
    Applied Statistics 28(1), 1979. ``crowdwise.page("dawid-skene")`` has the whole page.
    """

    _id = "dawid-skene"
    _accepts = ("categorical",)
    _renamed = {"n_iter": "max_iter", "initial_error_strategy": None}
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        n_iter: int = 100,
        tol: float = 1e-5,
        initial_error_strategy: str | None = None,
        *,
        alpha: float = 0.0,
        alpha_diagonal: float = 0.0,
        class_prior: Literal["learn", "uniform", "fixed"] = "learn",
        class_shares: dict[str, Any] | None = None,
        beta: float = 0.0,
        zeros: Literal["floor", "eps", "skip", "counts"] = "counts",
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        restarts: int = 1,
        assignment: Literal["soft", "hard", "hybrid"] = "soft",
        accelerate: bool = False,
        stop: Literal["parameters", "bound"] = "bound",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.initial_error_strategy = initial_error_strategy
        self.alpha = alpha
        self.alpha_diagonal = alpha_diagonal
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.beta = beta
        self.zeros = zeros
        self.init = init
        self.restarts = restarts
        self.assignment = assignment
        self.accelerate = accelerate
        self.stop = stop
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class OneCoinDawidSkene(_crowdkit.OneCoinDawidSkeneCalls):
    r"""One accuracy per annotator, errors spread evenly over the other classes, by EM.

    Use it when annotators differ in care but not in habits, when there are many classes, or when each annotator
    gave only a handful of labels: one number per annotator is all it has to learn.

    Do not use it when annotators lean towards a class (they call most things "not spam"): it then declares the rare
    class an error and may swallow it. On `bluebird` it errs on 27.8 % where Dawid-Skene errs on 11.1 %, on `trec`
    43 % against 30 %. `compare` shows that as drift of the class shares.

    Parameters
    ----------
    n_iter : int, default 100
        Most iterations (passes over the labels).
    tol : float, default 1e-5
        Stop when one EM step changes no probability by more than this.
    alpha : float, default 0.0
        Smoothing: added to the count of right labels, and K - 1 times to that of wrong ones.
    class_prior : Literal["learn", "uniform", "fixed"], default "learn"
        Class shares: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    beta : float, default 0.0
        Added to every class count when class shares are learned.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Where the iterations begin: the vote shares (`majority`), `random` matrices, or those of another method.
    accelerate : bool, default False
        Extrapolate (SQUAREM): the same optimum in fewer iterations.
    stop : Literal["parameters", "bound"], default "bound"
        What `tol` is compared with: the largest change of a probability (`parameters`), or the gain per label of
        the bound that crowd-kit watches (`bound`; without acceleration, and the result is that of the last E-step).
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.OneCoinDawidSkene().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    A. Ghosh, S. Kale, P. McAfee. Who Moderates the Moderators? Crowdsourcing Abuse Detection in User-Generated
    Content. EC 2011. ``crowdwise.page("one-coin")`` has the whole page.
    """

    _id = "one-coin"
    _accepts = ("categorical",)
    _renamed = {"n_iter": "max_iter"}
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        n_iter: int = 100,
        tol: float = 1e-5,
        *,
        alpha: float = 0.0,
        class_prior: Literal["learn", "uniform", "fixed"] = "learn",
        class_shares: dict[str, Any] | None = None,
        beta: float = 0.0,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        accelerate: bool = False,
        stop: Literal["parameters", "bound"] = "bound",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.alpha = alpha
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.beta = beta
        self.init = init
        self.accelerate = accelerate
        self.stop = stop
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class ConfusionVector(WarmAggregator):
    r"""One accuracy per annotator and class, errors spread evenly over the other classes, by EM.

    Between `one-coin` and `dawid-skene`: it sees that an annotator misses a class, but not which class is said
    instead, and has K numbers per annotator to learn instead of K (K - 1). Good with many classes and moderate
    labels, and for tokens of sequences, where full matrices count correlated errors of one annotator many times.
    With two classes it *is* Dawid-Skene.

    Not for data where confusions are structured (neighbouring grades, two look-alike species): then the full matrix
    is worth its cost.

    Parameters
    ----------
    max_iter : int, default 1000
        Most iterations (passes over the labels).
    tol : float, default 1e-6
        Stop when one EM step changes no probability by more than this.
    alpha : float, default 0.01
        Smoothing: added to every cell of the expected counts, as in dawid-skene.
    class_prior : Literal["learn", "uniform", "fixed"], default "learn"
        Class shares: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    beta : float, default 0.0
        Added to every class count when class shares are learned.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Where the iterations begin: the vote shares (`majority`), `random` matrices, or those of another method.
    accelerate : bool, default True
        Extrapolate (SQUAREM): the same optimum in fewer iterations.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.ConfusionVector().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    A. T. Nguyen, B. C. Wallace, J. J. Li, A. Nenkova, M. Lease. Aggregating and Predicting Sequence Labels from
    Crowd Annotations. ACL 2017. ``crowdwise.page("confusion-vector")`` has the whole page.
    """

    _id = "confusion-vector"
    _accepts = ("categorical",)
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-6,
        alpha: float = 0.01,
        class_prior: Literal["learn", "uniform", "fixed"] = "learn",
        class_shares: dict[str, Any] | None = None,
        beta: float = 0.0,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        accelerate: bool = True,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha = alpha
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.beta = beta
        self.init = init
        self.accelerate = accelerate
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class SpammerHammer(WarmAggregator):
    r"""Each annotator is a hammer (nearly always right) or a spammer (answers at random).

    Use it when a pool really is of two kinds, as on open platforms with bots, and above all to get a probability of
    being a spammer per annotator from few labels each. Ten labels are enough to tell a hammer.

    Do not use it when most annotators are somewhere between (accuracy 0.6 to 0.9): they are forced into one of two
    moulds, and `one-coin` does better. It knows no adversaries: somebody who is always wrong is a spammer to it.

    Parameters
    ----------
    max_iter : int, default 200
        Most iterations (passes over the labels).
    tol : float, default 1e-6
        Stop when one step changes no probability by more than this.
    warm_up : int, default 30
        Passes of the one-coin model that find a first posterior: from plain votes every annotator looks like a
        spammer.
    rho : float, default 0.5
        Share of hammers to begin with.
    eps : float, default 0.05
        Error rate of hammers to begin with.
    learn : bool, default True
        Learn the share of hammers and their error rate.
    class_prior : Literal["learn", "uniform", "fixed"], default "uniform"
        Class shares: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    beta : float, default 0.0
        Added to every class count when class shares are learned.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Where the one-coin passes begin: the vote shares (`majority`), `random` matrices, or those of another
        method.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.SpammerHammer().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    D. R. Karger, S. Oh, D. Shah. Iterative Learning for Reliable Crowdsourcing Systems. NIPS 2011.
    ``crowdwise.page("spammer-hammer")`` has the whole page.
    """

    _id = "spammer-hammer"
    _accepts = ("categorical",)
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        *,
        max_iter: int = 200,
        tol: float = 1e-6,
        warm_up: int = 30,
        rho: float = 0.5,
        eps: float = 0.05,
        learn: bool = True,
        class_prior: Literal["learn", "uniform", "fixed"] = "uniform",
        class_shares: dict[str, Any] | None = None,
        beta: float = 0.0,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.warm_up = warm_up
        self.rho = rho
        self.eps = eps
        self.learn = learn
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.beta = beta
        self.init = init
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class BayesDawidSkene(WarmAggregator):
    r"""Confusion matrices with Dirichlet priors that prefer the diagonal, by variational Bayes.

    Use it instead of `dawid-skene` when annotators have few labels, classes are rare, or single annotators saw only
    part of the classes: the prior keeps their matrices sensible. With thousands of labels per annotator both agree.

    Do not use it for sources that vote one class only (it collapses as Dawid-Skene does), nor when one annotator
    labelled nearly everything at random: mean field may then read that annotator as an adversary and flip the rest.

    Parameters
    ----------
    max_iter : int, default 500
        Most iterations (passes over the labels).
    tol : float, default 1e-6
        Stop when one step changes no expected probability by more than this.
    alpha : float, default 1.1
        Dirichlet parameter of the class shares.
    beta_diagonal : float, default 5.0
        Dirichlet parameter of the diagonal of a confusion matrix.
    beta_off : float, default 2.0
        Dirichlet parameter of the other cells.
    prior_accuracy : float | None, default None
        Prior mean accuracy: sets the diagonal parameter to `beta_off` (K - 1) c / (1 - c), so that the prior does
        not weaken with the number of classes. `null`: use `beta_diagonal` as it is.
    uniform_classes : bool, default False
        Fixed uniform class shares instead of learned ones.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Where the iterations begin: the vote shares (`majority`), `random` matrices, or those of another method.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.BayesDawidSkene().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    Q. Liu, J. Peng, A. Ihler. Variational Inference for Crowdsourcing. NIPS 2012.
    ``crowdwise.page("bayes-dawid-skene")`` has the whole page.
    """

    _id = "bayes-dawid-skene"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 500,
        tol: float = 1e-6,
        alpha: float = 1.1,
        beta_diagonal: float = 5.0,
        beta_off: float = 2.0,
        prior_accuracy: float | None = None,
        uniform_classes: bool = False,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha = alpha
        self.beta_diagonal = beta_diagonal
        self.beta_off = beta_off
        self.prior_accuracy = prior_accuracy
        self.uniform_classes = uniform_classes
        self.init = init
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class IBCC(Aggregator):
    r"""Dawid-Skene with Dirichlet priors by Gibbs sampling: every estimate comes with its uncertainty.

    Use it when you need honest intervals ("how good is this annotator, really?"), when annotators have few labels
    each, or to check the answer of a faster method: the priors keep rare annotators from extremes, and averaging
    over draws gives better calibrated probabilities than the single best matrices of `dawid-skene`.

    Do not use it for a quick answer on a very large set: it takes 4 x 400 sweeps where `dawid-skene` takes a few
    dozen (`bayes-dawid-skene` has the same priors at that price, but is overconfident). With many classes and the
    default priors the prior accuracy is low (2/(K + 1)): raise `beta_diagonal`.

    Parameters
    ----------
    chains : int, default 4
        Independent chains, run in parallel.
    burn_in : int, default 100
        Sweeps of each chain that are dropped at the beginning.
    keep : int, default 300
        Sweeps of each chain that are kept.
    alpha : float, default 1.0
        Prior count of every class.
    beta_diagonal : float, default 2.0
        Prior count of right labels, for every annotator and class.
    beta_off : float, default 1.0
        Prior count of each kind of wrong label, for every annotator and class.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Where the chains begin: at the majority class (`majority`), or at classes drawn from what `random` matrices,
        or those of another method, say.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.IBCC().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    H.-C. Kim, Z. Ghahramani. Bayesian classifier combination. AISTATS 2012, PMLR 22, 619-627
    ``crowdwise.page("ibcc")`` has the whole page.
    """

    _id = "ibcc"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        chains: int = 4,
        burn_in: int = 100,
        keep: int = 300,
        alpha: float = 1.0,
        beta_diagonal: float = 2.0,
        beta_off: float = 1.0,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.chains = chains
        self.burn_in = burn_in
        self.keep = keep
        self.alpha = alpha
        self.beta_diagonal = beta_diagonal
        self.beta_off = beta_off
        self.init = init
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class PooledDawidSkene(WarmAggregator):
    r"""Confusion matrices drawn towards those of all annotators, by annealed variational Bayes.

    A good first choice where annotators have unequal habits and anything from a few to thousands of labels: an
    annotator with little data borrows the confusions that the others show. Of all single methods tried on 23 real
    sets it has the best mean accuracy (0.789; plain Dawid-Skene 0.781, majority vote 0.747).

    It falls below majority vote where the errors of annotators depend on the item, so that what explains the labels
    best is not the truth (`zencrowd_us` 0.824 against 0.862, `fact_eval` 0.840 against 0.902: `structure=one` gives
    0.911 and 0.901 there), and on tiny sets (90 items, 20 annotators: 0.611 against 0.639). With fewer than two
    labels an item nothing identifies annotators; labels then hardly differ from the vote, and probabilities come
    out nearly even. Annealed, it survives sources that vote one class only; not annealed, it collapses on them as
    Dawid-Skene does. Use `structure=one` only without annealing and with `class_prior=votes`; it swallows classes
    where annotators share a bias (`prelec_states` 0.487 against 0.640).

    Parameters
    ----------
    max_iter : int, default 60
        Most iterations (passes over the labels) at the full temperature 1. Annealing adds at most 8 for each
        temperature.
    tol : float, default 0.00001
        Stop when one step changes no expected probability by more than this.
    structure : Literal["full", "one"], default "full"
        `full`: a confusion matrix per annotator, drawn towards the pooled one. `one`: an accuracy per annotator,
        errors spread as those of all annotators together.
    class_prior : Literal["learn", "votes", "uniform"], default "learn"
        Class shares: `learn`ed, the mean `votes`, or `uniform`.
    beta : float, default 1.0
        Added to every class count when class shares are learned.
    strength : float, default 4.0
        Weight of the prior of an annotator, in labels for each class (`full`) or in all (`one`).
    prior_accuracy : float, default 0.7
        Accuracy that the fixed half of the prior believes in.
    temperatures : list[Any] | None | None, default None
        Temperatures that the fit passes before 1, rising; the likelihood is raised to them. `null`: 0.2, 0.4, 0.6,
        0.8 for full matrices and none for `one`, which turns classes round when it is annealed. `[]`: none.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Where the iterations begin: the vote shares (`majority`), `random` matrices, or those of another method.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.PooledDawidSkene().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm.
    Applied Statistics 28(1), 1979. ``crowdwise.page("pooled-dawid-skene")`` has the whole page.
    """

    _id = "pooled-dawid-skene"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 60,
        tol: float = 0.00001,
        structure: Literal["full", "one"] = "full",
        class_prior: Literal["learn", "votes", "uniform"] = "learn",
        beta: float = 1.0,
        strength: float = 4.0,
        prior_accuracy: float = 0.7,
        temperatures: list[Any] | None | None = None,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.structure = structure
        self.class_prior = class_prior
        self.beta = beta
        self.strength = strength
        self.prior_accuracy = prior_accuracy
        self.temperatures = temperatures
        self.init = init
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class CommunityBCC(Aggregator):
    r"""Annotators belong to communities, whose confusion rows they vary, by variational Bayes.

    Use it when annotators come in kinds (experts and beginners, two teams, two languages) and have few labels each:
    an annotator is then known by its kind after a handful of labels. `communities=1` is plain partial pooling,
    useful with fewer than about ten labels an annotator (`hierarchical-dawid-skene` is the other way to do it).
    With hundreds of labels each, `bayes-dawid-skene` is as good.

    It falls below majority vote where a rare class has confused rows, which it learns as a habit of the whole
    community (`weather_amt` 0.807 against 0.853), where annotators err together on hard items, and on sources that
    vote one class only.

    Parameters
    ----------
    max_iter : int, default 200
        Most iterations (passes over the labels) of each start.
    tol : float, default 0.00001
        Stop when one step changes no expected probability by more than this.
    communities : int, default 3
        Number of communities. 1 is a model in which all annotators are drawn towards one set of rows.
    strength : float, default 10.0
        Weight of its community in an annotator's row, in labels.
    alpha : float, default 1.0
        Dirichlet parameter of the class shares.
    beta_diagonal : float, default 2.0
        Weight of the diagonal in the prior of a community's rows.
    beta_off : float, default 1.0
        Weight of the other cells.
    restarts : int, default 5
        Starts in all (one is enough for one community); the one with the best evidence is kept.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        What every start begins with: the vote shares (`majority`), `random` matrices, or those of another method.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.CommunityBCC().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    M. Venanzi, J. Guiver, G. Kazai, P. Kohli, M. Shokouhi. Community-Based Bayesian Aggregation Models for
    Crowdsourcing. WWW 2014. ``crowdwise.page("community-bcc")`` has the whole page.
    """

    _id = "community-bcc"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 200,
        tol: float = 0.00001,
        communities: int = 3,
        strength: float = 10.0,
        alpha: float = 1.0,
        beta_diagonal: float = 2.0,
        beta_off: float = 1.0,
        restarts: int = 5,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.communities = communities
        self.strength = strength
        self.alpha = alpha
        self.beta_diagonal = beta_diagonal
        self.beta_off = beta_off
        self.restarts = restarts
        self.init = init
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class HierarchicalDawidSkene(Aggregator):
    r"""Rows of annotators vary around those of a population, whose spread is learned: partial pooling.

    Use it with few labels an annotator and habits that annotators share: with 8 labels each and common confusions
    of four classes it reaches about 3 points more than majority vote, where plain Dawid-Skene loses 4. The spread
    of each class tells whether pooling is worth it: large means that annotators have little in common.

    It falls below majority vote where a rare class has confused rows (`weather_amt` 0.807 against 0.853: the
    confusion is taken for a common habit), where annotators err together on hard items, and on sources that vote
    one class only.

    Parameters
    ----------
    max_iter : int, default 100
        Most iterations (passes over the labels).
    tol : float, default 0.00001
        Stop when one step changes no probability, of a confusion matrix or of a class, by more than this.
    spread : float, default 1.0
        Spread of annotators around the population to begin with, on the scale of logits.
    learn_spread : bool, default True
        Estimate the spread of each class; otherwise it stays as given.
    prior_accuracy : float, default 0.7
        Accuracy of the population to begin with.
    newton_steps : int, default 5
        Newton steps on the rows of an annotator in an iteration.
    beta : float, default 1.0
        Added to every class count.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Where the iterations begin: the vote shares (`majority`), `random` matrices, or those of another method.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.HierarchicalDawidSkene().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    S. Paun, B. Carpenter, J. Chamberlain, D. Hovy, U. Kruschwitz, M. Poesio. Comparing Bayesian Models of
    Annotation. TACL 6, 2018. ``crowdwise.page("hierarchical-dawid-skene")`` has the whole page.
    """

    _id = "hierarchical-dawid-skene"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 100,
        tol: float = 0.00001,
        spread: float = 1.0,
        learn_spread: bool = True,
        prior_accuracy: float = 0.7,
        newton_steps: int = 5,
        beta: float = 1.0,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.spread = spread
        self.learn_spread = learn_spread
        self.prior_accuracy = prior_accuracy
        self.newton_steps = newton_steps
        self.beta = beta
        self.init = init
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class EnhancedBCC(Aggregator):
    r"""Classes divided into sub-types of items, which explain errors that annotators make together.

    Use it when certain items mislead most annotators in the same way and there are thousands of items: on
    `zencrowd_us` it has 0.916 where Bayesian Dawid-Skene has 0.825 and majority vote 0.862.

    Few items are not enough to learn sub-types: with 108 items and ten of them the bound prefers to cut the classes
    in pieces (0.796 on `bluebird`, 0.889 without). Therefore there is never more than one sub-type for each hundred
    items. It falls below majority vote on small sets with many classes (`face` 0.611 against 0.637) and on sources
    that vote one class only.

    Parameters
    ----------
    max_iter : int, default 500
        Most iterations (passes over the labels) of each start.
    tol : float, default 0.0001
        Stop when one step changes no expected probability by more than this.
    subtypes : int, default 10
        Most sub-types of a class. Never more than one for each hundred items; 1 is `bayes-dawid-skene`.
    alpha : float, default 1.0
        Dirichlet parameter of the class shares.
    alpha_subtypes : float, default 0.1
        Dirichlet parameter of the shares of a class's sub-types, all of them together: small, so that few are used.
    beta_diagonal : float, default 4.0
        Dirichlet parameter of the diagonal of a confusion matrix.
    beta_off : float, default 1.0
        Dirichlet parameter of the other cells.
    restarts : int, default 5
        Starts in all (one is enough without sub-types); the one with the best bound is kept.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        What every start divides among the sub-types: the vote shares (`majority`), or the classes that `random`
        matrices, or those of another method, give.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.EnhancedBCC().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    Y. Li, B. I. P. Rubinstein, T. Cohn. Exploiting Worker Correlation for Label Aggregation in Crowdsourcing. ICML
    2019. ``crowdwise.page("enhanced-bcc")`` has the whole page.
    """

    _id = "enhanced-bcc"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 500,
        tol: float = 0.0001,
        subtypes: int = 10,
        alpha: float = 1.0,
        alpha_subtypes: float = 0.1,
        beta_diagonal: float = 4.0,
        beta_off: float = 1.0,
        restarts: int = 5,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.subtypes = subtypes
        self.alpha = alpha
        self.alpha_subtypes = alpha_subtypes
        self.beta_diagonal = beta_diagonal
        self.beta_off = beta_off
        self.restarts = restarts
        self.init = init
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class BWA(Aggregator):
    r"""Labels as numbers, class by class: means weighted by each annotator's precision.

    A fast and steady choice when annotators differ in how careful they are rather than in which classes they
    confuse, and where errors depend on the item (`zencrowd_us` 0.913; Dawid-Skene 0.839, majority vote 0.862). It
    has one parameter per annotator and class and cannot run away from the votes.

    It knows no systematic confusion: it falls below majority vote where annotators share a bias (`trec` 0.604
    against 0.651, `relevance_s` 0.429 against 0.541, `cifar10n` 0.869 against 0.912). An adversary gets a small
    weight and is not turned round.

    Parameters
    ----------
    max_iter : int, default 500
        Most iterations (passes over the labels).
    tol : float, default 0.001
        Stop when one step changes no item's score by more than this part of it.
    alpha : float, default 15.0
        Strength of the prior of an annotator's precision, in labels.
    lambda_ : float, default 1.0
        Weight of the mean score of all items in that of each.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        First scores: the vote shares (`majority`), or the classes that `random` matrices, or those of another
        method, give.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.BWA().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    Y. Li, B. I. P. Rubinstein, T. Cohn. Truth Inference at Scale: A Bayesian Model for Adjudicating Highly
    Redundant Crowd Annotations. WWW 2019. ``crowdwise.page("bwa")`` has the whole page.
    """

    _id = "bwa"
    _accepts = ("categorical",)
    _renamed = {"lambda_": "lambda"}

    def __init__(
        self,
        *,
        max_iter: int = 500,
        tol: float = 0.001,
        alpha: float = 15.0,
        lambda_: float = 1.0,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha = alpha
        self.lambda_ = lambda_
        self.init = init
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class MeanField(WarmAggregator):
    r"""Variational inference for annotators with any Beta, Dirichlet or discrete prior.

    Use it when something is known of the crowd before the labels: "about two of three answers are right" is Beta(2,
    1), "a third are bots" is two kinds. Unlike EM, an annotator with two labels keeps the prior's doubt, and no
    probability becomes 0 or 1.

    Do not use the one-coin model when annotators are biased towards a class: on `bluebird` it errs on 27.8 % of the
    items (majority vote 24.1 %), on `trec` on 43.0 % (majority vote 34.9 %). `model=rows` errs on 11.1 % and 29.5 %
    there. Both fall below majority vote on `zencrowd_us`, where errors of annotators agree with each other.

    Parameters
    ----------
    max_iter : int, default 500
        Most iterations (passes over the labels).
    tol : float, default 1e-6
        Stop when one step changes no expected probability by more than this.
    model : Literal["one-coin", "rows", "discrete"], default "one-coin"
        What an annotator is: one accuracy, a confusion matrix, or one of the kinds in `atoms`.
    alpha : float, default 2.0
        Prior weight of right labels: Beta(alpha, beta) for one coin; the diagonal of every Dirichlet row.
    beta : float, default 1.0
        Prior weight of wrong labels; in Dirichlet rows spread evenly over the wrong classes.
    rows : dict[str, Any] | None, default None
        Dirichlet parameters for `model=rows` by class names instead of `alpha` and `beta`, e.g. {"yes": {"yes": 4,
        "no": 1}, "no": {"yes": 2, "no": 4}}.
    atoms : list[Any] | None, default None
        Kinds of annotator for `model=discrete`, e.g. [{"weight": 0.3, "accuracy": 0.99}, {"weight": 0.7,
        "accuracy": 0.5}]; `confusion` (by class names, like `rows`) may stand for `accuracy`.
    init : Literal["majority", "uniform", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        First posteriors: `majority` (vote shares), `uniform`, or what `random` matrices, or those of another
        method, say.
    class_prior : Literal["learn", "uniform", "fixed"], default "uniform"
        Class shares: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.MeanField().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    Q. Liu, J. Peng, A. Ihler. Variational Inference for Crowdsourcing. NIPS 2012. ``crowdwise.page("mean-field")``
    has the whole page.
    """

    _id = "mean-field"
    _accepts = ("categorical",)
    _optional = frozenset({"rows", "atoms", "class_shares"})

    def __init__(
        self,
        *,
        max_iter: int = 500,
        tol: float = 1e-6,
        model: Literal["one-coin", "rows", "discrete"] = "one-coin",
        alpha: float = 2.0,
        beta: float = 1.0,
        rows: dict[str, Any] | None = None,
        atoms: list[Any] | None = None,
        init: Literal["majority", "uniform", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        class_prior: Literal["learn", "uniform", "fixed"] = "uniform",
        class_shares: dict[str, Any] | None = None,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.model = model
        self.alpha = alpha
        self.beta = beta
        self.rows = rows
        self.atoms = atoms
        self.init = init
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class BeliefPropagation(Aggregator):
    r"""Items and annotators exchange messages; what is unknown of an annotator is integrated out.

    Use it when labels are few: three or four per item or annotator. It then comes close to the best that any method
    can do. With 1,000 items, three labels each, four per annotator and accuracies from Beta(0.2, 0.1), it is right
    on 98.2 % of the items, `mean-field` on 96.4 %, majority vote on 74.4 %. It withstands a spammer who labelled
    everything and a prior that is somewhat wrong (76.0 % where mean field with rows falls to 50.1 %).

    Do not use the one-coin model when annotators are biased towards a class: on `bluebird` it errs on 27.8 %
    (majority vote 24.1 %), on `trec` on 43.0 % (majority vote 34.9 %). With `model=rows` it errs on 29.2 % on
    `trec`, the least of all methods here. For more than two classes and annotators with hundreds of labels,
    `model=rows` rests on a few draws from the prior and is rough (`dog` 17.8 %, majority vote 17.8 %, `mean-field`
    with rows 15.9 %): take `mean-field` or `bayes-dawid-skene` there. It falls below majority vote on `zencrowd_us`
    (14.6 % against 13.9 %), where errors agree.

    Parameters
    ----------
    max_iter : int, default 100
        Most exchanges of messages.
    tol : float, default 0.0001
        Stop when an exchange changes no message by more than this, as a probability.
    damping : float, default 0.0
        Share of the old message (in logarithms) that a new one keeps; raised by itself when messages swing.
    model : Literal["one-coin", "rows", "discrete"], default "one-coin"
        What an annotator is: one accuracy, a confusion matrix, or one of the kinds in `atoms`.
    alpha : float, default 2.0
        Prior weight of right labels: Beta(alpha, beta) for one coin; the diagonal of every Dirichlet row.
    beta : float, default 1.0
        Prior weight of wrong labels; in Dirichlet rows spread evenly over the wrong classes.
    rows : dict[str, Any] | None, default None
        Dirichlet parameters for `model=rows` by class names instead of `alpha` and `beta`, e.g. {"yes": {"yes": 4,
        "no": 1}, "no": {"yes": 2, "no": 4}}.
    atoms : list[Any] | None, default None
        Kinds of annotator for `model=discrete`, e.g. [{"weight": 0.3, "accuracy": 0.99}, {"weight": 0.7,
        "accuracy": 0.5}]; `confusion` (by class names, like `rows`) may stand for `accuracy`.
    form : Literal["auto", "quadrature", "monte-carlo", "polynomial"], default "auto"
        How an annotator's parameters are integrated out: `auto`, `quadrature`, `monte-carlo` or `polynomial`.
    draws : int, default 400
        Draws from the prior for `monte-carlo`.
    class_prior : Literal["learn", "uniform", "fixed"], default "uniform"
        Class shares: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.BeliefPropagation().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    Q. Liu, J. Peng, A. Ihler. Variational Inference for Crowdsourcing. NIPS 2012.
    ``crowdwise.page("belief-propagation")`` has the whole page.
    """

    _id = "belief-propagation"
    _accepts = ("categorical",)
    _optional = frozenset({"rows", "atoms", "class_shares"})

    def __init__(
        self,
        *,
        max_iter: int = 100,
        tol: float = 0.0001,
        damping: float = 0.0,
        model: Literal["one-coin", "rows", "discrete"] = "one-coin",
        alpha: float = 2.0,
        beta: float = 1.0,
        rows: dict[str, Any] | None = None,
        atoms: list[Any] | None = None,
        form: Literal["auto", "quadrature", "monte-carlo", "polynomial"] = "auto",
        draws: int = 400,
        class_prior: Literal["learn", "uniform", "fixed"] = "uniform",
        class_shares: dict[str, Any] | None = None,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.damping = damping
        self.model = model
        self.alpha = alpha
        self.beta = beta
        self.rows = rows
        self.atoms = atoms
        self.form = form
        self.draws = draws
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class KOS(_crowdkit.KOSCalls):
    r"""Reliabilities and answers refine each other by linear messages that leave out their own echo.

    Use it on large random assignments of equally many labels per item and per annotator, where its error falls
    exponentially with the number of labels and no prior is needed: with 1,000 items and annotators, 15 labels each
    and 30 % hammers it errs on 1 % of the items, majority vote on 11.6 %. It is also the fastest method that weighs
    annotators.

    Do not use it when labels are few: with l labels per item and r per annotator and mean squared reliability q it
    needs (l - 1)(r - 1) q² > 1. At l = r = 5 and 30 % hammers it errs on 20 to 46 %, majority vote on 24 %,
    `belief-propagation` on 15 %. Do not use it when annotators are biased towards a class (`bluebird` 27.8 %,
    `trec` 42.4 %; majority vote 24.1 % and 34.9 %). The published form fails when degrees are very unequal (`rte`
    50 %); dividing by them, the default here, repairs that (8.6 %; majority vote 10.3 %).

    Parameters
    ----------
    n_iter : int, default 100
        Most exchanges of messages.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    tol : float, default 0.0
        Stop when the messages move by less than this, relative to their size.
    classes : Literal["auto", "joint", "one-vs-rest", "thresholds"], default "auto"
        More than two classes: `joint`, `one-vs-rest`, `thresholds` (of ordered classes), or `auto` = thresholds if
        the classes are ordered, else joint.
    init : Literal["ones", "normal"], default "normal"
        First messages: `ones`, or `normal` = drawn from N(1, 1).
    by_degree : bool, default False
        Divide every message by the number of labels it sums: better when items or annotators have very unequal
        numbers.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.KOS().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    D. R. Karger, S. Oh, D. Shah. Budget-Optimal Task Allocation for Reliable Crowdsourcing Systems. Operations
    Research 62(1), 2014. ``crowdwise.page("kos")`` has the whole page.
    """

    _id = "kos"
    _accepts = ("categorical",)
    _renamed = {"n_iter": "max_iter"}

    def __init__(
        self,
        n_iter: int = 100,
        random_state: int | None = 0,
        *,
        tol: float = 0.0,
        classes: Literal["auto", "joint", "one-vs-rest", "thresholds"] = "auto",
        init: Literal["ones", "normal"] = "normal",
        by_degree: bool = False,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.random_state = random_state
        self.tol = tol
        self.classes = classes
        self.init = init
        self.by_degree = by_degree
        self.threads = threads
        self.progress = progress


class CNMFSpa(Aggregator):
    r"""Confusion matrices read off the corners of pairwise co-occurrences, without iterations.

    Use it as a start for iterative methods (`init=cnmf-spa`) when votes are a poor one: it does not depend on a
    first guess of the truth and cannot be caught in a local optimum. It is also the quickest way to confusion
    matrices: no iterations.

    Do not use its labels as the last word. It uses single columns of the co-occurrences, so noise goes straight
    into the result: on simulated data with 25 annotators and 1,000 items its matrices are about five times farther
    from the truth than those of EM. It needs, for every class, somebody who is (nearly) always right about that
    class, and annotators who share items in pairs. It falls below `majority-vote` where annotators share few items
    and classes are many (700 songs with 10 genres, 4 labels each: 57 % right, votes 70 %).

    Parameters
    ----------
    min_blocks : int, default 1
        More than this many others must share enough items with an annotator for its matrix to be estimated (7 in
        the published tables).
    min_common : int, default 1
        Items that two annotators must share for their co-occurrences to be used.
    nearest : int, default 1
        Columns averaged for each corner; more than 1 is steadier where annotators share few items.
    align : Literal["votes", "trace"], default "votes"
        How the columns of a matrix are given to classes: as they go with the `votes`, or by the largest `trace` as
        published (which cannot see an annotator who exchanges classes).
    others : Literal["votes", "leave-out"], default "votes"
        What becomes of annotators with too few overlaps: their matrices come from the `votes`, or they are left out
        of the decision (`leave-out`, as published).
    class_prior : Literal["uniform", "learn"], default "uniform"
        Class shares of the decision: `uniform` (as published), or `learn` those that the moments give.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.CNMFSpa().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    S. Ibrahim, X. Fu, N. Kargas, K. Huang. Crowdsourcing via Pairwise Co-occurrences: Identifiability and
    Algorithms. NeurIPS 2019. ``crowdwise.page("cnmf-spa")`` has the whole page.
    """

    _id = "cnmf-spa"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        min_blocks: int = 1,
        min_common: int = 1,
        nearest: int = 1,
        align: Literal["votes", "trace"] = "votes",
        others: Literal["votes", "leave-out"] = "votes",
        class_prior: Literal["uniform", "learn"] = "uniform",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.min_blocks = min_blocks
        self.min_common = min_common
        self.nearest = nearest
        self.align = align
        self.others = others
        self.class_prior = class_prior
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class CNMFOpt(Aggregator):
    r"""Confusion matrices that explain all pairwise co-occurrences, by a few rounds of mirror descent.

    Use it when annotators label many items in pairs but the votes are poor, or as a start for EM (`init=cnmf-opt`).
    It uses all co-occurrences, so its matrices are much nearer to the truth than those of `cnmf-spa` (simulated, 25
    annotators, 5,000 items: mean squared error 0.005 against 0.023; EM 0.004).

    Do not use it on small overlaps: every pair of annotators counts alike, however few items it shares.
    `weights=true` counts pairs by their items, which helps where overlaps are small and unequal and hurts where a
    few annotators share most items. It is slower than EM, since there are more pairs than labels, and its constants
    act as an early stop: more rounds give a better fit to the moments and often worse labels. It falls below
    `majority-vote` on sets where errors are shared (4 points on `fej2013`, 2 on `fact_eval`; `dawid-skene` falls
    too).

    Parameters
    ----------
    min_blocks : int, default 1
        More than this many others must share enough items with an annotator for its matrix to begin at its corners,
        as in cnmf-spa (7 in the published tables); the others begin with the votes.
    align : Literal["votes", "trace"], default "votes"
        How the columns of the first matrices are given to classes: as they go with the `votes`, or by the largest
        `trace` as published.
    order : Literal["share", "table"], default "share"
        In which order annotators are taken in a round: those who `share` most items first, whatever their names, or
        as in the `table` (published).
    rounds : int, default 10
        Rounds of mirror descent. Few rounds are part of the method: more of them fit the moments better and the
        truth worse.
    inner_iter : int, default 3
        Steps on one matrix in a round.
    step : float, default 0.1
        First step size that is tried; it shrinks by a tenth until the divergence falls enough.
    tol : float, default 1e-6
        Stop when a round changes the divergence by less than this part.
    weights : bool, default False
        Count each pair of annotators by the items that they share. Helps where overlaps are small and unequal,
        hurts where a few annotators share most items.
    class_prior : Literal["uniform", "learn"], default "uniform"
        Class shares of the decision: `uniform` (as published), or `learn` those of the factorisation.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.CNMFOpt().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    S. Ibrahim, X. Fu, N. Kargas, K. Huang. Crowdsourcing via Pairwise Co-occurrences: Identifiability and
    Algorithms. NeurIPS 2019. ``crowdwise.page("cnmf-opt")`` has the whole page.
    """

    _id = "cnmf-opt"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        min_blocks: int = 1,
        align: Literal["votes", "trace"] = "votes",
        order: Literal["share", "table"] = "share",
        rounds: int = 10,
        inner_iter: int = 3,
        step: float = 0.1,
        tol: float = 1e-6,
        weights: bool = False,
        class_prior: Literal["uniform", "learn"] = "uniform",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.min_blocks = min_blocks
        self.align = align
        self.order = order
        self.rounds = rounds
        self.inner_iter = inner_iter
        self.step = step
        self.tol = tol
        self.weights = weights
        self.class_prior = class_prior
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class CNMFEm(WarmAggregator):
    r"""Dawid-Skene by EM, started from the corners of pairwise co-occurrences.

    Use it instead of `dawid-skene` when the votes are a bad start: many weak or opposed annotators, classes that
    the majority misses, a few experts. Where the votes are a good start both end at the same place.

    Do not use it where `dawid-skene` does not work either: few labels per annotator and class, sources that only
    vote one class, correlated errors (see its page). With few items shared between annotators the start comes from
    the votes anyway, and a finding says so. It falls below `majority-vote` on the same sets as `dawid-skene` does,
    by about as much.

    Parameters
    ----------
    min_blocks : int, default 1
        More than this many others must share enough items with an annotator for its matrix to be estimated (7 in
        the published tables); the others begin with the votes.
    min_common : int, default 1
        Items that two annotators must share for their co-occurrences to be used.
    nearest : int, default 1
        Columns averaged for each corner; more than 1 is steadier where annotators share few items.
    align : Literal["votes", "trace"], default "votes"
        How the columns of a matrix are given to classes: as they go with the `votes`, or by the largest `trace` as
        published.
    max_iter : int, default 1000
        Most iterations of EM (10 in the published tables).
    tol : float, default 1e-6
        Stop when one EM step changes no probability, of a confusion matrix or of a class, by more than this.
    alpha : float, default 0.01
        Smoothing: added to every cell of the expected counts.
    class_prior : Literal["learn", "uniform", "fixed"], default "learn"
        Class shares: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    beta : float, default 0.0
        Added to every class count when class shares are learned.
    zeros : Literal["floor", "eps", "skip", "counts"], default "floor"
        What a probability of exactly zero becomes (only without smoothing): `floor` 1e-10, `eps` 2.2e-16, or `skip`
        (the label then says nothing about that class).
    accelerate : bool, default True
        Extrapolate (SQUAREM): the same optimum in fewer iterations.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.CNMFEm().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    S. Ibrahim, X. Fu, N. Kargas, K. Huang. Crowdsourcing via Pairwise Co-occurrences: Identifiability and
    Algorithms. NeurIPS 2019. ``crowdwise.page("cnmf-em")`` has the whole page.
    """

    _id = "cnmf-em"
    _accepts = ("categorical",)
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        *,
        min_blocks: int = 1,
        min_common: int = 1,
        nearest: int = 1,
        align: Literal["votes", "trace"] = "votes",
        max_iter: int = 1000,
        tol: float = 1e-6,
        alpha: float = 0.01,
        class_prior: Literal["learn", "uniform", "fixed"] = "learn",
        class_shares: dict[str, Any] | None = None,
        beta: float = 0.0,
        zeros: Literal["floor", "eps", "skip", "counts"] = "floor",
        accelerate: bool = True,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.min_blocks = min_blocks
        self.min_common = min_common
        self.nearest = nearest
        self.align = align
        self.max_iter = max_iter
        self.tol = tol
        self.alpha = alpha
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.beta = beta
        self.zeros = zeros
        self.accelerate = accelerate
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class SymNmf(Aggregator):
    r"""Confusion matrices from one symmetric factorisation of all pairwise co-occurrences.

    Use it when annotators overlap in pairs in some irregular way and each has a few labels per cell of its matrix:
    it combines all pairs, counts them by their common items, and needs no annotator to be perfect on a class. On
    such data it is as good as EM (RTE: 7.1 % wrong, `dawid-skene` 7.3, votes 10.3; Dog 16.5, 15.7 and 17.8, or 14.9
    with all annotators in the factorisation, `min_labels=0`), and it is a good start for EM (`init=sym-nmf`).

    Do not use it with few labels per annotator and many classes: the factors are then mostly noise. Annotators with
    fewer than `min_labels` labels per cell (5 K² in all) take no part in the factorisation and get their matrices
    afterwards; if nobody has enough, the result is that of the votes, and a finding says so. It falls below
    `majority-vote` where errors are shared or one class dominates: 5 points on `fej2013`, 4 on `zencrowd_us`, 22 on
    `adult2`.

    Parameters
    ----------
    init : Literal["eigenvectors", "votes", "both"], default "both"
        Where the search for the common subspace begins: the leading `eigenvectors` of all co-occurrences, the
        matrices of the `votes`, or `both`, of which the one under which the labels are more likely is kept.
    max_iter : int, default 50
        Most sweeps over the annotators in the search for the common subspace.
    tol : float, default 1e-6
        Stop when a sweep changes the factors by less than this part.
    restarts : int, default 10
        Rotations that are tried: the first begins at the votes, the others at random; the one with the smallest
        negative part is kept.
    weights : bool, default True
        Count each pair of annotators by the items that they share.
    impute : bool, default False
        Fill co-occurrences that nobody saw from those of third annotators before the first eigenvectors are taken;
        for data where few annotators share items.
    min_labels : float, default 5.0
        Labels per cell of a confusion matrix (K x K cells) that an annotator needs to take part in the
        factorisation; the others get their matrices afterwards, from the labels that it gives.
    class_prior : Literal["uniform", "learn"], default "uniform"
        Class shares of the decision: `uniform`, or `learn` those of the factorisation.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.SymNmf().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    S. Ibrahim, X. Fu. Crowdsourcing via Annotator Co-occurrence Imputation and Provable Symmetric Nonnegative
    Matrix Factorization. ICML 2021. ``crowdwise.page("sym-nmf")`` has the whole page.
    """

    _id = "sym-nmf"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        init: Literal["eigenvectors", "votes", "both"] = "both",
        max_iter: int = 50,
        tol: float = 1e-6,
        restarts: int = 10,
        weights: bool = True,
        impute: bool = False,
        min_labels: float = 5.0,
        class_prior: Literal["uniform", "learn"] = "uniform",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.restarts = restarts
        self.weights = weights
        self.impute = impute
        self.min_labels = min_labels
        self.class_prior = class_prior
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class CTD(Aggregator):
    r"""Confusion matrices that explain what single annotators, pairs and triples say, by ADMM.

    Use it when at least three annotators share many items: triples determine the matrices without the help of a
    perfect annotator, and without a first guess of the truth. It is also a start for EM (`init=ctd`).

    Do not use it with small overlaps: third moments are noisy, and every triple counts alike. On real sets it was
    seldom better than EM and sometimes much worse; it falls below `majority-vote` on sets with many classes and few
    labels (`music`: 10 classes, 4 labels an item) and on `adult2`. It is the slowest method of this family.

    Parameters
    ----------
    max_iter : int, default 100
        Most rounds over all matrices.
    tol : float, default 1e-6
        Stop when a round changes the matrices, and the class shares, by less than this part in all.
    inner_iter : int, default 10
        Steps of ADMM on one matrix in a round.
    max_triples : int, default 1500
        Triples of annotators at most; with up to 20 annotators all are used.
    min_common : int, default 20
        Items that a triple should share; triples with fewer are used only where there are not enough others.
    restarts : int, default 3
        Starts in all; those after the first are random, and the one under whose matrices the labels are likeliest
        is kept.
    init : Literal["majority", "random", "cnmf-spa"], default "majority"
        Where the first start begins: at the matrices of the votes (`majority`), at `random` ones as published, or
        at those of `cnmf-spa`.
    class_prior : Literal["uniform", "learn"], default "learn"
        Class shares of the decision: `learn` those of the decomposition (as published), or `uniform`.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.CTD().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    P. A. Traganitis, A. Pagès-Zamora, G. B. Giannakis. Blind Multiclass Ensemble Classification. IEEE Transactions
    on Signal Processing 66(18), 2018. ``crowdwise.page("ctd")`` has the whole page.
    """

    _id = "ctd"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 100,
        tol: float = 1e-6,
        inner_iter: int = 10,
        max_triples: int = 1500,
        min_common: int = 20,
        restarts: int = 3,
        init: Literal["majority", "random", "cnmf-spa"] = "majority",
        class_prior: Literal["uniform", "learn"] = "learn",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.inner_iter = inner_iter
        self.max_triples = max_triples
        self.min_common = min_common
        self.restarts = restarts
        self.init = init
        self.class_prior = class_prior
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Spem(Aggregator):
    r"""Dawid-Skene in rounds that leave out the annotators whose labels carry no information.

    Use it when there are many spammers, and above all to get a list of them: with 30 % of annotators added to `rte`
    who draw their answers or always say the same, of 20 labels and more each, it finds 42 to 46 of 49, and the
    error goes from 7.13 to 7.25 %. The labels themselves gain little over `dawid-skene`, which gives spammers no
    weight either; what is gained is a model with fewer parameters.

    Do not use it with few labels per annotator: somebody who met three items of the rare class looks like a
    spammer. It falls below majority vote where `dawid-skene` does. An annotator who is right about one rare class
    only carries little information in all, and may be left out although nobody else knows that class.

    Parameters
    ----------
    max_iter : int, default 1000
        Most EM iterations (passes over the labels) in each round.
    tol : float, default 1e-6
        Stop EM when one step changes no probability, of a confusion matrix or of a class, by more than this.
    alpha : float, default 1.0
        Smoothing: added to every cell of the expected counts. Less of it lets annotators with few labels look
        informative.
    class_prior : Literal["learn", "uniform", "fixed"], default "learn"
        Class shares: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    beta : float, default 0.0
        Added to every class count when class shares are learned.
    threshold : float, default 0.05
        Annotators with a spammer score (0 = no information, 1 = perfect or perfectly exchanged; times n / (n + 10)
        for n labels) below this are left out.
    min_labels : int, default 10
        Annotators with fewer labels stay, whatever their score.
    max_rounds : int, default 10
        Most rounds of EM and leaving out.
    accelerate : bool, default True
        Extrapolate (SQUAREM): the same optimum in fewer iterations.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Where the iterations of every round begin: the vote shares (`majority`), `random` matrices, or those of
        another method.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.Spem().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    V. C. Raykar, S. Yu. Eliminating Spammers and Ranking Annotators for Crowdsourced Labeling Tasks. JMLR 13, 2012.
    ``crowdwise.page("spem")`` has the whole page.
    """

    _id = "spem"
    _accepts = ("categorical",)
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-6,
        alpha: float = 1.0,
        class_prior: Literal["learn", "uniform", "fixed"] = "learn",
        class_shares: dict[str, Any] | None = None,
        beta: float = 0.0,
        threshold: float = 0.05,
        min_labels: int = 10,
        max_rounds: int = 10,
        accelerate: bool = True,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha = alpha
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.beta = beta
        self.threshold = threshold
        self.min_labels = min_labels
        self.max_rounds = max_rounds
        self.accelerate = accelerate
        self.init = init
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class SpectralSVD(Aggregator):
    r"""Signs of the leading singular vector of the matrix of labels.

    Use it when (nearly) every annotator labelled every item: then one vector is all that is needed, no start, no
    likelihood, a few dozen passes over the labels. With 200 items, 100 annotators and accuracies between 0.55 and
    0.8 it errs on less than 1 % of the items.

    Do not use it when labels are missing. Who labelled most then decides where the leading vector lies: on `rte` it
    errs on 49 % of the items and on `trec` on 43 % (majority vote 10.3 and 34.9 %). It also falls below majority
    vote when annotators have a bias towards a class (`ws_youtube` 0.46, majority vote 0.82) and with many classes
    (`music` 0.57, majority vote 0.70). `sparse-spectral-svd` repairs the first.

    Parameters
    ----------
    max_iter : int, default 1000
        Most products with the matrix of labels and its transpose, for each part of the data and each problem that
        the classes make.
    tol : float, default 1e-10
        Stop when the singular vector solves its equation up to this share of the squared singular value.
    classes : Literal["auto", "joint", "one-vs-rest", "thresholds"], default "auto"
        More than two classes: `joint`, `one-vs-rest`, `thresholds` (of ordered classes, as in published tables), or
        `auto` = thresholds if the classes are ordered, else joint.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.SpectralSVD().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    A. Ghosh, S. Kale, P. McAfee. Who Moderates the Moderators? Crowdsourcing Abuse Detection in User-Generated
    Content. EC 2011. ``crowdwise.page("spectral-svd")`` has the whole page.
    """

    _id = "spectral-svd"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-10,
        classes: Literal["auto", "joint", "one-vs-rest", "thresholds"] = "auto",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.classes = classes
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class SparseSpectralSVD(Aggregator):
    r"""Ratio of the leading eigenvectors of agreement and of overlap, for data with gaps.

    Use it for two classes with missing labels when a fast answer without iterations over a likelihood is wanted, or
    as a second opinion that shares no assumption about starts with EM: `rte` 9.0 % errors (majority vote 10.3 %),
    `temp` 0.942, `relevance_s` 0.605 (majority vote 0.541).

    Do not use it when annotators are biased towards a class: it has one weight for both kinds of error and falls
    below majority vote (`bluebird` 27.8 % errors against 24.1, `trec` 38.7 against 34.9; `ws_youtube` 0.46 right
    against 0.82). It needs pairs of annotators with several common items: with one or two the agreement of a pair
    is a coin (`adult2` 0.72, majority vote 0.76).

    Parameters
    ----------
    max_iter : int, default 1000
        Most products with a matrix, for each part of the data, each problem that the classes make and each of the
        two matrices.
    tol : float, default 1e-12
        Stop when an eigenvector solves its equation up to this share of the eigenvalue.
    overlap : Literal["mean", "sum"], default "mean"
        What two annotators have in common: the `mean` agreement on their common items, whatever their number, or
        its `sum` over them (cheaper, and linear in labels for any number of labels an item).
    classes : Literal["auto", "joint", "one-vs-rest", "thresholds"], default "auto"
        More than two classes: `joint`, `one-vs-rest`, `thresholds` (of ordered classes, as in published tables), or
        `auto` = thresholds if the classes are ordered, else joint.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.SparseSpectralSVD().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    N. Dalvi, A. Dasgupta, R. Kumar, V. Rastogi. Aggregating Crowdsourced Binary Ratings. WWW 2013.
    ``crowdwise.page("sparse-spectral-svd")`` has the whole page.
    """

    _id = "sparse-spectral-svd"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-12,
        overlap: Literal["mean", "sum"] = "mean",
        classes: Literal["auto", "joint", "one-vs-rest", "thresholds"] = "auto",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.overlap = overlap
        self.classes = classes
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class KosSVD(Aggregator):
    r"""Leading singular vector of the column-centred matrix of labels, the spectral stand-in for KOS.

    Use it to recompute published tables, and on complete data with biased annotators: taking off the mean removes
    the bias (`bluebird` 11.1 % errors, majority vote 24.1 %; `prelec_states` 0.82, majority vote 0.64).

    Do not use it when labels are missing: a missing label counts as 0, which after centring is an answer like any
    other, and the leading vector tells who labelled what rather than what is true. It is worse than a coin on
    `trec` (52 % errors), and below majority vote on `rte` (39.8 % errors against 10.3), `medre_cause`, `music`,
    `relevance_s`, `fej2013` and most others. For message passing as Karger, Oh and Shah describe it, use `kos`.

    Parameters
    ----------
    max_iter : int, default 1000
        Most products with the matrix of labels and its transpose, for each part of the data and each problem that
        the classes make.
    tol : float, default 1e-10
        Stop when the singular vector solves its equation up to this share of the squared singular value.
    classes : Literal["auto", "joint", "one-vs-rest", "thresholds"], default "auto"
        More than two classes: `joint`, `one-vs-rest`, `thresholds` (of ordered classes, as in published tables), or
        `auto` = thresholds if the classes are ordered, else joint.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.KosSVD().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    D. R. Karger, S. Oh, D. Shah. Iterative Learning for Reliable Crowdsourcing Systems. NIPS 2011.
    ``crowdwise.page("kos-svd")`` has the whole page.
    """

    _id = "kos-svd"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-10,
        classes: Literal["auto", "joint", "one-vs-rest", "thresholds"] = "auto",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.classes = classes
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class SpectralEm(WarmAggregator):
    r"""Confusion matrices from third moments of three groups of annotators, then Dawid-Skene EM.

    Use it when EM from the votes may be caught by a bad majority: the start does not use votes, and with enough
    labels it is right whatever most say (up to the names of the classes). On data with few classes it ends where
    Dawid-Skene ends, or at a somewhat better likelihood (`rte` 0.929, `dawid-skene` 0.927).

    Do not use it with many classes and few labels: third moments of K classes have K³ entries. It falls below
    `dawid-skene` and majority vote then (`weather_amt` 0.81 for 0.85, `valence5`, `music` 0.68 for 0.70), and below
    majority vote wherever `dawid-skene` does (`fact_eval`, `ws_youtube`, `ws_hausa`). If most splits cannot tell
    the classes apart it says so (`no-spectral-start`) and begins at the votes.

    Parameters
    ----------
    max_iter : int, default 1000
        Most EM iterations (passes over the labels) from each start.
    tol : float, default 1e-6
        Stop when one EM step changes no probability, of a confusion matrix or of a class, by more than this.
    alpha : float, default 0.01
        Smoothing: added to every cell of the expected counts of the EM stage.
    class_prior : Literal["learn", "uniform", "fixed"], default "learn"
        Class shares of the EM stage: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    beta : float, default 0.0
        Added to every class count when class shares are learned.
    zeros : Literal["floor", "eps", "skip", "counts"], default "floor"
        What a probability of exactly zero becomes (only without smoothing): `floor` 1e-10, `eps` 2.2e-16, or
        `skip`.
    split : Literal["random", "order"], default "random"
        How annotators are first split into three groups: at `random` (with the seed, equal numbers of labels), or
        in `order` of the table, every third one. Further starts are always random.
    restarts : int, default 5
        Splits that are tried; the one with the best objective after EM is kept.
    accelerate : bool, default True
        Extrapolate (SQUAREM): the same optimum in fewer iterations.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.SpectralEm().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    Y. Zhang, X. Chen, D. Zhou, M. I. Jordan. Spectral Methods Meet EM: A Provably Optimal Algorithm for
    Crowdsourcing. JMLR 17, 2016. ``crowdwise.page("spectral-em")`` has the whole page.
    """

    _id = "spectral-em"
    _accepts = ("categorical",)
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-6,
        alpha: float = 0.01,
        class_prior: Literal["learn", "uniform", "fixed"] = "learn",
        class_shares: dict[str, Any] | None = None,
        beta: float = 0.0,
        zeros: Literal["floor", "eps", "skip", "counts"] = "floor",
        split: Literal["random", "order"] = "random",
        restarts: int = 5,
        accelerate: bool = True,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha = alpha
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.beta = beta
        self.zeros = zeros
        self.split = split
        self.restarts = restarts
        self.accelerate = accelerate
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class MMSR(_crowdkit.MMSRCalls):
    r"""Skills from trimmed ratios of pairwise agreement, robust to a minority of corrupted annotators.

    Use it when some annotators may be corrupted, above all together: with 8 of 28 who all give the opposite of one
    shared answer, majority vote errs on 22 %, this method on 0.45 %, as good as with the honest 20 alone. It is
    also a fast one-coin method for many classes (`music` 0.80, majority vote 0.70).

    Do not use it when overlaps are small: the agreement of two annotators with one common item is 0 or 1, and its
    size says nothing (`rte` 0.90 as majority vote, `one-coin` 0.93). It falls below majority vote when annotators
    are biased towards a class (`ws_youtube` 0.67 against 0.82, `prelec_states` 0.57 against 0.64), because it knows
    one accuracy per annotator.

    Parameters
    ----------
    n_iter : int, default 10000
        Most rounds of trimmed ratios, for each part of the data.
    tol : float, default 1e-10
        Stop when no skill (0 = guesses, 1 = always right) changes by more than this in a round.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    corrupted : int | None, default None
        How many of the annotators with whom somebody shares items may be corrupted: so many of the largest and of
        the smallest ratios are left out for each. `null`: half of them less one, at most a quarter of all
        annotators.
    adversaries : Literal["ignore", "reverse"], default "reverse"
        Labels of annotators who seem worse than guessing: `ignore` them, or `reverse` them (count them against the
        class they name).
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.MMSR().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    Q. Ma, A. Olshevsky. Adversarial Crowdsourcing Through Robust Rank-One Matrix Completion. NeurIPS 2020.
    ``crowdwise.page("mmsr")`` has the whole page.
    """

    _id = "mmsr"
    _accepts = ("categorical",)
    _renamed = {"n_iter": "max_iter"}

    def __init__(
        self,
        n_iter: int = 10000,
        tol: float = 1e-10,
        random_state: int | None = 0,
        *,
        corrupted: int | None = None,
        adversaries: Literal["ignore", "reverse"] = "reverse",
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.random_state = random_state
        self.corrupted = corrupted
        self.adversaries = adversaries
        self.threads = threads
        self.progress = progress


class LfEm(Aggregator):
    r"""Label model for sources that choose whether to vote: silence is evidence, copies share a weight.

    Use it for labelling functions, heuristics, lookups, patterns, classifiers with a threshold: sources that fire
    on some items and are silent on the rest. On such data every model that ignores silence collapses, because a
    vote that is always the same carries no information in it: on `ws_youtube` Dawid-Skene has 0.49 (majority vote
    0.817, `lf-em` 0.847), on `ws_hausa` 0.28 (0.493, 0.509).

    Do not use it for ordinary crowds, where a missing label means that nobody asked: silence is then no decision
    (`rte` 0.901, where Dawid-Skene has 0.928), and it can fall below majority vote. Tell it about the items on
    which nobody voted (`--items`): they belong to the rates. With two classes and sources that overlap,
    `centred-triplets` is often better.

    Parameters
    ----------
    max_iter : int, default 300
        Most iterations (passes over the votes).
    tol : float, default 1e-7
        Stop when one step changes no posterior by more than this.
    lift : float, default 3.0
        How many times likelier a source is believed to vote for a class on items of it than on others.
    strength : float, default 0.25
        Weight of that belief, as a share of the number of items.
    class_prior : Literal["learn", "uniform", "fixed"], default "uniform"
        Class shares: all alike, as given in `class_shares`, or learned (only for many independent sources).
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    abstentions : bool, default True
        Count silence as evidence. Without it items on which nobody votes keep the class shares.
    copy_threshold : float, default 0.5
        Sources of one label that vote on the same items more than this (phi correlation) share one weight. 1:
        never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.LfEm().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    A. Ratner, C. De Sa, S. Wu, D. Selsam, C. Ré. Data Programming: Creating Large Training Sets, Quickly. NIPS
    2016. ``crowdwise.page("lf-em")`` has the whole page.
    """

    _id = "lf-em"
    _accepts = ("categorical",)
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        *,
        max_iter: int = 300,
        tol: float = 1e-7,
        lift: float = 3.0,
        strength: float = 0.25,
        class_prior: Literal["learn", "uniform", "fixed"] = "uniform",
        class_shares: dict[str, Any] | None = None,
        abstentions: bool = True,
        copy_threshold: float = 0.5,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.lift = lift
        self.strength = strength
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.abstentions = abstentions
        self.copy_threshold = copy_threshold
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class CentredTriplets(Aggregator):
    r"""Rates of labelling functions in closed form from three sources at a time; no iterations.

    The best label model measured for two classes and sources that overlap: `ws_youtube` 0.913 on covered items
    (majority vote 0.858, `lf-em` 0.860). It needs no iterations, and sources may vote one class only. Give it the
    class shares if you know them.

    It needs three sources or more that vote on common items. Where sources exclude one another there are no
    triples, and it gives the result of `lf-em` and says so. With more than two classes the rest is a mixture and
    the closed form is biased (`label-model` is better). It can fall below majority vote when sources copy one
    another.

    Parameters
    ----------
    class_shares : dict[str, Any] | None, default None
        Shares by class name, as a JSON object. Empty: all alike.
    abstentions : bool, default False
        Count silence as evidence. Without it items on which nobody votes keep the class shares.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.CentredTriplets().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    D. Y. Fu, M. F. Chen, F. Sala, S. M. Hooper, K. Fatahalian, C. Ré. Fast and Three-rious: Speeding Up Weak
    Supervision with Triplet Methods. ICML 2020. ``crowdwise.page("centred-triplets")`` has the whole page.
    """

    _id = "centred-triplets"
    _accepts = ("categorical",)
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        *,
        class_shares: dict[str, Any] | None = None,
        abstentions: bool = False,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.class_shares = class_shares
        self.abstentions = abstentions
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class LabelModel(Aggregator):
    r"""Rates of labelling functions from how often they vote together, then a posterior in one pass.

    Use it for labelling functions with more than two classes: with four classes and twenty one-class sources it
    reaches 0.770 where knowing the rates gives 0.775 (majority vote 0.731). The fit looks at the votes once; its
    steps cost nothing per item.

    It takes sources as independent given the class: near-copies mislead it, and it then falls below majority vote
    (0.75 against 0.826 with three copies among ten sources; `lf-em` weighs copies down). With two classes
    `centred-triplets` is better. Class shares that are far from the truth hurt: give them if you know them.

    Parameters
    ----------
    max_iter : int, default 3000
        Most steps of the optimiser. They cost no pass over the votes.
    tol : float, default 1e-7
        Stop when one step changes no rate by more than this.
    prior_accuracy : float, default 0.7
        Precision of a vote that the fit begins with and is drawn to.
    lambda_ : float, default 0.01
        How strongly.
    learning_rate : float, default 0.01
        Length of a step (Adam).
    class_shares : dict[str, Any] | None, default None
        Shares by class name, as a JSON object. Empty: all alike.
    abstentions : bool, default True
        Count silence as evidence. Without it items on which nobody votes keep the class shares.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.LabelModel().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    A. Ratner, B. Hancock, J. Dunnmon, F. Sala, S. Pandey, C. Ré. Training Complex Models with Multi-Task Weak
    Supervision. AAAI 2019. ``crowdwise.page("label-model")`` has the whole page.
    """

    _id = "label-model"
    _accepts = ("categorical",)
    _renamed = {"lambda_": "lambda"}
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        *,
        max_iter: int = 3000,
        tol: float = 1e-7,
        prior_accuracy: float = 0.7,
        lambda_: float = 0.01,
        learning_rate: float = 0.01,
        class_shares: dict[str, Any] | None = None,
        abstentions: bool = True,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.prior_accuracy = prior_accuracy
        self.lambda_ = lambda_
        self.learning_rate = learning_rate
        self.class_shares = class_shares
        self.abstentions = abstentions
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Crowdlab(Aggregator):
    r"""Weighted average of annotators' labels and a classifier's class probabilities; closed form.

    Use it when a classifier was trained on the same task (on majority votes, say) and items have one to three
    labels: on `labelme` (2.5 labels an item) it has 0.793 with a linear classifier whose own accuracy is about that
    of the vote (0.766). Give probabilities with `--probabilities FILE`: one row per item, one column per class.

    Probabilities must be out of sample (cross-validated): a classifier that has learned an item's own labels
    repeats them and gets a weight that it does not deserve. With many labels an item the classifier hardly counts,
    and a model of annotators is better: weights know accuracy only, no confusions, so that it falls below majority
    vote where annotators share a bias. Without probabilities it is an error.

    Parameters
    ----------
    rounds : int, default 2
        Estimates of all weights: each after the first starts from the consensus of the one before.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> p = crowdwise.MajorityVote().fit_predict_proba(sim.answers)  # of a classifier, in earnest
    >>> labels = crowdwise.Crowdlab().fit_predict(sim.answers, probabilities=p)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    H. W. Goh, U. Tkachenko, J. Mueller. CROWDLAB: Supervised Learning to Infer Consensus Labels and Quality Scores
    for Data with Multiple Annotators. 2022. ``crowdwise.page("crowdlab")`` has the whole page.
    """

    _id = "crowdlab"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        rounds: int = 2,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.rounds = rounds
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class OrdinalVb(WarmAggregator):
    r"""Confusion matrices drawn towards those of an ordinal scale, by variational Bayes.

    The recommended method for ordered classes. On `valence5` it has 0.48 (majority vote 0.35, Dawid-Skene 0.44),
    and on `adult2` and `relevance_s` the smallest mean distance from the true grade of all methods tried (0.273 and
    0.507 classes; Dawid-Skene 0.309 and 0.533). For classes without an order it costs a point or so (`dog` 0.832
    against 0.843 for Dawid-Skene).

    It falls below majority vote where annotators share a bias that no order explains, and on sources that vote one
    class only. Classes are taken in their order (numbers by value, other names by alphabet).

    Parameters
    ----------
    max_iter : int, default 200
        Most iterations (passes over the labels) after the scale is fitted.
    tol : float, default 1e-6
        Stop when one step changes no expected probability by more than this.
    strength : float, default 5.0
        Weight of the ordinal rows in those of an annotator, in labels.
    alpha : float, default 1.0
        Dirichlet parameter of the class shares.
    scale_iter : int, default 30
        Most rounds of EM for the scale.
    slip : float, default 0.02
        Share of labels that are slips, spread evenly.
    bias_sd : float, default 0.5
        Spread of the annotators' biases, in units of the spread of items.
    noise_sd : float, default 0.5
        Spread of the logarithms of the annotators' noises around their mean.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.OrdinalVb().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    F. Samejima. Estimation of Latent Ability Using a Response Pattern of Graded Scores. Psychometrika Monograph 17,
    1969. ``crowdwise.page("ordinal-vb")`` has the whole page.
    """

    _id = "ordinal-vb"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 200,
        tol: float = 1e-6,
        strength: float = 5.0,
        alpha: float = 1.0,
        scale_iter: int = 30,
        slip: float = 0.02,
        bias_sd: float = 0.5,
        noise_sd: float = 0.5,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.strength = strength
        self.alpha = alpha
        self.scale_iter = scale_iter
        self.slip = slip
        self.bias_sd = bias_sd
        self.noise_sd = noise_sd
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Ordinal(Aggregator):
    r"""Items have positions on a scale; annotators see them with a bias and a noise; thresholds are shared.

    Use it for grades, levels and ratings on a short scale when you want positions, biases (who is strict, who is
    mild) and noises rather than labels alone. Where the data follow the model it is far better than models that
    know no order (simulated grades of five classes, six labels an item: 0.78; majority vote 0.57, Dawid-Skene
    0.62).

    For labels on real scales prefer `ordinal-vb`: if annotators share a bias, or a class lies not on the scale
    ("cannot say" coded as a grade), shared thresholds put items into the wrong class and it falls far below
    majority vote (`relevance_s` 0.21 against 0.54, `valence5` 0.31 against 0.35). For two classes bias and noise
    are hardly identified: use `bayes-dawid-skene`. Classes are taken in their order (numbers by value, other names
    by alphabet): check that it is the one you mean.

    Parameters
    ----------
    max_iter : int, default 30
        Most rounds of EM (one pass over the labels and one search each).
    tol : float, default 0.00001
        Stop when a round raises the objective by less than this part of it.
    inner_iter : int, default 15
        Steps of the search in a round.
    slip : float, default 0.02
        Share of labels that are slips, spread evenly: bounds what one wild label can do.
    bias_sd : float, default 0.5
        Spread of the annotators' biases, in units of the spread of items.
    noise_sd : float, default 0.5
        Spread of the logarithms of the annotators' noises around their mean.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.Ordinal().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    F. Samejima. Estimation of Latent Ability Using a Response Pattern of Graded Scores. Psychometrika Monograph 17,
    1969. ``crowdwise.page("ordinal")`` has the whole page.
    """

    _id = "ordinal"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 30,
        tol: float = 0.00001,
        inner_iter: int = 15,
        slip: float = 0.02,
        bias_sd: float = 0.5,
        noise_sd: float = 0.5,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.inner_iter = inner_iter
        self.slip = slip
        self.bias_sd = bias_sd
        self.noise_sd = noise_sd
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class MACE(_crowdkit.MACECalls):
    r"""Each annotator knows the answer with some probability and otherwise guesses by a strategy of their own.

    Use it to find out **whom to trust**: competence is a single number per annotator that separates careful people
    from those who click the same button or click at random, even when the random clicks happen to be right. It
    needs few labels per annotator and works for any number of classes. Control items (known truth, `--gold`) make
    it stronger.

    Do not use it when careful annotators make *systematic* mistakes: in MACE a wrong label is always a guess, so
    two classes that everybody confuses look like incompetence (use `dawid-skene`). An adversary is not turned
    round: a label that is wrong on purpose counts as a guess and is ignored. The truth is taken to be spread evenly
    over the classes; with very uneven classes and few labels an item that pulls towards rare ones. On `zencrowd_us`
    (entity linking) it loses to the vote, 81 against 86 %.

    Parameters
    ----------
    n_restarts : int, default 10
        Starts in all; the best by objective is kept. A warm start replaces all of them.
    n_iter : int, default 50
        Most iterations of each restart.
    method : str, default "vb"
        `vb` keeps a distribution over every annotator's competence and strategy (safer with few labels); `em` takes
        their most likely values.
    smoothing : float | None, default 0.1
        As in crowd-kit; see `fit`.
    default_noise : float, default 0.5
        Size of the random part of a start: parameters start at 1 + noise x U(0, 1), normalised.
    alpha : float, default 0.5
        `vb`: prior count of guessed labels per annotator.
    beta : float, default 0.5
        `vb`: prior count of known labels per annotator.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    verbose : int, default 0
        As in crowd-kit; see `fit`.
    tol : float, default 0.0
        Stop when no competence of any restart changes by more than this.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "random"
        The first start: `random` as the others, or competence and strategy read off the matrices of the votes
        (`majority`) or of another method.
    strategy : float, default 10.0
        `vb`: prior count of guesses for every class; large values pull every guessing strategy towards even.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.MACE().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    D. Hovy, T. Berg-Kirkpatrick, A. Vaswani, E. Hovy. Learning whom to trust with MACE. NAACL-HLT 2013, 1120-1130
    ``crowdwise.page("mace")`` has the whole page.
    """

    _id = "mace"
    _accepts = ("categorical",)
    _renamed = {"n_restarts": "restarts", "n_iter": "max_iter", "method": "inference", "smoothing": None, "default_noise": "noise", "verbose": None}

    def __init__(
        self,
        n_restarts: int = 10,
        n_iter: int = 50,
        method: str = "vb",
        smoothing: float | None = 0.1,
        default_noise: float = 0.5,
        alpha: float = 0.5,
        beta: float = 0.5,
        random_state: int | None = 0,
        verbose: int = 0,
        *,
        tol: float = 0.0,
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "random",
        strategy: float = 10.0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_restarts = n_restarts
        self.n_iter = n_iter
        self.method = method
        self.smoothing = smoothing
        self.default_noise = default_noise
        self.alpha = alpha
        self.beta = beta
        self.random_state = random_state
        self.verbose = verbose
        self.tol = tol
        self.init = init
        self.strategy = strategy
        self.threads = threads
        self.progress = progress


class GLAD(_crowdkit.GLADCalls):
    r"""Abilities of annotators and difficulties of items decide together whether a label is right.

    Use it when items clearly differ in difficulty and you want to see which ones are hard: a disagreement on an
    easy item then speaks against the annotators, one on a hard item does not. Works for two or more classes, and
    with few labels per annotator (one number each).

    Do not use it when annotators are biased towards a class: errors are symmetric in the model, so a crowd that
    calls most things "no" is misread (`bluebird`: 27.8 % errors, Dawid-Skene 11.1 %). With three to five labels an
    item, difficulties rest mostly on the prior: read them as a ranking. Ability and ease only appear as a product;
    their common scale comes from the priors alone.

    Parameters
    ----------
    n_iter : int, default 100
        Most rounds of expectation and maximisation.
    tol : float, default 1e-5
        Stop when no posterior changes by more than this in a round.
    silent : bool, default True
        As in crowd-kit; see `fit`.
    labels_priors : Any, default None
        As in crowd-kit; see `fit`.
    alphas_priors_mean : Any, default None
        As in crowd-kit; see `fit`.
    betas_priors_mean : Any, default None
        As in crowd-kit; see `fit`.
    m_step_max_iter : int, default 25
        Most search steps for abilities and eases in a round.
    m_step_tol : float, default 1e-2
        End the search of a round when no ability or log ease would move by more than this.
    difficulty : bool, default True
        Learn a difficulty for every item; `false` gives every item the ease 1, so that only the abilities remain.
    class_prior : Literal["uniform", "learn"], default "uniform"
        Class shares: `uniform` (as published) or `learn`.
    start : Literal["vote-share", "prior"], default "prior"
        First posteriors: `vote-share`, or `prior` = those of abilities and eases at their prior means.
    init : Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"], default "majority"
        Whose posteriors take the place of the vote shares: `majority` keeps them, `random` matrices, or those of
        another method.
    alpha_mean : float, default 1.0
        Prior mean of the abilities.
    alpha_sd : float | None, default 1.0
        Prior standard deviation of the abilities; null = no prior (abilities of faultless annotators then grow
        without bound).
    beta_mean : float, default 1.0
        Prior mean of the log eases.
    beta_sd : float | None, default 1.0
        Prior standard deviation of the log eases; null = no prior (the scale is then shared freely between
        abilities and eases).
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.GLAD().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma, J. Movellan. Whose vote should count more: optimal integration of
    labels from labelers of unknown expertise. Advances in Neural Information Processing Systems 22, 2009, 2035-2043
    ``crowdwise.page("glad")`` has the whole page.
    """

    _id = "glad"
    _accepts = ("categorical",)
    _renamed = {"n_iter": "max_iter", "silent": None, "labels_priors": None, "alphas_priors_mean": None, "betas_priors_mean": None, "m_step_max_iter": "inner_iter", "m_step_tol": "inner_tol"}

    def __init__(
        self,
        n_iter: int = 100,
        tol: float = 1e-5,
        silent: bool = True,
        labels_priors: Any = None,
        alphas_priors_mean: Any = None,
        betas_priors_mean: Any = None,
        m_step_max_iter: int = 25,
        m_step_tol: float = 1e-2,
        *,
        difficulty: bool = True,
        class_prior: Literal["uniform", "learn"] = "uniform",
        start: Literal["vote-share", "prior"] = "prior",
        init: Literal["majority", "random", "spectral", "cnmf-spa", "cnmf-opt", "sym-nmf", "ctd"] = "majority",
        alpha_mean: float = 1.0,
        alpha_sd: float | None = 1.0,
        beta_mean: float = 1.0,
        beta_sd: float | None = 1.0,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.silent = silent
        self.labels_priors = labels_priors
        self.alphas_priors_mean = alphas_priors_mean
        self.betas_priors_mean = betas_priors_mean
        self.m_step_max_iter = m_step_max_iter
        self.m_step_tol = m_step_tol
        self.difficulty = difficulty
        self.class_prior = class_prior
        self.start = start
        self.init = init
        self.alpha_mean = alpha_mean
        self.alpha_sd = alpha_sd
        self.beta_mean = beta_mean
        self.beta_sd = beta_sd
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class MinimaxEntropy(Aggregator):
    r"""Each label depends on a matrix of its annotator and one of its item, both shrunk by a ridge.

    Use it when items have many labels and differ in what they are mistaken for: on `bluebird` (39 labels an item)
    it errs on 8.3 %, `dawid-skene` on 10.2 %, majority vote on 24.1 %. It is also the model to ask which items are
    hard. For ordered classes the ordinal variant is the better one (`valence5` 59 %, majority vote 65 %; `adult2`
    22.8 % against 24.0 %).

    Do not use it with few labels per annotator and many classes: the ridge grows with K² and drowns them
    (`labelme`, 8 classes and 43 labels per annotator: 32 %, majority vote 23 %). Do not expect item terms to help
    with fewer than three labels per item; `variant=annotators` leaves them out. It falls below majority vote also
    on `zencrowd_us` (20.6 % against 13.9 %), where errors of annotators agree, and slightly on `adult2` in the
    categorical form.

    Parameters
    ----------
    max_iter : int, default 50
        Most rounds of parameters and beliefs.
    tol : float, default 0.005
        Stop when no belief changes by more than this in a round.
    inner_iter : int, default 25
        Most search steps for the parameters in a round.
    inner_tol : float, default 0.00001
        End the search of a round when no parameter would move by more than this.
    variant : Literal["auto", "categorical", "vector", "ordinal", "scalar", "annotators"], default "auto"
        What annotators and items are: `categorical`, `vector`, `ordinal`, `scalar` (one difficulty an item),
        `annotators` (no item terms), or `auto` = ordinal for ordered classes, else categorical.
    gamma : float, default 0.25
        Ridge: gamma times K² for annotators; for items that times labels per annotator over labels per item.
    alpha : float | None, default None
        Ridge of annotators instead of the one by `gamma`.
    beta : float | None, default None
        Ridge of items instead of the one by `gamma`.
    folds : int, default 0
        Choose `gamma` among 1/4, 1/2, 1, 2 and 4 by how well hidden labels are foretold, in so many folds; 0 = take
        it as it is.
    search : Literal["auto", "joint", "alternating"], default "auto"
        Search: `joint` (all parameters at once), `alternating` (annotators, then items: faster on large data,
        little memory), or `auto` = joint up to 20,000 parameters.
    class_prior : Literal["learn", "uniform", "fixed"], default "uniform"
        Class shares: learned, all alike, or as given in `class_shares`.
    class_shares : dict[str, Any] | None, default None
        Shares by class name for `class_prior=fixed`, as a JSON object.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.MinimaxEntropy().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    D. Zhou, J. C. Platt, S. Basu, Y. Mao. Learning from the Wisdom of Crowds by Minimax Entropy. NIPS 2012.
    ``crowdwise.page("minimax-entropy")`` has the whole page.
    """

    _id = "minimax-entropy"
    _accepts = ("categorical",)
    _optional = frozenset({"class_shares"})

    def __init__(
        self,
        *,
        max_iter: int = 50,
        tol: float = 0.005,
        inner_iter: int = 25,
        inner_tol: float = 0.00001,
        variant: Literal["auto", "categorical", "vector", "ordinal", "scalar", "annotators"] = "auto",
        gamma: float = 0.25,
        alpha: float | None = None,
        beta: float | None = None,
        folds: int = 0,
        search: Literal["auto", "joint", "alternating"] = "auto",
        class_prior: Literal["learn", "uniform", "fixed"] = "uniform",
        class_shares: dict[str, Any] | None = None,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.inner_iter = inner_iter
        self.inner_tol = inner_tol
        self.variant = variant
        self.gamma = gamma
        self.alpha = alpha
        self.beta = beta
        self.folds = folds
        self.search = search
        self.class_prior = class_prior
        self.class_shares = class_shares
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class MaxMarginMajorityVote(Aggregator):
    r"""Weighted vote whose weights let every item's class win by a margin, as a support vector machine does.

    Use it as a cautious improvement of the plain vote that needs no model of errors: weights move only as far as
    margins ask for. It errs on 8.5 % of the items of `rte` (majority vote 10.3 %), on 16.5 % of `dog` (17.8 %).

    Do not use it when labels are clearly better explained by a model: it starts from the vote and rarely leaves its
    neighbourhood (`bluebird` 24.1 %, where `dawid-skene` errs on 10.2 %; `trec` 34.8 %). `crowd-svm` joins both. It
    falls below majority vote on `labelme` (24.7 % against 23.4 %).

    Parameters
    ----------
    max_iter : int, default 20
        Most rounds of weights and classes.
    inner_iter : int, default 200
        Sub-gradient steps for the weights in a round.
    penalty : float, default 0.25
        What a missed margin costs (the C of the paper).
    margin : float, default 3.0
        By how much a class should win (the ℓ of the paper), in units of one vote.
    variance : float, default 1.0
        Variance of the weights: larger = weights further from 0 cost less.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.MaxMarginMajorityVote().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    T. Tian, J. Zhu. Max-Margin Majority Voting for Learning from Crowds. NIPS 2015; IEEE Transactions on Pattern
    Analysis and Machine Intelligence 41(10), 2019. ``crowdwise.page("max-margin-majority-vote")`` has the whole
    page.
    """

    _id = "max-margin-majority-vote"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 20,
        inner_iter: int = 200,
        penalty: float = 0.25,
        margin: float = 3.0,
        variance: float = 1.0,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.inner_iter = inner_iter
        self.penalty = penalty
        self.margin = margin
        self.variance = variance
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class CrowdSVM(Aggregator):
    r"""Dawid-Skene and max-margin majority vote in one Bayesian model, by Gibbs sampling.

    Use it when confusion matrices alone are shaky, with a handful of labels per annotator and class: the margins
    hold the classes to the votes. On `adult2` it errs on 21.6 % of the items (majority vote 24.0 %, `dawid-skene`
    26.1 %), on `bluebird` on 10.2 %.

    Do not use it on millions of labels (every sweep solves a linear system, some tens of passes over the labels) or
    when errors of annotators agree (`zencrowd_us` 18.6 %, majority vote 13.9 %). It falls below majority vote there
    and on `valence5` (67 % against 65 %).

    Parameters
    ----------
    chains : int, default 4
        Independent chains, run in parallel.
    burn_in : int, default 20
        Sweeps of each chain that are dropped at the beginning.
    keep : int, default 200
        Sweeps of each chain that are kept.
    penalty : float, default 0.25
        What a missed margin costs (the c of the paper).
    margin : float, default 3.0
        By how much a class should win (the ℓ of the paper), in units of one vote.
    variance : float, default 1.0
        Prior variance of the weights.
    alpha : float, default 1.0
        Prior count of every kind of label, for every annotator and class.
    confusion : bool, default True
        Use confusion matrices beside the margins; without them it is max-margin majority vote by sampling.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.CrowdSVM().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    T. Tian, J. Zhu. Max-Margin Majority Voting for Learning from Crowds. NIPS 2015; IEEE Transactions on Pattern
    Analysis and Machine Intelligence 41(10), 2019. ``crowdwise.page("crowd-svm")`` has the whole page.
    """

    _id = "crowd-svm"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        chains: int = 4,
        burn_in: int = 20,
        keep: int = 200,
        penalty: float = 0.25,
        margin: float = 3.0,
        variance: float = 1.0,
        alpha: float = 1.0,
        confusion: bool = True,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.chains = chains
        self.burn_in = burn_in
        self.keep = keep
        self.penalty = penalty
        self.margin = margin
        self.variance = variance
        self.alpha = alpha
        self.confusion = confusion
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class CRH(Aggregator):
    r"""Truths and weights of annotators that minimise the weighted loss, for classes and for real values.

    Use it when one simple rule should serve classes and numbers alike, and annotators differ in overall quality. It
    errs on 7.5 % of `rte` (majority vote 10.3 %) and 12.3 % of `zencrowd_us` (13.9 %); on `dots_guess` its root
    mean squared error is 8.6, that of the median 12.3 and of the mean 19.9.

    Do not use it when annotators are biased towards a class: it falls below majority vote on `trec` (38.1 % against
    34.9 %) and `face` (39.2 % against 36.3 %). For values on a coarse scale with noise that is alike for all, the
    mean is better (`valence` 35.7 against 26.1), and gross outliers break it.

    Parameters
    ----------
    max_iter : int, default 50
        Most rounds of weights and truths.
    tol : float, default 1e-6
        Real values: stop when no estimate moves by more than this many typical standard deviations. Classes: stop
        when none changes.
    loss : Literal["mean", "sum"], default "mean"
        Loss of an annotator: `mean` per label, or `sum` over all labels as published (which favours those with
        few).
    distance : Literal["absolute", "squared"], default "absolute"
        Real values: `absolute` deviations (weighted medians) or `squared` ones (weighted means).
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.CRH().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    Q. Li, Y. Li, J. Gao, B. Zhao, W. Fan, J. Han. Resolving Conflicts in Heterogeneous Data by Truth Discovery and
    Source Reliability Estimation. SIGMOD 2014. ``crowdwise.page("crh")`` has the whole page.
    """

    _id = "crh"
    _accepts = ("categorical", "real")

    def __init__(
        self,
        *,
        max_iter: int = 50,
        tol: float = 1e-6,
        loss: Literal["mean", "sum"] = "mean",
        distance: Literal["absolute", "squared"] = "absolute",
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.loss = loss
        self.distance = distance
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class CATD(Aggregator):
    r"""Weights from the upper confidence limit of an annotator's error, so that few labels weigh little.

    Use it on long tails, where most annotators gave a handful of labels, and when errors of many annotators agree:
    on `zencrowd_us` it errs on 9.0 % (majority vote 13.9 %, `dawid-skene` 17.8 %). On real values it is the best
    simple rule for crowds of very unequal precision (`dots_guess`: root mean squared error 7.5, median 12.3, mean
    19.9).

    Do not use it when annotators are biased towards a class: it falls below majority vote on `trec` (40.0 % against
    34.9 %), `face` (38.4 % against 36.3 %) and slightly on `adult2`. For values on a coarse scale the mean is
    better (`valence` 39.3 against 26.1). Gross outliers break it.

    Parameters
    ----------
    max_iter : int, default 100
        Most rounds of weights and truths.
    tol : float, default 1e-6
        Real values: stop when no estimate moves by more than this many typical standard deviations. Classes: stop
        when none changes.
    alpha : float, default 0.05
        The interval of an annotator's error leaves out this share; the weight rests on its upper end.
    smoothing : float, default 0.5
        Classes: added to every annotator's number of errors, so that one faultless annotator with few labels does
        not decide alone; 0 = as published.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=60, annotators=10, per_item=8, seed=1)
    >>> labels = crowdwise.CATD().fit_predict(sim.answers)
    >>> sim.accuracy(labels) > 0.6
    True

    Notes
    -----
    Q. Li, Y. Li, J. Gao, L. Su, B. Zhao, M. Demirbas, W. Fan, J. Han. A Confidence-Aware Approach for Truth
    Discovery on Long-Tail Data. PVLDB 8(4), 2014. ``crowdwise.page("catd")`` has the whole page.
    """

    _id = "catd"
    _accepts = ("categorical", "real")

    def __init__(
        self,
        *,
        max_iter: int = 100,
        tol: float = 1e-6,
        alpha: float = 0.05,
        smoothing: float = 0.5,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha = alpha
        self.smoothing = smoothing
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Mean(Aggregator):
    r"""The mean of the values of each item, with its standard error.

    Use it for values on a scale without gross errors, and as the yardstick for other methods. With few labels from
    a coarse scale nothing simple beats it: root mean squared error 26.1 on `valence`, where the median has 31.3.

    Do not use it when some values are wild (typing errors, other units, people who guess): one of them moves the
    mean as far as it likes. On `dots_guess` the mean errs by 19.9, the median by 12.3; on the bundled ratings,
    where one annotator guesses, by 5.4 against 3.9.

    Parameters
    ----------
    pooling : float, default 1.0
        How many labels' worth of the pooled variance is mixed into an item's own variance for its standard error: 0
        = the textbook one (unknown from one label, zero where all agree), large = the same noise for all items.
        Likewise for annotators.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("real", items=60, annotators=10, per_item=6, seed=1)
    >>> labels = crowdwise.Mean().fit_predict(sim.answers)
    >>> sim.correlation(labels) > 0.8
    True

    Notes
    -----
    F. Galton. Vox populi. Nature 75, 1907. ``crowdwise.page("mean")`` has the whole page.
    """

    _id = "mean"
    _accepts = ("real",)

    def __init__(
        self,
        *,
        pooling: float = 1.0,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.pooling = pooling
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Median(Aggregator):
    r"""The middle value of each item (of an even number: the mean of the two middle ones); unmoved by a few wild values.

    Use it when some values may be grossly wrong: up to half of the values of an item can be anything without moving
    the median beyond the rest. On the bundled ratings, where one of ten annotators guesses, it errs by 3.9 (root
    mean squared), the mean by 5.4; on `dots_guess` by 12.3 against 19.9.

    Do not use it for coarse scales with few labels (it jumps between the steps: `valence` 31.3 against 26.1 for the
    mean), nor when noise is well behaved and labels are dear: with five labels its variance is 1.43 times that of
    the mean.

    Parameters
    ----------
    pooling : float, default 1.0
        How many labels' worth of the pooled variance is mixed into an item's own variance for its standard error: 0
        = the textbook one (unknown from one label, zero where all agree), large = the same noise for all items.
        Likewise for annotators.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("real", items=60, annotators=10, per_item=6, seed=1)
    >>> labels = crowdwise.Median().fit_predict(sim.answers)
    >>> sim.correlation(labels) > 0.8
    True

    Notes
    -----
    F. Galton. Vox populi. Nature 75, 1907. ``crowdwise.page("median")`` has the whole page.
    """

    _id = "median"
    _accepts = ("real",)

    def __init__(
        self,
        *,
        pooling: float = 1.0,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.pooling = pooling
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class TrimmedMean(Aggregator):
    r"""The mean of each item without a share of its smallest and largest values.

    Use it between `mean` and `median`: with ten or more labels an item and now and then a wild value it is nearly
    as precise as the mean and nearly as safe as the median. On the bundled ratings: mean 5.4, trimmed mean 4.4,
    median 3.9 (root mean squared error).

    Do not rely on it with few labels and wild values: with five labels and `trim=0.1` the extreme values still
    count half. Raise `trim`, or take the median.

    Parameters
    ----------
    trim : float, default 0.1
        Share of the values that is cut off at each end.
    fractional : bool, default True
        Cuts exactly that share, the last value cut in part (five values, 10 %: the smallest and the largest count
        half). Otherwise whole values only, rounded down: nothing is then cut from fewer than 1/trim values.
    pooling : float, default 1.0
        How many labels' worth of the pooled variance is mixed into an item's own variance for its standard error: 0
        = the textbook one (unknown from one label, zero where all agree), large = the same noise for all items.
        Likewise for annotators.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("real", items=60, annotators=10, per_item=6, seed=1)
    >>> labels = crowdwise.TrimmedMean().fit_predict(sim.answers)
    >>> sim.correlation(labels) > 0.8
    True

    Notes
    -----
    P. J. Huber. Robust estimation of a location parameter. Annals of Mathematical Statistics 35(1), 1964.
    ``crowdwise.page("trimmed-mean")`` has the whole page.
    """

    _id = "trimmed-mean"
    _accepts = ("real",)

    def __init__(
        self,
        *,
        trim: float = 0.1,
        fractional: bool = True,
        pooling: float = 1.0,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.trim = trim
        self.fractional = fractional
        self.pooling = pooling
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class BradleyTerry(_crowdkit.BradleyTerryCalls):
    r"""Scores and intervals from comparisons of two items, ties included.

    Use it to rank items from comparisons of two ("which is better?"), with intervals that tell which differences
    are real. Millions of comparisons are no obstacle: they are added up by pair first.

    Do not use it when annotators differ much in reliability: here all are one voice. Do not read scores across
    groups of items that were never compared with each other (`component`), and do not read distances of items that
    won or lost everything: their scores are finite only through regularisation. A finding says so in both cases.

    Parameters
    ----------
    n_iter : int, default 100
        Most Newton steps.
    tol : float, default 1e-5
        Stops when no score changes by more than this.
    ties : Literal["rao-kupper", "davidson", "half"], default "half"
        What a tie says: `rao-kupper`, the difference was below a threshold that is estimated; `davidson`, a third
        outcome whose rate is estimated; `half`, half a win for each side.
    ridge : float, default 0.0
        Pull of the scores towards 0 (weight of half their sum of squares): keeps scores finite for items that
        always win or always lose. 0 = maximum likelihood.
    virtual_wins : float, default 0.0
        Wins and losses of every item against a virtual item of score 0, another way to keep scores finite.
    position : bool, default False
        Also estimates an advantage of the item shown left. Refused, with a finding, unless at least a fifth of the
        pairs compared more than once was shown in both orders.
    level : float, default 0.95
        Level of the intervals.
    dense_items : int, default 2000
        Components of up to this many items get exact standard errors (time grows with the third power); larger ones
        get approximate ones, which are too small where comparisons are few.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("bradley-terry", items=20, annotators=10, pairs=150, seed=1)
    >>> labels = crowdwise.BradleyTerry().fit_predict(sim.answers)
    >>> sim.correlation(labels) > 0.8
    True

    Notes
    -----
    R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs: I. The method of paired comparisons,
    Biometrika 39(3/4), 1952 ``crowdwise.page("bradley-terry")`` has the whole page.
    """

    _id = "bradley-terry"
    _accepts = ("preference",)
    _renamed = {"n_iter": "max_iter"}

    def __init__(
        self,
        n_iter: int = 100,
        tol: float = 1e-5,
        *,
        ties: Literal["rao-kupper", "davidson", "half"] = "half",
        ridge: float = 0.0,
        virtual_wins: float = 0.0,
        position: bool = False,
        level: float = 0.95,
        dense_items: int = 2000,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.ties = ties
        self.ridge = ridge
        self.virtual_wins = virtual_wins
        self.position = position
        self.level = level
        self.dense_items = dense_items
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class TwoStage(Learner):
    r"""Any label-integration method, then a network on its hard or soft labels.

    Use it as the yardstick for learning end to end, and when items have many labels each: then the first stage is
    nearly right and nothing is left to gain. On small data with many classes it can be the best there is (`music`:
    two-stage Dawid-Skene is ahead of every crowd layer).

    Do not use it when items have one or two labels: the first stage then knows little about each item, and the
    features, which could help it, come too late.

    Parameters
    ----------
    method : str, default "dawid-skene"
        The method that integrates the labels, with its default parameters (`crowdwise methods` lists them).
    labels : Literal["soft", "hard"], default "soft"
        What the network is trained on: the `soft` probabilities, or the most probable class (`hard`; tied classes
        share).
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.TwoStage(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni and L. Moy, Learning from crowds, Journal
    of Machine Learning Research 11, 2010 ``crowdwise.page("two-stage")`` has the whole page.
    """

    _id = "two-stage"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        method: str = "dawid-skene",
        labels: Literal["soft", "hard"] = "soft",
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.method = method
        self.labels = labels
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Raykar(Learner):
    r"""EM with logistic regression: a linear classifier and the annotators' confusion matrices at once.

    Use it when features tell classes apart by a plane: it needs no tuning, has one optimum per E-step, gives the
    same result for every seed, and works with a few hundred items. It is the linear limit of `aggnet`.

    Do not use it when classes are not linear in the features (a ring, an exclusive or): the classifier then knows
    nothing, and the result is that of `dawid-skene` (`aggnet` with a hidden layer, or transformed features). Not
    with features on wild scales and `standardise=false`.

    Parameters
    ----------
    max_iter : int, default 200
        Most rounds of EM.
    tol : float, default 1e-6
        Stop when a round changes the penalised log-likelihood relatively by less than this.
    lambda_ : float | None, default None
        Pull of the weights towards 0; `null` = a tenth of the number of features, so that scores vary by about 3
        before any label is seen.
    inner_iter : int, default 5
        Steps (Newton; L-BFGS takes four times as many) that the regression takes in a round.
    alpha : float, default 1.0
        Prior count of every cell of a confusion matrix, plus one: 1 = none.
    beta : float, default 1.0
        Prior count of the diagonal, plus one: 1 = none.
    ordinal : bool, default False
        Classes are grades: one question "above this grade?" after the other. Always so where the labels are
        ordered.
    standardise : bool, default True
        Scale features to mean 0 and deviation 1.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.Raykar(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni and L. Moy, Learning from crowds, Journal
    of Machine Learning Research 11, 2010 ``crowdwise.page("raykar")`` has the whole page.
    """

    _id = "raykar"
    _accepts = ("categorical",)
    _renamed = {"lambda_": "lambda"}

    def __init__(
        self,
        *,
        max_iter: int = 200,
        tol: float = 1e-6,
        lambda_: float | None = None,
        inner_iter: int = 5,
        alpha: float = 1.0,
        beta: float = 1.0,
        ordinal: bool = False,
        standardise: bool = True,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.lambda_ = lambda_
        self.inner_iter = inner_iter
        self.alpha = alpha
        self.beta = beta
        self.ordinal = ordinal
        self.standardise = standardise
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class GpCrowd(Learner):
    r"""A Gaussian process classifier and the annotators' accuracies by class, for small data.

    Use it with some hundred items, few features and borders between classes that are not straight: with 200 items
    and 2 labels each, classes that form a ring or a chessboard are learned to about 91 % where logistic regression
    (`raykar`) stays at 50 to 60 %.

    Do not use it for large data (cost grows with the cube of `points`; networks are better there), for images or
    hundreds of features (distances say little: on LabelMe and Music it is 6 to 9 points below `aggnet`), or where a
    straight border will do: `raykar` is faster and as good. Like all EM it believes annotators who copy each other.

    Parameters
    ----------
    max_iter : int, default 15
        Most rounds of EM.
    tol : float, default 0.001
        Stop when no probability changes by more than this.
    points : int, default 300
        Most items at which the process is fitted; with more, so many are drawn and the others take part through the
        annotators only. Cost grows with the cube.
    sweeps : int, default 10
        Most sweeps of expectation propagation in a round.
    length : float | None, default None
        Distance over which the process varies; `null` = the best by evidence of 1/4, 1/2, 1 and 2 times the median
        distance.
    amplitude : float | None, default None
        Variance of the process; `null` = the best by evidence of 1, 3 and 10.
    standardise : bool, default True
        Scale features to mean 0 and deviation 1.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.GpCrowd(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    F. Rodrigues, F. C. Pereira and B. Ribeiro, Gaussian process classification and active learning with multiple
    annotators, ICML 2014 ``crowdwise.page("gp-crowd")`` has the whole page.
    """

    _id = "gp-crowd"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        max_iter: int = 15,
        tol: float = 0.001,
        points: int = 300,
        sweeps: int = 10,
        length: float | None = None,
        amplitude: float | None = None,
        standardise: bool = True,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.points = points
        self.sweeps = sweeps
        self.length = length
        self.amplitude = amplitude
        self.standardise = standardise
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Aggnet(Learner):
    r"""EM with a network: classifier and confusion matrices improve each other after every epoch.

    A good first choice when items have features and annotators err independently: it is among the best on real data
    here, it needs no tuning of an annotator step length, and its confusion matrices are counted, not descended to.

    Do not use it when annotators copy each other or share mistakes: EM counts every copy as new evidence, and
    classifier and posterior confirm each other in the error (`max-mig` does not).

    Parameters
    ----------
    warm_up : int, default 3
        Epochs on the shares of the votes before the first E-step.
    epochs_per_round : int, default 1
        Epochs between two E-steps.
    smoothing : float, default 0.01
        Added to every cell of the counted confusion matrices.
    floor : float, default 0.001
        Added to the network's probabilities in the E-step, so that it never rules a class out.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 40
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.0
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "last"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.Aggnet(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    S. Albarqouni, C. Baur, F. Achilles, V. Belagiannis, S. Demirci and N. Navab, AggNet: deep learning from crowds
    for mitosis detection in breast cancer histology images, IEEE Transactions on Medical Imaging 35, 2016
    ``crowdwise.page("aggnet")`` has the whole page.
    """

    _id = "aggnet"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        warm_up: int = 3,
        epochs_per_round: int = 1,
        smoothing: float = 0.01,
        floor: float = 0.001,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 40,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.0,
        choose: Literal["best", "last"] = "last",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.warm_up = warm_up
        self.epochs_per_round = epochs_per_round
        self.smoothing = smoothing
        self.floor = floor
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class AdvCrowd(Learner):
    r"""EM with a network trained on the worst small changes of its features: robust against tampering.

    Use it when the classifier will meet inputs that somebody has an interest in changing (spam, fraud, moderation),
    or as a strong regulariser of a network (on LabelMe it is a point better than `aggnet`, on Music a point worse).

    Do not use it to guard against bad annotators: the labels are treated as in `aggnet`. Training takes `steps` + 1
    passes instead of one. With an `epsilon` as large as the distance between classes nothing can be learned and
    accuracy falls below the vote.

    Parameters
    ----------
    epsilon : float, default 0.1
        Largest change of a feature, as the network sees it: in deviations, or in the features' own units with
        `standardise=false`.
    steps : int, default 7
        Steps of the search for the worst change; 1 = one step of full length (FGSM).
    mix : float, default 1.0
        Share of every batch that is changed.
    warm_up : int, default 5
        Epochs on the shares of the votes, without changes, before the first E-step.
    epochs_per_round : int, default 1
        Epochs between two E-steps.
    smoothing : float, default 0.1
        Added to every cell of the counted confusion matrices.
    floor : float, default 0.001
        Added to the network's probabilities in the E-step, so that it never rules a class out.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 40
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.0
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "last"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.AdvCrowd(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    P. Chen, H. Sun, Y. Yang and Z. Chen, Adversarial learning from crowds, AAAI 2022
    ``crowdwise.page("adv-crowd")`` has the whole page.
    """

    _id = "adv-crowd"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        epsilon: float = 0.1,
        steps: int = 7,
        mix: float = 1.0,
        warm_up: int = 5,
        epochs_per_round: int = 1,
        smoothing: float = 0.1,
        floor: float = 0.001,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 40,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.0,
        choose: Literal["best", "last"] = "last",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.steps = steps
        self.mix = mix
        self.warm_up = warm_up
        self.epochs_per_round = epochs_per_round
        self.smoothing = smoothing
        self.floor = floor
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class MBEM(Learner):
    r"""Annotators are judged by the network's own answers, and the network is trained on the judged labels.

    Use it when every item has one label: annotators cannot be compared on common items then, but they can be
    compared with a classifier that learned from all of them.

    Do not use it where items have several labels: the classifier does not take part in what an item is believed to
    be, so that `aggnet` knows more. A classifier that is wrong about a whole class confirms the annotators who are
    wrong about it.

    Parameters
    ----------
    rounds : int, default 5
        Times that annotators are judged anew; the epochs are shared out evenly between them.
    smoothing : float, default 0.01
        Added to every cell of the counted confusion matrices.
    class_shares : bool, default False
        Count class shares from the network's answers, as in the paper; otherwise all classes are alike. With one
        label an item a small imbalance of the answers can grow until one class has taken all.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.MBEM(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    A. Khetan, Z. C. Lipton and A. Anandkumar, Learning from noisy singly-labeled data, ICLR 2018
    ``crowdwise.page("mbem")`` has the whole page.
    """

    _id = "mbem"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        rounds: int = 5,
        smoothing: float = 0.01,
        class_shares: bool = False,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.rounds = rounds
        self.smoothing = smoothing
        self.class_shares = class_shares
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class BayesDgc(Learner):
    r"""Variational Bayes for Dirichlet annotators and class shares, with a network as prior of every item.

    Use it when annotators have few labels each: prior counts (5 on the diagonal, 2 elsewhere) keep their matrices
    sober where `aggnet` would believe three labels.

    Do not use it when the network is unreliable: it speaks with full weight, and posterior and network confirm each
    other (`deep-mf` bounds what the network may say). The prior assumes annotators who are mostly right; with many
    classes it is weak on the diagonal. Without features use `bayes-dawid-skene`, which is this model without the
    network (BayesGC).

    Parameters
    ----------
    alpha : float, default 1.1
        Dirichlet parameter of the class shares.
    beta_diagonal : float, default 5.0
        Dirichlet parameter of the diagonal of a confusion matrix.
    beta_off : float, default 2.0
        Dirichlet parameter of the other cells.
    use_class_prior : bool, default False
        Class shares beside the network, as in the paper: then both can favour the same class, and it may take all.
    step : float, default 0.3
        Share of the way to the new beliefs that is gone after every epoch: 1 = all of it (coordinate ascent).
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 100
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.BayesDgc(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    S.-Y. Li, S.-J. Huang and S. Chen, Crowdsourcing aggregation with deep Bayesian learning, Science China
    Information Sciences 64, 2021 ``crowdwise.page("bayes-dgc")`` has the whole page.
    """

    _id = "bayes-dgc"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        alpha: float = 1.1,
        beta_diagonal: float = 5.0,
        beta_off: float = 2.0,
        use_class_prior: bool = False,
        step: float = 0.3,
        network: Any = "auto",
        hidden: int = 100,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.alpha = alpha
        self.beta_diagonal = beta_diagonal
        self.beta_off = beta_off
        self.use_class_prior = use_class_prior
        self.step = step
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class DeepMF(Learner):
    r"""Mean-field inference of labels with a network as bounded prior of every item.

    Use it with few labels an item and a belief about annotators in general (`alpha`, `beta`): labels and features
    meet in every epoch, and `clip` bounds the harm that a network can do that has learned nothing (at 1/K it is
    `mean-field` without features).

    Do not use it when one annotator labels nearly everything: mean field is then overconfident about that
    annotator, and one spammer can turn the result (`deep-bp` is not misled that way).

    Parameters
    ----------
    clip : float, default 0.9
        Most probability that the network may give to a class in the E-step; 1/K = the network is not asked.
    model : Literal["one-coin", "rows"], default "one-coin"
        What an annotator is: `one-coin` = one accuracy, `rows` = a confusion matrix.
    alpha : float, default 2.0
        Prior weight of right labels: Beta(alpha, beta); for `rows` the diagonal.
    beta : float, default 1.0
        Prior weight of wrong labels; in rows spread evenly over the wrong classes.
    sweeps : int, default 5
        Sweeps of mean field after every epoch.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.DeepMF(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    H. Kim, S. Jung, J. Lee and J. Ok, Robust deep learning from crowds with belief propagation, AISTATS 2022
    ``crowdwise.page("deep-mf")`` has the whole page.
    """

    _id = "deep-mf"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        clip: float = 0.9,
        model: Literal["one-coin", "rows"] = "one-coin",
        alpha: float = 2.0,
        beta: float = 1.0,
        sweeps: int = 5,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.clip = clip
        self.model = model
        self.alpha = alpha
        self.beta = beta
        self.sweeps = sweeps
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class DeepBP(Learner):
    r"""Belief propagation over the labels with a network as bounded prior of every item.

    Use it with few labels an item and many annotators, some of whom label very much and very badly: what is unknown
    of an annotator is integrated out, so that no annotator is believed more than the labels allow, and a wrong
    prior does little harm.

    Do not use it when speed matters (messages are exchanged until they settle, after every epoch) or when
    annotators have enough labels for `deep-mf` and `aggnet` to know them anyway.

    Parameters
    ----------
    clip : float, default 0.9
        Most probability that the network may give to a class in the E-step; 1/K = the network is not asked.
    model : Literal["one-coin", "rows"], default "one-coin"
        What an annotator is: `one-coin` = one accuracy, `rows` = a confusion matrix.
    alpha : float, default 2.0
        Prior weight of right labels: Beta(alpha, beta); for `rows` the diagonal.
    beta : float, default 1.0
        Prior weight of wrong labels; in rows spread evenly over the wrong classes.
    form : Literal["auto", "quadrature", "monte-carlo", "polynomial"], default "auto"
        How an annotator's parameters are integrated out: `auto`, `quadrature`, `monte-carlo` or `polynomial`.
    draws : int, default 400
        Draws from the prior for `monte-carlo`.
    max_iter : int, default 100
        Most exchanges of messages in an E-step.
    epochs_per_round : int, default 1
        Epochs between two E-steps.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.DeepBP(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    H. Kim, S. Jung, J. Lee and J. Ok, Robust deep learning from crowds with belief propagation, AISTATS 2022
    ``crowdwise.page("deep-bp")`` has the whole page.
    """

    _id = "deep-bp"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        clip: float = 0.9,
        model: Literal["one-coin", "rows"] = "one-coin",
        alpha: float = 2.0,
        beta: float = 1.0,
        form: Literal["auto", "quadrature", "monte-carlo", "polynomial"] = "auto",
        draws: int = 400,
        max_iter: int = 100,
        epochs_per_round: int = 1,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.clip = clip
        self.model = model
        self.alpha = alpha
        self.beta = beta
        self.form = form
        self.draws = draws
        self.max_iter = max_iter
        self.epochs_per_round = epochs_per_round
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class CrowdLayer(Learner):
    r"""A network whose class probabilities pass through a learned confusion matrix of each annotator.

    Use it when items have features (or are images), annotators differ in how they confuse classes, and most items
    have few labels: the network lends every item what it learned from the others, and nothing is thrown away by
    first settling on one label an item.

    Do not use it when annotators copy each other or many always answer the same class: the layer learns the common
    answer as if it were the truth (`max-mig` is made for that). With very many classes the matrices start far from
    what they should be; `init=votes` helps. On small data a classifier trained on Dawid-Skene labels (`two-stage`)
    can be better: try both.

    Parameters
    ----------
    form : Literal["probability", "mw", "vw", "vb", "vw-b", "sw"], default "probability"
        `probability` = soft-max confusion matrices, a likelihood of the labels; `mw`, `vw`, `vb`, `vw-b`, `sw` =
        the layers of the paper (matrix, weights, offsets, weights and offsets, one weight), which apply a second
        soft-max.
    init : Literal["identity", "votes"], default "identity"
        Where the confusion matrices begin: `identity`, or as counted from the `votes`.
    diagonal : float, default 3.0
        How sure annotators are of the right class at an `identity` start: the free number on the diagonal.
    annotator_rate : float, default 0.01
        Step length for the annotators' numbers.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.CrowdLayer(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    F. Rodrigues and F. C. Pereira, Deep learning from crowds, AAAI 2018 ``crowdwise.page("crowd-layer")`` has the
    whole page.
    """

    _id = "crowd-layer"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        form: Literal["probability", "mw", "vw", "vb", "vw-b", "sw"] = "probability",
        init: Literal["identity", "votes"] = "identity",
        diagonal: float = 3.0,
        annotator_rate: float = 0.01,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.form = form
        self.init = init
        self.diagonal = diagonal
        self.annotator_rate = annotator_rate
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class TraceReg(Learner):
    r"""A crowd layer with a penalty on the trace of the annotators' confusion matrices.

    Use it like `crowd-layer` when annotators are better than chance and a plain crowd layer leaves them too close
    to the identity (it then lets the network learn their errors).

    Do not use a large `lambda`: from about 0.5 on the penalty wins over the labels and accuracy falls. Not for
    annotators who are worse than chance.

    Parameters
    ----------
    lambda_ : float, default 0.01
        Weight of the mean trace of the annotators' confusion matrices.
    penalty : Literal["trace", "log"], default "trace"
        `trace` = the trace; `log` = the sum of the logarithms of the diagonal.
    warm_up : int, default 5
        Epochs before the penalty begins.
    diagonal : float, default 3.0
        How sure annotators are of the right class at the start: the free number on the diagonal.
    annotator_rate : float, default 0.01
        Step length for the annotators' numbers.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.TraceReg(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    R. Tanno, A. Saeedi, S. Sankaranarayanan, D. C. Alexander and N. Silberman, Learning from noisy labels by
    regularized estimation of annotator confusion, CVPR 2019 ``crowdwise.page("trace-reg")`` has the whole page.
    """

    _id = "trace-reg"
    _accepts = ("categorical",)
    _renamed = {"lambda_": "lambda"}

    def __init__(
        self,
        *,
        lambda_: float = 0.01,
        penalty: Literal["trace", "log"] = "trace",
        warm_up: int = 5,
        diagonal: float = 3.0,
        annotator_rate: float = 0.01,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.lambda_ = lambda_
        self.penalty = penalty
        self.warm_up = warm_up
        self.diagonal = diagonal
        self.annotator_rate = annotator_rate
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class GeoCrowdNet(Learner):
    r"""A crowd layer with a volume criterion that makes classifier and confusion matrices identifiable.

    Use `volume=f` when some items are clear examples of every class, whoever the annotators are; `volume=w` when
    for every class somebody knows it well, however unclear the items. One label an item is enough for either.

    Do not use a large `lambda` without `warm_up`: both criteria are the same for exchanged classes, and from a
    random start the network can settle on the wrong names (accuracy 34 % with perfect confusion matrices). The
    batch should have at least 5 K items.

    Parameters
    ----------
    volume : Literal["f", "w"], default "f"
        Whose volume grows: `f` = the class probabilities (needs clear items of every class, no expert), `w` = the
        stacked confusion matrices (needs experts for every class, no clear items).
    lambda_ : float, default 0.01
        Weight of the logarithm of the volume.
    warm_up : int, default 5
        Epochs before the volume counts; without them a large weight may exchange classes.
    diagonal : float, default 3.0
        How sure annotators are of the right class at the start: the free number on the diagonal.
    annotator_rate : float, default 0.01
        Step length for the annotators' numbers.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.GeoCrowdNet(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    S. Ibrahim, T. Nguyen and X. Fu, Deep learning from crowdsourced labels: coupled cross-entropy minimization,
    identifiability, and regularization, ICLR 2023 ``crowdwise.page("geo-crowd-net")`` has the whole page.
    """

    _id = "geo-crowd-net"
    _accepts = ("categorical",)
    _renamed = {"lambda_": "lambda"}

    def __init__(
        self,
        *,
        volume: Literal["f", "w"] = "f",
        lambda_: float = 0.01,
        warm_up: int = 5,
        diagonal: float = 3.0,
        annotator_rate: float = 0.01,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.volume = volume
        self.lambda_ = lambda_
        self.warm_up = warm_up
        self.diagonal = diagonal
        self.annotator_rate = annotator_rate
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class DoctorNet(Learner):
    r"""One network with a head per annotator; the heads imitate the annotators and vote.

    Use it when you want to know what a particular annotator would say, or as a baseline: it is the majority vote of
    imitations, and about as good as a network trained on the majority vote.

    Do not use it when a majority errs in the same way: the imitations err with them, and no head is doubted. It
    does not learn who is right.

    Parameters
    ----------
    averaging : Literal["mean", "learned"], default "mean"
        How the heads vote: `mean` = all alike, `learned` = with weights that make the vote agree with the shares of
        the votes on the training items.
    shrinkage : float, default 0.001
        Pull of every annotator's head towards the common one.
    heads : int, default 200
        Heads that vote: those of the annotators with most labels.
    annotator_rate : float, default 0.001
        Step length for the heads.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.DoctorNet(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    M. Guan, V. Gulshan, A. Dai and G. Hinton, Who said what: modeling individual labelers improves classification,
    AAAI 2018 ``crowdwise.page("doctor-net")`` has the whole page.
    """

    _id = "doctor-net"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        averaging: Literal["mean", "learned"] = "mean",
        shrinkage: float = 0.001,
        heads: int = 200,
        annotator_rate: float = 0.001,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.averaging = averaging
        self.shrinkage = shrinkage
        self.heads = heads
        self.annotator_rate = annotator_rate
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Conal(Learner):
    r"""A crowd layer with a common confusion matrix beside each annotator's own, mixed by item and annotator.

    Use it when annotators share a misunderstanding (everybody takes class 3 for class 4): the common matrix learns
    it from all labels together, where each annotator's own matrix would need many labels of each.

    Do not expect it to help where annotators have little in common: on LabelMe and Music it is no better than
    `crowd-layer` under equal training.

    Parameters
    ----------
    lambda_ : float, default 0.001
        How strongly the annotators' own matrices are pushed away from the common one.
    embedding : int, default 20
        Numbers by which items and annotators are compared to decide which matrix speaks.
    gate : Literal["learned", "own", "common"], default "learned"
        Which matrix speaks: `learned`, always the annotator's `own`, or always the `common` one.
    diagonal : float, default 3.0
        How sure annotators are of the right class at the start: the free number on the diagonal.
    annotator_rate : float, default 0.01
        Step length for the confusion matrices.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.Conal(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    Z. Chu, J. Ma and H. Wang, Learning from crowds by modeling common confusions, AAAI 2021
    ``crowdwise.page("conal")`` has the whole page.
    """

    _id = "conal"
    _accepts = ("categorical",)
    _renamed = {"lambda_": "lambda"}

    def __init__(
        self,
        *,
        lambda_: float = 0.001,
        embedding: int = 20,
        gate: Literal["learned", "own", "common"] = "learned",
        diagonal: float = 3.0,
        annotator_rate: float = 0.01,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.lambda_ = lambda_
        self.embedding = embedding
        self.gate = gate
        self.diagonal = diagonal
        self.annotator_rate = annotator_rate
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Dlc(Learner):
    r"""EM with a network and annotators whose reliability depends on the item, by low-rank embeddings.

    Use it when annotators know different things (topics, image types) and features tell these things apart, also
    with thousands of annotators who labelled few items each: the shared map is learned from all of them, and an
    annotator has `rank` numbers only. The model it leaves says whom to ask about which item (`Model::expertise`).

    Do not use it when annotators mix up particular classes: errors are spread evenly here (`aggnet` and
    `crowd-layer` have confusion matrices, and are about 2 points better on LabelMe and Music). With features that
    say nothing of the class it can fall below the majority vote, because network and annotators confirm each other.

    Parameters
    ----------
    expertise : Literal["low-rank", "sparse"], default "low-rank"
        How expertise depends on features: `low-rank` = `rank` numbers per annotator and a map that all share,
        `sparse` = a weight for every feature and annotator.
    rank : int, default 10
        Numbers per annotator (`low-rank`).
    lambda_ : float, default 1.0
        Pull of the annotators' numbers towards the common start.
    lambda_view : float, default 10.0
        Pull of the shared map towards its start (`low-rank`).
    inner_iter : int, default 15
        Steps that the annotators' numbers take after every epoch.
    annotator_rate : float, default 0.02
        Length of these steps (`low-rank`).
    warm_up : int, default 3
        Epochs on the votes before annotators are judged.
    passes : int, default 20
        Networks drawn by dropout whose mean speaks for the features; 0 = the network without dropout.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 40
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.0
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "last"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.Dlc(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    J. Yang, T. Drake, A. Damianou and Y. Maarek, Leveraging crowdsourcing data for deep active learning: an
    application to learning intents in Alexa, WWW 2018 ``crowdwise.page("dlc")`` has the whole page.
    """

    _id = "dlc"
    _accepts = ("categorical",)
    _renamed = {"lambda_": "lambda"}

    def __init__(
        self,
        *,
        expertise: Literal["low-rank", "sparse"] = "low-rank",
        rank: int = 10,
        lambda_: float = 1.0,
        lambda_view: float = 10.0,
        inner_iter: int = 15,
        annotator_rate: float = 0.02,
        warm_up: int = 3,
        passes: int = 20,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 40,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.0,
        choose: Literal["best", "last"] = "last",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.expertise = expertise
        self.rank = rank
        self.lambda_ = lambda_
        self.lambda_view = lambda_view
        self.inner_iter = inner_iter
        self.annotator_rate = annotator_rate
        self.warm_up = warm_up
        self.passes = passes
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class InstanceConfusion(Learner):
    r"""A network and annotators who are better on some items than on others: a gate or matrices by features.

    Use it when annotators have blind spots that features show (a region of the data, a kind of image) and each of
    them has labelled some dozen items or more. With thousands of annotators of few labels each, `dlc` shares what
    it learns among them.

    Do not use it when annotators mix up particular classes (`aggnet` and `crowd-layer` are 2 to 3 points better on
    LabelMe and Music), or when errors do not depend on the item: a gate then has more freedom than there is to
    learn. `heads` is there for comparison; the gates were better wherever both were measured. With features that
    say nothing of the class it can fall below the majority vote.

    Parameters
    ----------
    form : Literal["gate", "heads"], default "gate"
        What depends on the item: `gate` = how often an annotator is right, learned in turns with the network;
        `heads` = the whole confusion matrix, learned with the network by the likelihood of the labels.
    lambda_ : float | None, default None
        Pull towards annotators who are the same on all items; `null` = 1 for gates and 0.01 for heads.
    rank : int, default 4
        Numbers of an item on which the matrices depend (`heads`).
    trace : float, default 0.0
        Weight of the mean trace of the matrices, which is made small (`heads`); above 0.01 it does harm.
    diagonal : float, default 2.0
        Free number on the diagonal of the matrices at the start (`heads`).
    annotator_rate : float, default 0.01
        Step length for the annotators' numbers (`heads`).
    inner_iter : int, default 20
        Most steps of the search for the gates after every epoch (`gate`).
    floor : float, default 0.001
        Added to the network's probabilities when targets are made, so that it never rules a class out (`gate`).
    warm_up : int | None, default None
        Epochs before anything depends on the item; `null` = 3 for gates and 30 % of the epochs for heads.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 40
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.0
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "last"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.InstanceConfusion(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    L. Zhang, R. Tanno, M.-C. Xu, C. Jin, J. Jacob, O. Ciccarelli, F. Barkhof and D. C. Alexander, Disentangling
    human error from the ground truth in segmentation of medical images, NeurIPS 2020
    ``crowdwise.page("instance-confusion")`` has the whole page.
    """

    _id = "instance-confusion"
    _accepts = ("categorical",)
    _renamed = {"lambda_": "lambda"}

    def __init__(
        self,
        *,
        form: Literal["gate", "heads"] = "gate",
        lambda_: float | None = None,
        rank: int = 4,
        trace: float = 0.0,
        diagonal: float = 2.0,
        annotator_rate: float = 0.01,
        inner_iter: int = 20,
        floor: float = 0.001,
        warm_up: int | None = None,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 40,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.0,
        choose: Literal["best", "last"] = "last",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.form = form
        self.lambda_ = lambda_
        self.rank = rank
        self.trace = trace
        self.diagonal = diagonal
        self.annotator_rate = annotator_rate
        self.inner_iter = inner_iter
        self.floor = floor
        self.warm_up = warm_up
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class Mnn(Learner):
    r"""Annotators learned from anchor items correct the labels of a network; for comparison.

    It is here for comparison. It can work where the classifier is good by itself. In simulations it was below
    `crowd-layer` everywhere and, with weak features, below `dawid-skene` without any features; use
    `instance-confusion` or `dlc` where expertise depends on the item.

    Do not use it with features that tell little of the class: anchors are then wrong, annotators are learned from
    wrong classes, and the result can be below the majority vote.

    Parameters
    ----------
    anchors : float, default 0.6
        Share of the items that the network gives to a class which are its anchors, those of highest probability.
    embedding : int, default 8
        Numbers of an item on which annotators depend.
    gate : bool, default True
        Whether an annotator may be right more often on some items; without it, as printed in the paper, its
        deviation does not depend on the class.
    use_network : bool, default True
        Whether the network has a word in the correction of labels.
    margin : float, default 0.0
        How much more likely (as a logarithm) a class must be than every other to become the corrected label.
    lambda_ : float, default 0.01
        Pull of the annotators' deviations towards 0.
    lambda_view : float, default 0.01
        Pull towards annotators who are the same on all items.
    inner_iter : int, default 300
        Steps in which annotators are learned from the anchors.
    annotator_rate : float, default 0.01
        Length of these steps.
    rounds : int, default 1
        Times that anchors are chosen and labels corrected; the epochs are shared out evenly between and before
        them.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 40
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.0
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "last"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.Mnn(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    H. Guo, B. Wang and G. Y. Yi, Label correction of crowdsourced noisy annotations with an instance-dependent
    noise transition model, NeurIPS 2023 ``crowdwise.page("mnn")`` has the whole page.
    """

    _id = "mnn"
    _accepts = ("categorical",)
    _renamed = {"lambda_": "lambda"}

    def __init__(
        self,
        *,
        anchors: float = 0.6,
        embedding: int = 8,
        gate: bool = True,
        use_network: bool = True,
        margin: float = 0.0,
        lambda_: float = 0.01,
        lambda_view: float = 0.01,
        inner_iter: int = 300,
        annotator_rate: float = 0.01,
        rounds: int = 1,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 40,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.0,
        choose: Literal["best", "last"] = "last",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.anchors = anchors
        self.embedding = embedding
        self.gate = gate
        self.use_network = use_network
        self.margin = margin
        self.lambda_ = lambda_
        self.lambda_view = lambda_view
        self.inner_iter = inner_iter
        self.annotator_rate = annotator_rate
        self.rounds = rounds
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress


class MaxMig(Learner):
    r"""Makes the information that a network and the crowd have in common as large as possible.

    Use it when annotators may share mistakes: copies of each other, a majority that always says the same, common
    misunderstandings that the features do not show. What annotators have in common with each other but not with the
    features gains nothing.

    Do not use it with tiny batches (at least 4 K items a batch: the objective compares items) or when features say
    little: without a second view there is nothing to agree on. The objective does not change when classes are
    exchanged; the start from the votes keeps their names. It also keeps their errors where nearly all annotators
    are copies of one guesser: the best solution ignores them (one who knows gains more than a hundred copies of a
    coin), but steps from the votes do not get there.

    Parameters
    ----------
    divergence : Literal["kl", "pearson", "js"], default "kl"
        The divergence by which common information is measured: `kl`, `pearson` (χ²) or `js` (Jensen-Shannon).
    prior : Literal["uniform", "learn"], default "uniform"
        Shares of the classes: `uniform`, or to `learn` (for unbalanced classes).
    annotator_rate : float, default 0.001
        Step length for the annotators' numbers.
    network : Any, default "auto"
        `linear` = soft-max regression, `mlp` = hidden layers, `cnn` = the four-layer convolutional network (images
        only), `auto` = cnn for images and mlp for other features.
    hidden : int, default 128
        Numbers in a hidden layer.
    layers : int, default 1
        Hidden layers.
    dropout : float, default 0.5
        Share of the hidden numbers that are left out at random in every training step.
    batch_norm : bool, default False
        Batch normalisation in hidden layers (the convolutional network always has it after its first layer).
    standardise : bool, default True
        Scale features to mean 0 and deviation 1 (images: per channel).
    epochs : int, default 120
        Passes over the training items.
    batch_size : int, default 64
        Items of a step; 0 = all.
    learning_rate : float, default 0.001
        Step length of the network's optimiser.
    learning_rate_decay : float, default 1.0
        Factor of both learning rates after every epoch.
    optimiser : Literal["adam", "rmsprop", "sgd"], default "adam"
        How gradients become steps.
    weight_decay : float, default 0.0001
        Pull of the network's weights towards 0.
    holdout : float, default 0.1
        Share of the labelled items that are not trained on: the likelihood of their labels judges every epoch. With
        fewer than 50 labelled items none are held out.
    choose : Literal["best", "last"], default "best"
        Which epoch is the result: the `best` by held-out labels, or the `last`.
    refit : bool, default True
        When the best epoch is known, train once more for so many epochs with the held-out items, too.
    patience : int, default 30
        Stop after so many epochs without a better one; 0 = never.
    random_state : int | None, default 0
        Seed of the random numbers; the same seed gives the same result.
    threads : int | None, default None
        Threads; all cores if None.
    progress : bool | None, default None
        Whether a line tells how it goes; if None, when somebody is watching.

    Examples
    --------
    >>> import crowdwise
    >>> sim = crowdwise.simulate("dawid-skene", items=200, features=4, separation=4.0, per_item=4, seed=1)
    >>> model = crowdwise.MaxMig(random_state=0).fit(sim.features, sim.matrix())
    >>> model.score(sim.features, sim.truth_array()) > 0.6
    True

    Notes
    -----
    P. Cao, Y. Xu, Y. Kong and Y. Wang, Max-MIG: an information theoretic approach for joint learning from crowds,
    ICLR 2019 ``crowdwise.page("max-mig")`` has the whole page.
    """

    _id = "max-mig"
    _accepts = ("categorical",)

    def __init__(
        self,
        *,
        divergence: Literal["kl", "pearson", "js"] = "kl",
        prior: Literal["uniform", "learn"] = "uniform",
        annotator_rate: float = 0.001,
        network: Any = "auto",
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.5,
        batch_norm: bool = False,
        standardise: bool = True,
        epochs: int = 120,
        batch_size: int = 64,
        learning_rate: float = 0.001,
        learning_rate_decay: float = 1.0,
        optimiser: Literal["adam", "rmsprop", "sgd"] = "adam",
        weight_decay: float = 0.0001,
        holdout: float = 0.1,
        choose: Literal["best", "last"] = "best",
        refit: bool = True,
        patience: int = 30,
        random_state: int | None = 0,
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.divergence = divergence
        self.prior = prior
        self.annotator_rate = annotator_rate
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.standardise = standardise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_decay = learning_rate_decay
        self.optimiser = optimiser
        self.weight_decay = weight_decay
        self.holdout = holdout
        self.choose = choose
        self.refit = refit
        self.patience = patience
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
