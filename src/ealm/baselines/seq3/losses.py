"""The four terms of the paper's objective, each as its own function."""

from torch import Tensor, nn

from ealm.baselines.seq3.vocabulary import END


def reconstruction_loss(scores: Tensor, wanted: Tensor) -> Tensor:
    """Reconstruction loss (L_R): cross entropy of the source's words, given the summary; a mean over words.

    Scores (positions, words) of the reconstructor, wanted (positions). While learning to copy it is that of both
    decoders, given the source.
    """
    return nn.functional.cross_entropy(scores, wanted)


def prior_loss(scores: Tensor, prior_scores: Tensor) -> Tensor:
    """LM prior loss (L_P): KL divergence of the compressor's words from the language model's; a mean over positions.

    Both scores are (positions, words). The prior is never learned from.
    """
    ours = scores.log_softmax(dim=-1)
    prior = prior_scores.detach().log_softmax(dim=-1)
    return (ours.exp() * (ours - prior)).sum(dim=-1).mean()


def topic_loss(source: Tensor, summary: Tensor) -> Tensor:
    """Topic loss (L_T): cosine distance of source and summary, each the IDF-weighted mean of its embeddings.

    Means (rows, width). Only the summary learns from it: the topic is the source's.
    """
    return (1 - nn.functional.cosine_similarity(source.detach(), summary, dim=-1)).mean()


def weighted_mean(embeddings: Tensor, weights: Tensor) -> Tensor:
    """Mean embedding of each row (rows, width), from embeddings (rows, words, width) and weights (rows, words)."""
    return (weights[:, :, None] * embeddings).sum(dim=1) / weights.sum(dim=1, keepdim=True).clamp(min=1e-6)


def length_loss(scores: Tensor) -> Tensor:
    """Length penalty (L_L): negative log-likelihood of END when the length is used up; a mean over rows.

    It is -log(1 - the probability of all other words). Scores (rows, words) are those of the step after the last word.
    """
    return -scores.log_softmax(dim=-1)[:, END].mean()
