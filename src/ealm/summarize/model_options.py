"""Options of the model (effort, style, decoding) and the pipeline that each combination needs."""

import os
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ealm.common.config import Settings
from ealm.common.errors import GrammarError, LanguageModelError, SettingsError
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.planning import EstimatedScores, MeasuredScores, SentencePlanner, WordScorer
from ealm.goal_agent.potential_terms import PotentialModel
from ealm.goal_agent.tree_plan import TreePlanSettings
from ealm.goal_agent.word_importance import ImportanceModel
from ealm.grammar.loading import load_grammar
from ealm.grammar.protocol import Grammar
from ealm.lm import bundled
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.assessment import SentenceSimilarity
from ealm.paper.encodings import SentenceModelEncoder, SourceEncoder, source_encoder
from ealm.paper.ignored_words import IgnoredWords
from ealm.summarize.german_trees import LANGUAGE as GERMAN
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.pipeline import AnyAgent, Pipeline
from ealm.summarize.tree_planner import GrammarPlans, TreePlanner
from ealm.text.language import ENGLISH, language_name


class ModelOptions(NamedTuple):
    """How the model works, with every default filled in."""

    effort: str
    style: str
    decoding: str
    nested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelParts:
    """What a summarizer is made of."""

    agent: AnyAgent
    lm: MaskedLM
    ignored_words: IgnoredWords
    settings: Settings
    encoder: SourceEncoder
    """Encodes sentences for the agent."""
    grammar: Grammar | None
    """Parses sentences; None to plan without grammar."""

    @classmethod
    def of(
        cls,
        agent: AnyAgent,
        lm: MaskedLM,
        *,
        ignored_words: IgnoredWords,
        settings: Settings,
        grammar: Grammar | str | None = None,
        engine: str = "torch",
    ) -> "ModelParts":
        """Put them together; raises if the language model is not one that the agent was trained with.

        A grammar may be given by its name; agents that do not plan need none. `engine` runs the sentence encoder.
        """
        encoder = source_encoder(settings, lm, device=str(next(agent.parameters()).device), engine=engine)
        if agent.width != encoder.width:
            raise LanguageModelError(
                f"The agent was trained on encodings of width {agent.width}, but {lm.name} gives {encoder.width}. "
                "Name the language model that it was trained with: lm="
            )
        if isinstance(grammar, str):
            shared = encoder.encoder if isinstance(encoder, SentenceModelEncoder) else None
            device = str(next(agent.parameters()).device)
            grammar = load_grammar(grammar, encoder=shared, device=device) if isinstance(agent, GoalAgent) else None
        if _language(grammar) not in (ENGLISH, GERMAN):
            raise GrammarError(
                f"There are rules for trees of English and German, not of {language_name(_language(grammar))}. Leave "
                "out the grammar: then whole sentences of such a text stay, or its first words."
            )
        return cls(
            agent=agent.eval(),
            lm=lm,
            ignored_words=ignored_words,
            settings=settings,
            encoder=encoder,
            grammar=grammar,
        )


def _language(grammar: Grammar | None) -> str:
    """Of the sentences that it parses; a spaCy pipeline may be for another one than the model."""
    return getattr(grammar, "language", ENGLISH)


@dataclass(kw_only=True)
class Pipelines:
    """The pipelines of one model, each made when it is first needed; they share all weights."""

    parts: ModelParts
    effort: str | None = None
    """Where a call does not say one; None for the agent's own."""
    similarity: str | os.PathLike[str] = bundled.NAME
    """Sentence-similarity model of the effort "search", by folder or hub name."""
    _made: dict[ModelOptions, Pipeline] = field(init=False, default_factory=dict)
    _searcher: WordScorer | None = field(init=False, default=None)

    def varied(
        self,
        *,
        settings: Settings | None = None,
        effort: str | None = None,
        similarity: str | os.PathLike[str] | None = None,
    ) -> "Pipelines":
        """The same model with other defaults."""
        made = Pipelines(
            parts=self.parts if settings is None else replace(self.parts, settings=settings),
            effort=effort or self.effort,
            similarity=similarity or self.similarity,
        )
        if made.similarity == self.similarity:
            made._searcher = self._searcher
        return made

    def get(self, options: SummarizeOptions) -> Pipeline:
        """The pipeline for these options; raises if the agent cannot work that way."""
        chosen = self.resolved(options)
        if chosen not in self._made:
            self._made[chosen] = self._make(chosen)
        return self._made[chosen]

    def resolved(self, options: SummarizeOptions) -> ModelOptions:
        """Options with every default filled in; raises if the agent cannot work that way."""
        agent, settings = self.parts.agent, self.parts.settings
        plans = isinstance(agent, GoalAgent) and agent.settings.estimates
        effort = options.effort or self.effort or ("plan" if plans else "walk")
        if effort != "walk" and not isinstance(agent, GoalAgent):
            raise SettingsError(
                f"effort={effort} goes with length-conditioned agents (preset reader); this agent has the preset "
                f"{settings.preset}."
            )
        if effort == "plan" and not plans:
            raise SettingsError(
                "This agent has not learned to estimate word importance, which effort=plan needs. Choose walk or "
                "search, or train an agent with the setting goal.agent.estimates=true."
            )
        if options.style is not None and effort == "walk":
            raise SettingsError("style= goes with agents that plan (preset reader, effort=plan or effort=search).")
        style, decoding = options.style or settings.goal.style, options.decoding or settings.decoding.mode
        return ModelOptions(effort, style, decoding, options.nested)

    def _make(self, chosen: ModelOptions) -> Pipeline:
        parts = self.parts
        settings = parts.settings.override({"goal.style": chosen.style, "decoding.mode": chosen.decoding})
        scorer = self._scorer(chosen.effort)
        grammar = None
        if scorer is not None and parts.grammar is not None:
            tree_settings = TreePlanSettings(nested=chosen.nested)
            planner = TreePlanner(
                scorer,
                headline=chosen.style == "headline",
                settings=tree_settings,
                language=_language(parts.grammar),
            )
            grammar = GrammarPlans(parts.encoder, parts.grammar, planner)
        return Pipeline(
            parts.agent,
            parts.lm,
            parts.encoder,
            ignored_words=parts.ignored_words,
            settings=settings,
            plans=None if scorer is None else SentencePlanner(scorer, settings.goal),
            grammar=grammar,
            languages=self._languages(),
        )

    def _languages(self) -> frozenset[str]:
        """Languages that the model knows; none if that is not known: whoever trains one knows its language."""
        if self.parts.lm.name != bundled.NAME:
            return frozenset()
        return frozenset([_language(self.parts.grammar)])

    def _scorer(self, effort: str) -> WordScorer | None:
        """Estimates the importance of words; None to walk by Q-values."""
        if effort == "search":
            return self._search()
        agent = self.parts.agent
        return EstimatedScores(agent) if effort == "plan" and isinstance(agent, GoalAgent) else None

    def _search(self) -> WordScorer:
        if self._searcher is None:
            importance = ImportanceModel(SentenceSimilarity.load(self.similarity))
            self._searcher = MeasuredScores(PotentialModel(self.parts.settings.goal.potential, importance))
        return self._searcher
