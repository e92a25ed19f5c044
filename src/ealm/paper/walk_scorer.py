"""Scores of training walks: where a walk ends and how good its summary is. This is the part of training that needs the
language model; it is separate from the learner, so that other processes can do it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ealm.common.config import Settings
from ealm.lm.masked_lm import MaskedLM
from ealm.paper.assessment import Similarity, fluencies
from ealm.paper.converter import Converter
from ealm.paper.rewards import Assessment, is_fluent
from ealm.paper.rollout import Walk
from ealm.paper.source import Source, written_summary
from ealm.paper.step_search import ConversionCache, WalkEnd, WalkEndSearch, run_searches
from ealm.text.words import join_words

_CACHE_BYTES = 128 << 20
"""Of conversions: some fifteen thousand of 30 words."""
_CACHED_WORDS = 500_000
"""Of summaries whose fluency is remembered; a word takes some 40 bytes."""


@dataclass(frozen=True, slots=True)
class WalkScore:
    """What learning needs of a walk; T and N are in the assessment."""

    summary_lengths: tuple[int, ...]
    """|y_1| to |y_T|."""
    violated: bool
    assessment: Assessment


class WalkScorer:
    """Scores walks with a language model and a similarity."""

    def __init__(self, *, lm: MaskedLM, settings: Settings, similarity: Similarity | None) -> None:
        """`similarity` may be None only if its weight is 0."""
        if similarity is None and settings.rewards.similarity_weight:
            raise ValueError("similarity_weight is above 0, so a similarity is needed")
        self._lm = lm
        self._rewards = settings.rewards
        self._floors_ahead = settings.learning.floors_ahead
        self._similarity = similarity
        self._converter = Converter(lm, settings.decoding_in_training)
        self._conversions = ConversionCache(_CACHE_BYTES)
        self._fluent: dict[tuple[int, ...], bool] = {}

    def score(self, sources: Sequence[Source], walks: Sequence[Walk]) -> list[WalkScore]:
        """One score for each walk."""
        ends = self._find_ends(sources, walks)
        similarities = self._similarities(sources, ends)
        fluent = self._fluent_or_not(ends)
        return [
            WalkScore(end.summary_lengths, end.violated, _assessment(source, end, similarity, fluent=is_fluent_summary))
            for source, end, similarity, is_fluent_summary in zip(sources, ends, similarities, fluent, strict=True)
        ]

    def _find_ends(self, sources: Sequence[Source], walks: Sequence[Walk]) -> list[WalkEnd]:
        searches = [
            WalkEndSearch(source, walk, self._rewards, self._conversions, ahead=self._floors_ahead)
            for source, walk in zip(sources, walks, strict=True)
        ]
        run_searches(searches, self._converter)
        return [search.end for search in searches]

    def _similarities(self, sources: Sequence[Source], ends: Sequence[WalkEnd]) -> list[float]:
        """Not cached across visits: the same batch gives the same floats, so a resumed run changes nothing."""
        if self._similarity is None or not self._rewards.similarity_weight:
            return [0.0] * len(sources)
        texts = [join_words(source.words) for source in sources]
        summaries = [
            join_words(written_summary(source, end.last_step.conversion, self._lm) or ())
            for source, end in zip(sources, ends, strict=True)
        ]
        return self._similarity(texts, summaries)

    def _fluent_or_not(self, ends: Sequence[WalkEnd]) -> list[bool]:
        if not self._rewards.fluency_weight:
            return [False] * len(ends)
        summaries = [end.last_step.conversion.summary or () for end in ends]
        new = [summary for summary in dict.fromkeys(summaries) if summary not in self._fluent]
        if sum(map(len, self._fluent)) + sum(map(len, new)) > _CACHED_WORDS:
            self._fluent = {summary: self._fluent[summary] for summary in summaries if summary in self._fluent}
        found = fluencies(self._lm, new, passes=self._rewards.fluency_passes)
        for summary, fluency in zip(new, found, strict=True):
            self._fluent[summary] = is_fluent(fluency, self._rewards)
        return [self._fluent[summary] for summary in summaries]


def _assessment(source: Source, end: WalkEnd, similarity: float, *, fluent: bool) -> Assessment:
    rate = end.last_step.reconstruction_rate
    assert rate is not None, "the search for T ends with an exact rate"
    return Assessment(
        last_step=end.last_step.step,
        length=len(source.ids),
        compression_rate=end.last_step.compression_rate,
        reconstruction_rate=rate,
        similarity=similarity,
        fluent=fluent,
    )
