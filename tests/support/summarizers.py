"""Summarizers with a tiny random language model and agents whose choices are known."""

from functools import cache
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from tiny_models import WORDS, level_q_values, tiny_bert

from ealm import Summarizer, Summary
from ealm.common.config import AgentSettings, Settings
from ealm.lm.masked_lm import MaskedLM, TransformersMaskedLM
from ealm.paper.agent import Agent
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent

SETTINGS = Settings(agent=AgentSettings(hidden_units=12)).override({"ignored_words.infrequent": "none"})
SENTENCE = "the police minister finds a silver bridge and Zebra late ."
RAW_TEXT = "The Police Minister (a doctor) didn't find the river's bridge; is it late?  It burns, quietly."
TEXTS = st.lists(st.sampled_from((*WORDS, "Zebra", "UNICORN")), min_size=0, max_size=8).map(" ".join)


BOTH_KINDS = pytest.mark.parametrize("pretokenized", [True, False], ids=["pretokenized", "raw"])
"""For what holds for words between spaces and for text as people write it."""


@cache
def language_model() -> TransformersMaskedLM:
    """In double precision, so that a batch cannot tip a close decision."""
    return tiny_bert(double=True)


def summarizer_of(agent: Agent, lm: MaskedLM | None = None, settings: Settings = SETTINGS) -> Summarizer:
    chosen = lm or language_model()
    return Summarizer.from_parts(agent, chosen, ignored_words=IgnoredWords(settings.ignored_words), settings=settings)


SEEDS = (38, 7, 12)
"""Of agents that differ much."""


@cache
def various(seed: int = SEEDS[0]) -> Summarizer:
    """An agent that removes, keeps and replaces."""
    agent = new_agent(32, SETTINGS.agent, seed).double()
    level_q_values(agent, language_model(), [SENTENCE])
    return summarizer_of(agent)


def stubborn(action: Action, width: int = 32) -> Agent:
    """An agent that does the same with every word, from left to right."""
    agent = new_agent(width, SETTINGS.agent, seed=0)
    with torch.no_grad():
        agent.output.weight.zero_()
        agent.output.bias.zero_()
        agent.output.bias[action] = 1.0
    return agent if width != 32 else agent.double()


def plain(summary: Summary) -> dict[str, Any]:
    """All that is exact; Q-values may differ in their last digits."""
    return summary.to_dict()
