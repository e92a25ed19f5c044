"""A language model word by word is the same as over whole sentences, and it looks only to the left."""

import torch

from ealm.baselines.cmatch.causal_lm import CausalLM, LmState
from ealm.baselines.cmatch.vocabulary import START


def model(layers: int = 2) -> CausalLM:
    torch.manual_seed(0)
    return CausalLM(11, 6, layers, dropout=0.5).eval()


def sentence(*words: int) -> torch.Tensor:
    return torch.tensor([[START, *words]])


@torch.no_grad()
def test_word_by_word_is_the_same_as_at_once() -> None:
    for layers in (1, 2, 3):
        lm = model(layers)
        at_once = lm.read(sentence(4, 7, 9))
        state = lm.start(1, 1)
        for place, word in enumerate((4, 7, 9), start=1):
            for layer in range(layers):
                assert torch.allclose(state.hidden[layer, 0, 0], at_once[layer + 1][0, place - 1], atol=1e-6)
            state = lm.step(state, torch.tensor([[word]]))
        assert torch.allclose(state.top[0, 0], at_once[-1][0, -1], atol=1e-6)


@torch.no_grad()
def test_branches_are_steps() -> None:
    lm = model()
    state = lm.start(2, 3)
    state = lm.step(state, torch.tensor([[3, 4, 5], [6, 7, 8]]))
    words = torch.tensor([[9, 10], [3, 5]])
    parents, chosen = torch.tensor([[2, 0, 2, 1], [0, 1, 1, 2]]), torch.tensor([[1, 0, 0, 1], [0, 0, 1, 1]])
    branches = lm.branch(state, lm.first_gates(words), parents, chosen)
    assert branches.hidden.shape == (2, 2, 4, 6)
    rows = torch.arange(2)[:, None]
    step = lm.step(LmState(state.hidden[:, rows, parents], state.cell[:, rows, parents]), words[rows, chosen])
    assert torch.allclose(branches.hidden, step.hidden, atol=1e-6)
    assert torch.allclose(branches.cell, step.cell, atol=1e-6)
    for row, place in ((0, 1), (1, 3)):  # and steps are the same as reading from the start
        prefix = ((3, 4, 5), (6, 7, 8))[row][int(parents[row, place])]
        read = lm.read(sentence(prefix, int(words[row, chosen[row, place]])))
        assert torch.allclose(branches.top[row, place], read[-1][0, -1], atol=1e-6)


@torch.no_grad()
def test_what_follows_changes_nothing() -> None:
    lm = model()
    for short, long in zip(lm.read(sentence(4, 7)), lm.read(sentence(4, 7, 9, 3)), strict=True):
        assert torch.allclose(short, long[:, :3], atol=1e-6)


@torch.no_grad()
def test_probabilities_sum_to_one() -> None:
    lm = model()
    assert torch.allclose(lm.log_probabilities(lm.start(2, 3).top).exp().sum(dim=-1), torch.ones(2, 3))
