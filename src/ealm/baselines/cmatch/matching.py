"""The formulas of the two experts, of the length and of nearness, on tensors of any leading shape."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def similarity(prefixes: Sequence[Tensor], source: Sequence[Tensor]) -> Tensor:
    """S(x_1..z, y_1..n): the mean of the cosines of all layers, each of which counts alike.

    Layers of summary prefixes (..., prefixes, width) and of source prefixes (..., positions, width):
    (..., prefixes, positions).
    """
    cosines = [
        (ours @ nn.functional.normalize(theirs, dim=-1).mT) / ours.norm(dim=-1, keepdim=True).clamp(min=1e-12)
        for ours, theirs in zip(prefixes, source, strict=True)
    ]
    mean: Tensor = sum(cosines[1:], cosines[0]) / len(cosines)
    return mean


def best_alignment(similarities: Tensor, previous: Tensor) -> tuple[Tensor, Tensor]:
    """The monotone alignment z_n and its similarity: the most similar position behind the last one.

    Similarities (..., candidates, positions), -inf where a candidate may not go; previous positions (...), -1 before
    the first word. Gives similarity and position (..., candidates); -inf where there is none.
    """
    passed = torch.arange(similarities.shape[-1]) <= previous[..., None, None]
    best = similarities.masked_fill(passed, -torch.inf).max(dim=-1)
    return best.values, best.indices


def matching_scores(best: Tensor, similarities: Tensor) -> Tensor:
    """log p_cm of each candidate (..., candidates) from its best similarity: a softmax over all candidates.

    Each rival counts by its similarity (..., candidates, positions) with any position. If those that are passed did not
    count, words would be the more probable the fewer are ahead, and summaries would go to the source's last words.
    """
    return best - similarities.amax(dim=-1).logsumexp(dim=-1, keepdim=True)


def fluency_scores(log_probabilities: Tensor, clusters: Tensor, owner: Tensor) -> Tensor:
    """log p_fm of each candidate: the sum of the probabilities of the words of its cluster.

    Log-probabilities (rows, beams, vocabulary), the cluster of every word (rows, vocabulary), and that of every
    candidate (rows, candidates): (rows, beams, candidates).
    """
    rows, beams, words = log_probabilities.shape
    _, candidates = owner.shape
    total = torch.full((rows, beams, candidates), torch.finfo(torch.float).tiny)
    total.scatter_add_(2, clusters[:, None].expand(rows, beams, words), log_probabilities.exp())
    return total.log().gather(2, owner[:, None].expand(rows, beams, candidates))


def product_of_experts(matching: Tensor, fluency: Tensor, fluency_weight: float) -> Tensor:
    """log (p_cm p_fm^lambda)."""
    return matching + fluency_weight * fluency


def length_normalised(score: float, words: int, offset: float) -> float:
    """Score of a finished summary, its end counted as a word, as a mean over its words less a part of one."""
    return score / (words - offset)


def nearest_words(units: Tensor, chosen: Tensor, *, count: int, first: int) -> Tensor:
    """For each chosen word the numbers of its nearest words by the cosine of embeddings: (chosen, at most count).

    Embeddings `units` have length 1. Neither the word itself nor numbers below `first`, the special tokens, are near.
    """
    cosines = units[chosen] @ units.T
    cosines[:, :first] = -torch.inf
    cosines.scatter_(1, chosen[:, None], -torch.inf)
    return cosines.topk(min(count, max(0, len(units) - first - 1)), dim=1).indices


def nearest_candidates(units: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
    """The cluster of every word of the vocabulary (vocabulary) and of every candidate (candidates).

    Every word goes to its nearest candidate by the cosine of embeddings `units`, which have length 1. Candidates that
    share a number share a cluster.
    """
    unique, owner = torch.unique(numbers, return_inverse=True)
    clusters = (units @ units[unique].T).argmax(dim=1)
    clusters[unique] = torch.arange(len(unique))  # whatever the rounding
    return clusters, owner
