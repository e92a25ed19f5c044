"""The paper, transcribed slowly and literally, to compare the package with.

Written from the text of the paper and the decisions on its gaps, not from the package: plain loops, one question to
the language model at a time, exact fractions for everything that is compared with a floor. Section numbers are the
paper's.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ealm.lm.cloze import Masked
from ealm.paper.edits import Action

Id = int


# Filling holes: appendix A.1 ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Filled:
    """One round of Algorithm 1: which hole was filled, with what, and the candidates at that moment, best first."""

    hole: int
    word: Id
    candidates: tuple[Id, ...]


def scores_at_holes(lm: Any, context: Sequence[Id], sentence: Sequence[Id | None]) -> dict[int, list[float]]:
    """Raw scores of all words at each hole j: x without j is the same question for all of them, as all are masked."""
    holes = [place for place, word in enumerate(sentence) if word is None]
    rows = lm.predict([Masked(tuple(context), tuple(sentence))]).tolist()
    return dict(zip(holes, rows, strict=True))


def probabilities(scores: Sequence[float]) -> list[float]:
    """Softmax by its definition."""
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = math.fsum(powers)
    return [power / total for power in powers]


def fill_masks(
    lm: Any,
    context: Sequence[Id],
    sentence: Sequence[Id | None],
    *,
    forbidden: dict[int, Id] | None = None,
    by_logit: bool = False,
) -> tuple[tuple[Id, ...], list[Filled]]:
    """Algorithm 1. `forbidden` names, for a hole, the one word that it may not receive.

    `by_logit` is the published code's order: the hole with the highest raw score first.
    """
    words = list(sentence)
    holes = [place for place, word in enumerate(words) if word is None]
    rounds = []
    while holes:
        options = []
        for hole, scores in scores_at_holes(lm, context, words).items():
            shares = probabilities(scores)
            allowed = [word for word, score in enumerate(scores) if score > -math.inf]
            allowed = [word for word in allowed if not forbidden or forbidden.get(hole) != word]
            ranked = sorted(allowed, key=scores.__getitem__, reverse=True)
            sureness = scores[ranked[0]] if by_logit else shares[ranked[0]]
            options.append((sureness, Filled(hole, ranked[0], tuple(ranked))))
        best = options[0]
        for option in options[1:]:
            if option[0] > best[0]:
                best = option
        rounds.append(best[1])
        words[best[1].hole] = best[1].word
        holes.remove(best[1].hole)
    return tuple(word for word in words if word is not None), rounds


# Compression and reconstruction: section 4.3.2 ---------------------------------------------------------------------


def compress(lm: Any, source: Sequence[Id], actions: Sequence[Action], *, by_logit: bool = False) -> tuple[Id, ...]:
    """y: the source as prefixed context, then the kept words with a mask for every Replace.

    Replace may not give back the word that it replaces.
    """
    template: list[Id | None] = []
    originals: dict[int, Id] = {}
    for word, action in zip(source, actions, strict=True):
        if action == Action.KEEP:
            template.append(word)
        elif action == Action.REPLACE:
            originals[len(template)] = word
            template.append(None)
    summary, _ = fill_masks(lm, source, template, forbidden=originals, by_logit=by_logit)
    return summary


@dataclass(frozen=True)
class Rebuilt:
    """x-hat, and for each source word whether it was kept or among the top-k candidates when its hole was filled."""

    words: tuple[Id, ...]
    recovered: tuple[bool, ...]


def reconstruct(
    lm: Any,
    source: Sequence[Id],
    actions: Sequence[Action],
    summary: Sequence[Id],
    *,
    top_k: int = 10,
    by_logit: bool = False,
) -> Rebuilt:
    """The summary as prefixed context, then the skeleton with a mask for every null token."""
    skeleton = [word if action == Action.KEEP else None for word, action in zip(source, actions, strict=True)]
    words, rounds = fill_masks(lm, summary, skeleton, by_logit=by_logit)
    recovered = [action == Action.KEEP for action in actions]
    for filled in rounds:
        recovered[filled.hole] = source[filled.hole] in filled.candidates[:top_k]
    return Rebuilt(words, tuple(recovered))


# Rates and floors: section 4.3.3, appendix A.4 ---------------------------------------------------------------------


def compression_rate(summary_length: int, source_length: int) -> Fraction:
    """cr = 1 - |y| / |x|."""
    return 1 - Fraction(summary_length, source_length)


def counted_words(words: Sequence[str], ids: Sequence[Id], *, unknown_id: Id, ignored: Collection[str]) -> list[bool]:
    """Words outside W; what the language model does not know is in W too."""
    return [
        identifier != unknown_id and word.lower() not in ignored for word, identifier in zip(words, ids, strict=True)
    ]


def reconstruction_rate(
    recovered: Sequence[bool], counted: Sequence[bool], *, all_ignored: Fraction = Fraction(1)
) -> Fraction:
    """rr of appendix A.4."""
    total = found = 0
    for was_recovered, counts in zip(recovered, counted, strict=True):
        if counts:
            total += 1
            if was_recovered:
                found += 1
    return Fraction(found, total) if total else all_ignored


def compression_floor(step: int, length: int, minimum: Fraction) -> Fraction:
    """rho_t = t rho / N."""
    return step * minimum / length


def reconstruction_floor(step: int, length: int, minimum: Fraction) -> Fraction:
    """tau_t = 1 - t (1 - tau) / N."""
    return 1 - step * (1 - minimum) / length


@dataclass(frozen=True)
class Hyperparameters:
    """tau, rho, alpha, beta and the two variants of the published code."""

    tau: Fraction = Fraction(1, 2)
    rho: Fraction = Fraction(3, 10)
    alpha: float = 0.1
    beta: float = 0.1
    strict: bool = True
    all_ignored: Fraction = Fraction(1)


def satisfies(rate: Fraction, floor: Fraction, *, strict: bool = True) -> bool:
    """The paper says greater than; the published code lets a rate equal its floor."""
    return rate > floor if strict else rate >= floor


def violates(cr: Fraction, rr: Fraction, *, step: int, length: int, given: Hyperparameters | None = None) -> bool:
    """Whether a step breaks either constraint."""
    given = given or Hyperparameters()
    enough_gone = satisfies(cr, compression_floor(step, length, given.rho), strict=given.strict)
    enough_left = satisfies(rr, reconstruction_floor(step, length, given.tau), strict=given.strict)
    return not (enough_gone and enough_left)


# Rewards: section 4.3.3 --------------------------------------------------------------------------------------------


def step_reward(summary_length: int, previous_length: int, *, enough_left: bool) -> Fraction:
    """r_SR = r_C x r_R."""
    return (1 - Fraction(summary_length, previous_length)) * (1 if enough_left else -1)


def assessment_reward(
    *,
    last_step: int,
    length: int,
    cr: Fraction,
    rr: Fraction,
    sim: float,
    llh: int,
    given: Hyperparameters | None = None,
) -> float:
    """r_SA = T/N [cr rr + alpha sim + beta llh]."""
    given = given or Hyperparameters()
    return float(Fraction(last_step, length)) * (float(cr * rr) + given.alpha * sim + given.beta * llh)


@dataclass(frozen=True)
class StepResult:
    """Summary and rates after one step of a walk."""

    summary: tuple[Id, ...]
    cr: Fraction
    rr: Fraction


def rewards_of_walk(
    results: Sequence[StepResult],
    *,
    length: int,
    sim: Callable[[tuple[Id, ...]], float],
    llh: Callable[[tuple[Id, ...]], int],
    given: Hyperparameters | None = None,
) -> list[float]:
    """r of steps 1 to T: the walk is cut at its first violation, which costs -1; r_SA is shared by all."""
    given = given or Hyperparameters()
    own: list[Fraction] = []
    previous = length
    for step, result in enumerate(results, start=1):
        if violates(result.cr, result.rr, step=step, length=length, given=given):
            own.append(Fraction(-1))
            break
        enough_left = satisfies(result.rr, reconstruction_floor(step, length, given.tau), strict=given.strict)
        own.append(step_reward(len(result.summary), previous, enough_left=enough_left))
        previous = len(result.summary)
    last = results[len(own) - 1]
    shared = assessment_reward(
        last_step=len(own),
        length=length,
        cr=last.cr,
        rr=last.rr,
        sim=sim(last.summary),
        llh=llh(last.summary),
        given=given,
    )
    return [float(reward) + shared for reward in own]


def fluency(lm: Any, summary: Sequence[Id]) -> float:
    """exp of the mean log P(y_i | y without i) over known words (appendix A.3); 0 if there is none."""
    logs = []
    for place, word in enumerate(summary):
        if word == lm.unknown_id:
            continue
        masked = [None if at == place else other for at, other in enumerate(summary)]
        logs.append(math.log(probabilities(scores_at_holes(lm, (), masked)[place])[word]))
    return math.exp(math.fsum(logs) / len(logs)) if logs else 0.0


# The agent: section 4.3.1 ------------------------------------------------------------------------------------------

Vector = list[float]


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    """Sum of products."""
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def relu(vector: Sequence[float]) -> Vector:
    """Negative entries become 0."""
    return [max(0.0, entry) for entry in vector]


def linear(layer: Any, vector: Sequence[float]) -> Vector:
    """W v + b, row by row."""
    rows, biases = layer.weight.tolist(), layer.bias.tolist()
    return [dot(row, vector) + bias for row, bias in zip(rows, biases, strict=True)]


def local_encodings(agent: Any, e: Sequence[Vector], actions: Sequence[int], decided: Sequence[int]) -> list[Vector]:
    """l_i = e_i + b^a + b^u, the biases being scalars."""
    action_bias, decided_bias = agent.action_bias.tolist(), agent.decided_bias.tolist()
    return [
        [entry + action_bias[action] + decided_bias[is_decided] for entry in vector]
        for vector, action, is_decided in zip(e, actions, decided, strict=True)
    ]


def global_encoding(local: Sequence[Vector], i: int) -> Vector:
    """g_i = sum_j w_j l_j with ReLU weights."""
    raw = relu([dot(local[i], other) for other in local])
    total = math.fsum(raw)
    weights = [weight / total for weight in raw] if total else raw
    return [
        math.fsum(weight * vector[k] for weight, vector in zip(weights, local, strict=True))
        for k in range(len(local[i]))
    ]


def q_values(
    agent: Any,
    e: Sequence[Vector],
    actions: Sequence[int],
    decided: Sequence[int],
    *,
    activate_first: bool = True,
) -> list[Vector]:
    """Q(s_i, a) of every word and action: a two-layered MLP with ReLU on s_i = [l_i; g_i]."""
    local = local_encodings(agent, e, actions, decided)
    rows = []
    for i in range(len(local)):
        first = linear(agent.first, local[i] + global_encoding(local, i))
        second = linear(agent.second, relu(first) if activate_first else first)
        rows.append(linear(agent.output, relu(second)))
    return rows


@dataclass(frozen=True)
class Decision:
    """A word and what is done with it."""

    word: int
    action: Action


def greedy_walk(
    agent: Any, e: Sequence[Vector], *, kept: Collection[int] = (), allowed: Sequence[Action] = tuple(Action)
) -> list[Decision]:
    """Decide all words, always the pair of word and action with the greatest Q-value among undecided words.

    `kept` words count as decided, to Keep, before the first decision; only `allowed` actions are taken.
    """
    actions, decided = [int(Action.KEEP)] * len(e), [int(word in kept) for word in range(len(e))]
    decisions: list[Decision] = []
    while 0 in decided:
        values = q_values(agent, e, actions, decided)
        best = max(
            (values[word][action], -word, -action)
            for word in range(len(e))
            if not decided[word]
            for action in map(int, allowed)
        )
        word, action = -best[1], -best[2]
        actions[word], decided[word] = action, 1
        decisions.append(Decision(word, Action(action)))
    return decisions


def entropy(values: Sequence[float]) -> float:
    """H(s) of appendix A.2 with softmax over the actions."""
    return -math.fsum(share * math.log(share) for share in probabilities(values) if share)


# Inference: section 4.4 --------------------------------------------------------------------------------------------


def best_step(results: Sequence[StepResult]) -> int:
    """t* = argmax of cr + rr; ties go to the latest step, an empty summary never wins; 0 is the untouched source."""
    best, best_sum = 0, None
    for step, result in enumerate(results, start=1):
        if not result.summary:
            continue
        if best_sum is None or result.cr + result.rr >= best_sum:
            best, best_sum = step, result.cr + result.rr
    return best
