"""A language model word by word is the same as over whole sentences, and it looks only to the left."""

import itertools

import torch

from ealm.baselines.cmatch.causal_lm import CausalLM, LmState
from ealm.baselines.cmatch.vocabulary import START


def model(layers: int = 2) -> CausalLM:
    torch.manual_seed(0)
    return CausalLM(11, 5, 6, layers, dropout=0.5).eval()


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
            state = lm.advance(state, lm.first_gates(torch.tensor([[word]])))
        assert torch.allclose(state.top[0, 0], at_once[-1][0, -1], atol=1e-6)


@torch.no_grad()
def test_every_state_goes_on_with_every_word() -> None:
    lm = model()
    prefixes, words = torch.tensor([[3, 4, 5], [6, 7, 8]]), torch.tensor([[9, 10], [3, 5]])
    state = lm.advance(lm.start(2, 3), lm.first_gates(prefixes))
    open_state = LmState(state.hidden[:, :, :, None], state.cell[:, :, :, None])
    after = lm.advance(open_state, lm.first_gates(words)[:, None])
    assert after.hidden.shape == (2, 2, 3, 2, 6)
    for row, beam, word in itertools.product(range(2), range(3), range(2)):
        read = lm.read(sentence(int(prefixes[row, beam]), int(words[row, word])))
        assert torch.allclose(after.top[row, beam, word], read[-1][0, -1], atol=1e-6)


@torch.no_grad()
def test_what_follows_changes_nothing() -> None:
    lm = model()
    for short, long in zip(lm.read(sentence(4, 7)), lm.read(sentence(4, 7, 9, 3)), strict=True):
        assert torch.allclose(short, long[:, :3], atol=1e-6)


@torch.no_grad()
def test_probabilities_sum_to_one() -> None:
    lm = model()
    assert torch.allclose(lm.log_probabilities(lm.start(2, 3).top).exp().sum(dim=-1), torch.ones(2, 3))
