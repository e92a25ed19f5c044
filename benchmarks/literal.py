"""The procedure of the paper as it is written, batched over the steps of one sentence and no further.

Every step is compressed and reconstructed, Keeps included; a round asks about all steps, also those already filled;
the vocabulary is projected at every position; the agent's states are built anew at every step; in training, every step
is rewarded before the walk is cut. It gives the same answers as the package and is what its speed is measured against.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ealm.common.config import Settings
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.agent import Agent
from ealm.paper.assessment import Similarity
from ealm.paper.edits import Action, compression_question, reconstruction_question
from ealm.paper.rewards import (
    Assessment,
    clears_compression,
    clears_reconstruction,
    compression_rate,
    is_fluent,
    reconstruction_rate,
    walk_rewards,
)
from ealm.paper.source import Source

Ids = tuple[int, ...]


def plain_walk(agent: Agent, encodings: Tensor, rng: torch.Generator | None = None) -> list[tuple[int, Action]]:
    """Words and actions in the order of decision, all states built anew at every step; random with `rng`."""
    length = len(encodings)
    actions = torch.full((1, length), int(Action.KEEP))
    decided = torch.zeros(1, length, dtype=torch.long)
    present = torch.ones(1, length, dtype=torch.bool)
    decisions = []
    for _ in range(length):
        with torch.no_grad():
            q_values = agent(encodings[None], actions, decided, present)[0]
        if rng is None:
            word = int(q_values.amax(dim=1).masked_fill(decided[0].bool(), -torch.inf).argmax())
            action = int(q_values[word].argmax())
        else:
            undecided = (decided[0] == 0).nonzero()[:, 0]
            word = int(undecided[torch.randint(len(undecided), (1,), generator=rng)])
            action = int(torch.randint(3, (1,), generator=rng))
        actions[0, word], decided[0, word] = action, 1
        decisions.append((word, Action(action)))
    return decisions


@dataclass(frozen=True)
class LiteralStep:
    """One step with everything worked out."""

    actions: tuple[Action, ...]
    summary: Ids
    compression_rate: float
    reconstruction_rate: float


class LiteralProcedure:
    """The paper's procedure on one sentence at a time; `sequences` counts rows given to the language model."""

    def __init__(self, lm: TransformersMaskedLM, agent: Agent, settings: Settings) -> None:
        self.lm = lm
        self.agent = agent
        self.settings = settings
        self.sequences = 0

    def _logits(self, questions: Sequence[Masked[int]]) -> list[Tensor]:
        """Scores at every position of the template of each question: (template, vocabulary)."""
        self.sequences += len(questions)
        inputs = self.lm.inputs(questions)
        with torch.no_grad():
            logits = self.lm.model(**inputs).logits.masked_fill(self.lm.not_a_word, -torch.inf)
        starts = [self.lm.template_start(question) for question in questions]
        return [
            logits[row, start : start + len(question.template)]
            for row, (start, question) in enumerate(zip(starts, questions, strict=True))
        ]

    def walk(self, source: Source, rng: torch.Generator | None = None) -> list[tuple[Action, ...]]:
        """Rows of actions after each step; with `rng` every decision is random, as with full exploration."""
        actions = [Action.KEEP] * len(source.ids)
        rows = []
        for word, action in plain_walk(self.agent, self.lm.encode([source.ids])[0], rng):
            actions[word] = action
            rows.append(tuple(actions))
        return rows

    def steps(self, source: Source, rows: Sequence[tuple[Action, ...]]) -> list[LiteralStep]:
        """Compress and reconstruct at every step."""
        forbidden = [[i for i, a in zip(source.ids, row, strict=True) if a is not Action.REMOVE] for row in rows]
        compressed = self._fill([compression_question(source.ids, row) for row in rows], forbidden=forbidden)
        summaries = [tuple(template) for template, _ in compressed]
        questions = [
            reconstruction_question(source.ids, row, summary) for row, summary in zip(rows, summaries, strict=True)
        ]
        rebuilt = self._fill(questions, wanted=source.ids)
        rewards = self.settings.rewards
        return [
            LiteralStep(
                row,
                summary,
                compression_rate(len(summary), len(source.ids)),
                reconstruction_rate(ranks, source.counted, rewards),
            )
            for row, summary, (_, ranks) in zip(rows, summaries, rebuilt, strict=True)
        ]

    def _fill(
        self, questions: Sequence[Masked[int]], *, forbidden: Sequence[Sequence[int]] | None = None, wanted: Ids = ()
    ) -> list[tuple[list[int], list[int]]]:
        """Algorithm 1 on all rows side by side: filled templates, and ranks of the wanted words."""
        templates = [list(question.template) for question in questions]
        ranks = [[0] * len(template) for template in templates]
        while any(None in template for template in templates):
            asked = [Masked(q.context, tuple(t)) for q, t in zip(questions, templates, strict=True)]
            for row, scores in enumerate(self._logits(asked)):
                holes = asked[row].holes
                if not holes:
                    continue
                allowed = scores.clone()
                if forbidden is not None:
                    for hole in holes:
                        allowed[hole, forbidden[row][hole]] = -torch.inf
                best, words = allowed.max(dim=-1)
                probability = best - scores.logsumexp(dim=-1)
                hole = max(holes, key=lambda place: float(probability[place]))
                templates[row][hole] = int(words[hole])
                if wanted:
                    ranks[row][hole] = int((scores[hole] > scores[hole, wanted[hole]]).sum())
        return [([word for word in t if word is not None], r) for t, r in zip(templates, ranks, strict=True)]

    def summarize(self, source: Source) -> tuple[int, LiteralStep]:
        """Inference: the step with the greatest sum of rates."""
        steps = self.steps(source, self.walk(source))
        usable = [number for number, step in enumerate(steps, start=1) if step.summary]
        if not usable:
            return 0, LiteralStep((Action.KEEP,) * len(source.ids), source.ids, 0.0, 1.0)
        best = max(
            usable, key=lambda n: (round(steps[n - 1].compression_rate + steps[n - 1].reconstruction_rate, 9), n)
        )
        return best, steps[best - 1]

    def fluency(self, summary: Ids) -> float:
        """Every word masked in turn, in one batch."""
        known = [place for place, word in enumerate(summary) if word != self.lm.unknown_id]
        if not known:
            return 0.0
        questions = [Masked((), tuple(None if at == p else w for at, w in enumerate(summary))) for p in known]
        logits = self._logits(questions)
        values = [
            float(scores[place].log_softmax(dim=-1)[summary[place]])
            for place, scores in zip(known, logits, strict=True)
        ]
        return math.exp(sum(values) / len(values))

    def rewards(
        self, source: Source, rows: Sequence[tuple[Action, ...]], similarity: Similarity | None
    ) -> tuple[float, ...]:
        """Training: work out every step, then cut at the first violation."""
        settings = self.settings.rewards
        steps = self.steps(source, rows)
        fluent = [is_fluent(self.fluency(step.summary), settings) for step in steps]
        length = len(source.ids)
        last, violated = len(steps), False
        for number, step in enumerate(steps, start=1):
            where = {"step": number, "length": length, "settings": settings}
            if not (
                clears_compression(step.compression_rate, **where)
                and clears_reconstruction(step.reconstruction_rate, **where)
            ):
                last, violated = number, True
                break
        end = steps[last - 1]
        alike = 0.0
        if similarity is not None and settings.similarity_weight:
            alike = similarity([" ".join(source.words)], [" ".join(self.lm.words(end.summary))])[0]
        assessment = Assessment(last, length, end.compression_rate, end.reconstruction_rate, alike, fluent[last - 1])
        lengths = [len(step.summary) for step in steps[:last]]
        return walk_rewards(lengths, violated=violated, assessment=assessment, settings=settings)
