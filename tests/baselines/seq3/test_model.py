"""Sampling, gradients, decoding and updates of a small SEQ3."""

import math

import pytest
import torch

from ealm.baselines.seq3.batches import Batch
from ealm.baselines.seq3.candidates import CandidateDrawer
from ealm.baselines.seq3.language_model import LanguageModel, shifted
from ealm.baselines.seq3.learner import Seq3Learner, drawn_lengths
from ealm.baselines.seq3.model import Sampled, Seq3
from ealm.baselines.seq3.modules import Decoder, DecoderState, Encoder, Words
from ealm.baselines.seq3.sampling import dropped, gumbel_softmax, straight_through
from ealm.baselines.seq3.settings import Seq3Settings
from ealm.baselines.seq3.vocabulary import END, PADDING, SPECIAL, START, UNKNOWN, Encoded
from ealm.common.errors import SettingsError

WORDS, PLACEHOLDERS = 30, 3
SETTINGS = Seq3Settings(embedding_width=6, hidden=8, placeholders=PLACEHOLDERS, dropout=0.0)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def small_model(settings: Seq3Settings = SETTINGS) -> Seq3:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return Seq3(torch.randn(WORDS, 6), placeholders=PLACEHOLDERS, settings=settings)


def random_sentences(count: int, seed: int = 0) -> list[Encoded]:
    source = generator(seed)
    lengths = torch.randint(1, 12, (count,), generator=source).tolist()
    sentences = []
    for length in lengths:
        ids = torch.randint(SPECIAL + PLACEHOLDERS, WORDS, (length,), generator=source).tolist()
        known = int(torch.randint(0, PLACEHOLDERS + 1, (1,), generator=source))
        sentences.append(Encoded(tuple(ids), ("x",) * known))
    return sentences


# Choosing -------------------------------------------------------------------------------------------------------------


def test_words_are_drawn_by_their_probability() -> None:
    scores = torch.tensor([0.7, 0.2, 0.1]).log().expand(20_000, 3)
    chosen, shares = gumbel_softmax(scores, temperature=0.5, generator=generator())
    assert chosen.bincount().div(20_000).tolist() == pytest.approx([0.7, 0.2, 0.1], abs=0.02)
    assert (shares.argmax(dim=1) == chosen).all()
    torch.testing.assert_close(shares.sum(dim=1), torch.ones(20_000))


def test_straight_through_is_a_choice_forwards_and_a_mixture_backwards() -> None:
    shares = torch.tensor([[0.2, 0.5, 0.3]], requires_grad=True)
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    rows = straight_through(shares, table, torch.tensor([1]))
    assert rows.tolist() == [[3.0, 4.0]]
    (rows * torch.tensor([[1.0, 10.0]])).sum().backward()
    assert shares.grad is not None
    assert shares.grad.tolist() == [[21.0, 43.0, 65.0]]
    assert table.grad is not None
    assert table.grad.tolist() == [[0.0, 0.0], [1.0, 10.0], [0.0, 0.0]]


def test_dropout_keeps_the_mean_and_needs_a_generator() -> None:
    values = torch.ones(100, 100)
    assert dropped(values, 0.5, None) is values
    assert set(dropped(values, 0.5, generator()).unique().tolist()) == {0.0, 2.0}
    assert dropped(values, 0.2, generator()).mean().item() == pytest.approx(1, abs=0.02)


# Attention ------------------------------------------------------------------------------------------------------------


def test_a_decoder_step_is_general_attention_with_input_feeding() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        encoder = Encoder(width=3, hidden=4, layers=1)
        decoder = Decoder(width=3, hidden=4, words=9)
        embeddings, given = torch.randn(1, 5, 3), torch.randn(1, 3)
        before = DecoderState(torch.randn(1, 4), torch.randn(1, 4), torch.randn(1, 4))
    memory = encoder(embeddings, torch.tensor([5]))
    found = decoder.step(given, before, memory=memory, keys=decoder.keys(memory))
    hidden, cell = decoder.cell(torch.cat((given, before.attended), 1), (before.hidden, before.cell))
    states = memory.states[0]
    attention = torch.stack([hidden[0] @ decoder.match.weight @ state for state in states]).softmax(0)
    context = attention @ states
    attended = torch.tanh(decoder.mix.weight @ torch.cat((context, hidden[0])))
    torch.testing.assert_close(found.attended[0], attended)
    torch.testing.assert_close((found.hidden, found.cell), (hidden, cell))


def test_the_encoder_does_not_see_padding() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        encoder = Encoder(width=3, hidden=4, layers=2)
        embeddings = torch.randn(2, 6, 3)
    together = encoder(embeddings, torch.tensor([3, 6]))
    alone = encoder(embeddings[:1, :3], torch.tensor([3]))
    torch.testing.assert_close(together.states[:1, :3], alone.states)
    torch.testing.assert_close(together.summary[:1], alone.summary)
    assert together.padding.tolist() == [[False] * 3 + [True] * 3, [False] * 6]


def test_the_language_model_reads_from_left_to_right() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = LanguageModel(torch.randn(9, 4), hidden=6)
    words = Words.of(model.table)
    ids = torch.tensor([[5, 6, 7, 8]])
    assert shifted(ids).tolist() == [[START, 5, 6, 7]]
    before = model.scores(model.states(shifted(ids), words), words)
    after = model.scores(model.states(shifted(torch.tensor([[5, 6, 4, 4]])), words), words)
    torch.testing.assert_close(before[:, :3], after[:, :3])
    assert not torch.equal(before[:, 3], after[:, 3])


# Compressing ----------------------------------------------------------------------------------------------------------


def sample(model: Seq3, batch: Batch, targets: torch.Tensor, seed: int = 0) -> Sampled:
    return model.sample(batch, targets, Words.of(model.table), generator(seed))


def test_lengths_are_drawn_between_the_two_shares() -> None:
    drawn = drawn_lengths(torch.full((5_000,), 20), SETTINGS, generator())
    assert (drawn.min().item(), drawn.max().item()) == (8, 12)
    assert drawn.float().mean().item() == pytest.approx(10, abs=0.1)
    assert drawn_lengths(torch.tensor([1]), SETTINGS, generator()).tolist() == [1]


def test_a_sampled_summary_says_only_what_it_may() -> None:
    model = small_model()
    for seed in range(5):
        batch = Batch.of(random_sentences(16, seed))
        targets = drawn_lengths(batch.lengths, SETTINGS, generator(seed))
        summary = sample(model, batch, targets, seed)
        assert (summary.ids[:, 0] != END).all()
        assert (summary.lengths >= 1).all()
        assert (summary.lengths <= targets).all()
        assert not torch.isin(summary.ids, torch.tensor([PADDING, START, UNKNOWN])).any()
        placeholders = (summary.ids >= SPECIAL) & (summary.ids < SPECIAL + PLACEHOLDERS)
        assert (~placeholders | (summary.ids < SPECIAL + batch.unknown[:, None])).all()
        for row, length in zip(summary.ids.tolist(), summary.lengths.tolist(), strict=True):
            assert END not in row[: length - 1]


def test_reconstruction_teaches_the_compressor_through_the_words_it_drew() -> None:
    model = small_model()
    batch = Batch.of(random_sentences(8))
    words = Words.of(model.table)
    summary = sample(model, batch, drawn_lengths(batch.lengths, SETTINGS, generator()))
    scores, wanted = model.reconstruct(summary, batch, words, generator())
    assert len(scores) == len(wanted) == batch.lengths.sum() + len(batch.lengths)
    torch.nn.functional.cross_entropy(scores, wanted).backward()
    for part in (model.compressor, model.compressor_start):
        for name, weight in part.named_parameters():
            assert weight.grad is not None, name
            assert weight.grad.abs().sum() > 0, name


def test_the_length_and_what_is_left_of_it_change_the_scores() -> None:
    model = small_model()
    batch = Batch.of([Encoded((10, 11, 12, 13, 14, 15), ())])
    first = [sample(model, batch, torch.tensor([length])).scores[0, 0] for length in (2, 4)]
    assert not torch.allclose(first[0], first[1])
    with torch.no_grad():
        model.compressor_start.length_vector.zero_()
        model.compressor.cell.weight_ih[:, 6] = 0  # the countdown comes after the embedding
    first = [sample(model, batch, torch.tensor([length])).scores[0, 0] for length in (2, 4)]
    torch.testing.assert_close(first[0], first[1])


def test_alone_is_as_in_company() -> None:
    model = small_model()
    sentences = random_sentences(24, seed=4)
    targets = [max(1, len(sentence.ids) // 2) for sentence in sentences]
    together = model.summaries(Batch.of(sentences), torch.tensor(targets))
    alone = [
        model.summaries(Batch.of([sentence]), torch.tensor([target]))[0]
        for sentence, target in zip(sentences, targets, strict=True)
    ]
    assert together == alone
    assert all(1 <= len(ids) <= target for ids, target in zip(together, targets, strict=True))


# Learning -------------------------------------------------------------------------------------------------------------


def toy_learner() -> Seq3Learner:
    settings = Seq3Settings(
        embedding_width=16, hidden=32, placeholders=0, dropout=0.0, learning_rate=0.01, longest=0.6, prior_weight=0.0
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        table = torch.randn(SPECIAL + 12, 16)
        model = Seq3(table, placeholders=0, settings=settings)
        lm = LanguageModel(table, hidden=8)
    drawer = CandidateDrawer(torch.ones(SPECIAL + 12), most=100, first_word=SPECIAL)
    weights = torch.tensor([0.0] * SPECIAL + [1.0] * 12)
    return Seq3Learner(model, lm, drawer, inverse_frequencies=weights)


def test_learning_makes_the_source_recoverable_from_the_summary() -> None:
    """Sentences are pairs of like words: half of the words tell all, and nothing else tells anything."""
    learner = toy_learner()
    losses = []
    for update in range(150):
        first = torch.randint(SPECIAL, SPECIAL + 12, (32, 2), generator=generator(update))
        ids = first.repeat_interleave(2, dim=1)
        batch = Batch(ids, torch.full((32,), 4), torch.zeros(32, dtype=torch.long))
        losses.append(learner.update(batch, generator(1_000 + update)))
    start, end = losses[0], losses[-1]
    # Of four words and END, the first of each pair, and the second where the first is hidden (half), must be guessed.
    least_without_summary = 3 / 5 * math.log(12)
    assert sum(each["reconstruction"] for each in losses[-20:]) / 20 < 0.85 * least_without_summary
    assert end["topic"] < start["topic"]
    assert end["length"] < start["length"]
    assert end["mean_length"] <= 2


def test_the_language_model_stays_as_it_is() -> None:
    learner = toy_learner()
    before = {name: tensor.clone() for name, tensor in learner.lm.state_dict().items()}
    learner.update(Batch.of([Encoded((5, 6, 7, 8), ())]), generator())
    assert all(torch.equal(before[name], tensor) for name, tensor in learner.lm.state_dict().items())


# Settings -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"hidden": 7}, "hidden must be even"),
        ({"batch": 0}, "batch must be at least 1, got 0"),
        ({"batch": 2.5}, "batch must be int, got 2.5"),
        ({"dropout": 1.0}, "dropout must be between 0 and 0.99, got 1"),
        ({"embedding_width": 1_000}, "embedding_width must be between 1 and 384"),
        ({"shortest": 0.7}, "shortest must not be above longest"),
        ({"temperature": float("nan")}, "temperature must be a finite number"),
        ({"autoencoder_learning_rate": 0}, "autoencoder_learning_rate must be above 0, got 0"),
        ({"colour": 1}, "no setting 'colour'"),
    ],
)
def test_settings_check_themselves(values: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Seq3Settings.from_dict(values)
