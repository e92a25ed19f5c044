"""The formulas of the two experts, of the length and of nearness, on tensors of any leading shape."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def contextual_embedding(layers: Sequence[Tensor]) -> Tensor:
    """One vector of length 1 for a word in its context: all layers side by side, each of which counts alike.

    A product of two such vectors is the mean of the cosines of their layers.
    """
    units = [nn.functional.normalize(layer, dim=-1) for layer in layers]
    joined: Tensor = torch.cat(units, dim=-1) / len(units) ** 0.5
    return joined


def similarity(prefixes: Tensor, source: Tensor) -> Tensor:
    """Cosine S(x_1..z, y_1..n) of embeddings of summary prefixes (..., prefixes, width) and source prefixes
    (..., positions, width): (..., prefixes, positions)."""
    return prefixes @ source.transpose(-1, -2)


def similarity_bounds(own: Tensor, alignable: Tensor, *, layers: int) -> Tensor:
    """The greatest similarity that a candidate can have at or behind each position, whatever stands before it.

    A similarity is the mean of the cosines of the layers; that of the first, the words' own embeddings, is known
    (`own`, (..., candidates, positions)), each of the others is at most 1. Gives (..., candidates, positions + 1):
    behind the last position there is nothing.
    """
    there = ((own + layers - 1) / layers).masked_fill(~alignable, -torch.inf)
    ahead = there.flip(-1).cummax(dim=-1).values.flip(-1)
    return nn.functional.pad(ahead, (0, 1), value=-torch.inf)


def best_alignment(
    similarities: Tensor, previous: Tensor, alignable: Tensor, *, strictly_forward: bool
) -> tuple[Tensor, Tensor]:
    """The monotone alignment z_n and its similarity: the most similar position that is not before the last one's.

    Similarities (..., candidates, positions), previous positions (..., candidates), -1 before the first word;
    `alignable` as the similarities. Gives similarity and position (..., candidates); -inf where there is none.
    """
    positions = torch.arange(similarities.shape[-1])
    reached = previous[..., None] + int(strictly_forward)
    allowed = alignable & (positions >= reached)
    best = similarities.masked_fill(~allowed, -torch.inf).max(dim=-1)
    return best.values, best.indices


def matching_scores(similarities: Tensor, *, normalised: bool) -> Tensor:
    """log p_cm of each candidate (..., candidates) from its best similarity: a softmax over all candidates.

    Without the normaliser, scores are comparable from length to length: it would cost every word about the logarithm
    of the number of candidates, and the shortest summary would always win.
    """
    if not normalised:
        return similarities
    total = similarities.logsumexp(dim=-1, keepdim=True)
    return (similarities - total).masked_fill(similarities == -torch.inf, -torch.inf)


def fluency_scores(log_probabilities: Tensor, clusters: Tensor) -> Tensor:
    """log p_fm of each candidate: the sum of the probabilities of the words of its cluster.

    Log-probabilities (rows, beams, vocabulary), clusters (rows, candidates, words), filled up with -1:
    (rows, beams, candidates).
    """
    rows, beams, _ = log_probabilities.shape
    _, candidates, words = clusters.shape
    flat = clusters.clamp(min=0).view(rows, 1, candidates * words).expand(rows, beams, candidates * words)
    found = log_probabilities.gather(2, flat).view(rows, beams, candidates, words)
    return found.masked_fill((clusters < 0)[:, None], -torch.inf).logsumexp(dim=-1)


def product_of_experts(matching: Tensor, fluency: Tensor, fluency_weight: float) -> Tensor:
    """log (p_cm p_fm^lambda)."""
    return matching + fluency_weight * fluency


def length_normalised(score: Tensor, words: int, exponent: float) -> Tensor:
    """Score of a finished summary over its number of words to the power alpha."""
    normalised: Tensor = score / words**exponent
    return normalised


def nearest_words(embeddings: Tensor, chosen: Tensor, *, count: int, first: int) -> Tensor:
    """For each chosen word the numbers of its nearest words by the cosine of embeddings, itself first: (chosen, count).

    Numbers below `first` are special tokens: they are near nothing but themselves. Where there are too few words, the
    row is filled up with -1.
    """
    units = nn.functional.normalize(embeddings, dim=-1)
    cosines = units[chosen] @ units.T
    cosines[:, :first] = -torch.inf
    cosines[chosen < first] = -torch.inf
    cosines.scatter_(1, chosen[:, None], torch.inf)
    best = cosines.topk(min(count, len(embeddings)), dim=1)
    found = best.indices.masked_fill(best.values == -torch.inf, -1)
    return nn.functional.pad(found, (0, count - found.shape[1]), value=-1)
