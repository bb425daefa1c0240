"""crowd-kit's classes by crowd-kit's names, with its arguments, defaults, attributes, indexes and exceptions.

One line moves a program over: ``from crowdkit.aggregation import DawidSkene`` becomes
``from crowdwise.crowdkit import DawidSkene``. Frames are pandas frames with the columns ``task``, ``worker``, ``label`` (or
``left``, ``right``, ``label``), as there. The methods of Crowdwise with its own defaults, for all kinds of frames and with
findings, reports and intervals, are the classes of ``crowdwise`` itself.
"""

from __future__ import annotations

from .base import BaseClassificationAggregator, BasePairwiseAggregator
from .em import GLAD, MACE, DawidSkene, OneCoinDawidSkene
from .multilabel import BinaryRelevance
from .pairwise import BradleyTerry, NoisyBradleyTerry
from .spectral import KOS, MMSR
from .voting import GoldMajorityVote, MajorityVote, Wawa, ZeroBasedSkill

__all__ = [
    "GLAD",
    "KOS",
    "MACE",
    "MMSR",
    "BaseClassificationAggregator",
    "BasePairwiseAggregator",
    "BinaryRelevance",
    "BradleyTerry",
    "DawidSkene",
    "GoldMajorityVote",
    "MajorityVote",
    "NoisyBradleyTerry",
    "OneCoinDawidSkene",
    "Wawa",
    "ZeroBasedSkill",
]
