"""Search for the step of a walk that counts by what is likely instead of certain: the approximate decoding.

What a longer walk recovers without doubt, a step before it recovers too; a word that is far from recovered while its
mask is open, is lost. Both hold nearly always, and save forward passes (docs/performance.md has how many).
"""

from ealm.paper.converter import Conversion
from ealm.paper.rewards import reconstruction_rate
from ealm.paper.step_search import BestStepSearch, Candidate, ScoredStep

SURE_RANK = 2
"""A word that a later step recovers at this rank or better is taken to be recovered before it as well."""
LOST_RANK = 100
"""A word that has this rank while its mask is open is taken to be lost."""


class LikelyStepSearch(BestStepSearch):
    """As `BestStepSearch`, best first; but one step after the other, as each begins with what a later one found."""

    def pending(self, breadth: int) -> list[Conversion]:  # noqa: ARG002 - see above
        for candidate in self._advancing:
            candidate.refresh()
        while not self._leader.answered:
            leader = self._leader
            self._inherit(leader)
            if not leader.answered:
                self._advancing = [leader]
                return [leader.conversion]
        return []

    @property
    def _leader(self) -> Candidate:
        return max(self._candidates, key=lambda c: (round(c.compression + self._likely_rate(c), 9), c.step))

    def _likely_rate(self, candidate: Candidate) -> float:
        """The reconstruction rate if the open masks recover their words, except those that are far from it."""
        conversion = candidate.conversion
        ranks = [
            rank if rank is not None or conversion.open_ranks.get(word, 0) >= LOST_RANK else 0
            for word, rank in enumerate(conversion.source_ranks)
        ]
        return reconstruction_rate(ranks, candidate.counted, self._settings)

    def _inherit(self, candidate: Candidate) -> None:
        """Fill masks as the next later step did that is answered."""
        later = [c for c in self._candidates if c.answered and c.step > candidate.step]
        if later:
            candidate.conversion.inherit(min(later, key=lambda c: c.step).conversion, rank=SURE_RANK)
            candidate.refresh()

    @property
    def best(self) -> ScoredStep:
        """The result, once nothing is pending."""
        return self._leader.scored()
