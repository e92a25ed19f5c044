"""The text that a language model is fitted to: what is read, held out, left out, and refused."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from adaptation_runs import (
    COPIES,
    KINDS,
    RARE,
    ROOMY,
    Clock,
    assert_complete,
    fitted,
    report_of,
    request_for,
    write_corpus,
)
from tiny_models import POSITIONS, tiny_bert_model, tiny_tokenizer

from ealm.common.config import IgnoredWordsSettings
from ealm.common.errors import CorpusError
from ealm.lm.adapt.run import open_adaptation
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.source import Source
from ealm.text.tokenizer import tokenize

PACKERS: dict[str, Callable[..., bytes]] = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


@pytest.mark.parametrize(("ending", "pack"), PACKERS.items(), ids=PACKERS)
def test_compressed_corpora_are_the_same_corpora(
    tmp_path: Path, started: Path, corpus: Path, lm_folder: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = tmp_path / f"corpus.txt{ending}"
    packed.write_bytes(pack(corpus.read_bytes()))
    # Resuming takes the same sentences and nothing else.
    run = open_adaptation(request_for(packed, started, lm_folder, resume=True))
    assert len(run.corpus) == report_of(started)["sentences"]


def test_of_a_small_corpus_more_is_held_out(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [*KINDS * 50])
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder))
    assert (len(run.corpus), len(run.held_out)) == (160, 40)  # a fifth, since less has too few words for a score


def test_of_a_large_corpus_two_in_a_hundred_sentences_are_held_out(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", ["the river rises in winter " * 6] * 10_000)
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder))
    assert (len(run.corpus), len(run.held_out)) == (9_800, 200)


def test_sentences_for_scores_can_be_named(tmp_path: Path, lm_folder: Path, clock: Clock) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [*KINDS * 5])  # too few to set some aside
    held_out = write_corpus(tmp_path / "held_out.txt", [KINDS[3], "too short", KINDS[2]])
    run = fitted(request_for(path, tmp_path / "out", lm_folder, held_out=held_out))
    assert (len(run.corpus), len(run.held_out)) == (20, 2)
    assert_complete(tmp_path / "out")


def test_words_of_the_held_out_sentences_get_no_place(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [KINDS[3]] * 30)
    held_out = write_corpus(tmp_path / "held_out.txt", [KINDS[2]] * 30)
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder, held_out=held_out))
    assert run.held_out[0][1] == tiny_tokenizer().unk_token_id


def test_too_few_sentences_to_set_some_aside_are_told(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [*KINDS * 2])
    with pytest.raises(CorpusError, match=r"8 usable sentences, too few .* held_out="):
        open_adaptation(request_for(path, tmp_path / "out", lm_folder))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", ["", "too short\n" * 60])
@pytest.mark.parametrize("what", ["corpus", "held_out"])
def test_text_without_a_usable_sentence_is_told(
    tmp_path: Path, corpus: Path, lm_folder: Path, content: str, what: str
) -> None:
    path = tmp_path / "useless.txt"
    path.write_text(content)
    request = request_for(corpus, tmp_path / "out", lm_folder)
    with pytest.raises(CorpusError, match=r"useless\.txt has no sentence of 4 to "):
        open_adaptation(replace(request, **{what: path}))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("what", ["corpus", "held_out"])
def test_text_without_a_known_word_is_told(tmp_path: Path, corpus: Path, lm_folder: Path, what: str) -> None:
    path = write_corpus(tmp_path / "foreign.txt", ["der fluss steigt im herbst"] * 10)
    request = request_for(corpus, tmp_path / "out", lm_folder, held_out=corpus)
    with pytest.raises(CorpusError, match=r"foreign\.txt"):
        open_adaptation(replace(request, **{what: path}))


def test_a_text_that_is_cut_already_keeps_its_words(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", ["the river-bed rises in n't winter. `` `` -lrb-"] * 60)
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder, pretokenized=True))
    tokens = run._start.tokenizer.convert_ids_to_tokens(run.corpus[0].tolist())
    assert tokens[0] == "the"
    assert len(tokens) == 9
    # Three places; the quotation mark is the most frequent new word, and the first ones come next.
    assert [token for token in tokens if token != "[UNK]"] == "the river-bed rises in n't `` ``".split()


NOT_WORDS_AT_ALL: dict[str, tuple[str, bool]] = {
    "an ideograph": ("東", False),
    "ideographs in a text that is cut already": ("東京", True),
    "a sign that nobody sees": ("\u200b", False),
    "a placeholder": ("[unused1]", True),
}


@pytest.mark.parametrize(("word", "pretokenized"), NOT_WORDS_AT_ALL.values(), ids=NOT_WORDS_AT_ALL)
def test_what_is_fitted_can_be_predicted(tmp_path: Path, lm_folder: Path, word: str, pretokenized: bool) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [f"the river {word} rises in winter ."] * 60)
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder, pretokenized=pretokenized))
    lm = TransformersMaskedLM(run._start.model, run._start.tokenizer)
    wanted = {int(number) for number in np.unique(run.corpus.flat)} - {lm.unknown_id}
    assert not lm.not_a_word[sorted(wanted)].any()
    assert all(torch.isfinite(weight).all() for weight in run.fitter.model.state_dict().values())


def test_special_tokens_in_the_text_stay_special(tmp_path: Path) -> None:
    from transformers import BertTokenizerFast

    tiny_bert_model(words=ROOMY).save_pretrained(tmp_path / "cased")
    BertTokenizerFast(
        vocab=tiny_tokenizer(ROOMY).get_vocab(), model_max_length=POSITIONS, do_lower_case=False
    ).save_pretrained(tmp_path / "cased")
    path = write_corpus(tmp_path / "corpus.txt", ["the river [SEP] rises in winter ."] * 60)
    run = open_adaptation(request_for(path, tmp_path / "out", tmp_path / "cased", pretokenized=True))
    assert run._start.tokenizer.sep_token_id == tiny_tokenizer(ROOMY).sep_token_id


def test_a_shape_that_is_known_keeps_its_place(tmp_path: Path, lm_folder: Path) -> None:
    path = write_corpus(tmp_path / "corpus.txt", ["the river rises 7 in winter ."] * 60)
    before = TransformersMaskedLM.load(lm_folder).word_ids(["#"])
    run = open_adaptation(request_for(path, tmp_path / "out", lm_folder))
    assert TransformersMaskedLM(run._start.model, run._start.tokenizer).word_ids(["#"]) == before


@pytest.mark.parametrize("last", ["unused", "special"])
def test_unused_or_special_tokens_may_be_the_last_of_the_vocabulary(tmp_path: Path, last: str, clock: Clock) -> None:
    from transformers import BertTokenizerFast

    tokens = sorted(tiny_tokenizer(ROOMY).get_vocab(), key=tiny_tokenizer(ROOMY).get_vocab().__getitem__)
    behind = [token for token in tokens if token.startswith("[unused")] if last == "unused" else tokens[:5]
    ordered = [token for token in tokens if token not in behind] + behind
    vocabulary = {token: number for number, token in enumerate(ordered)}
    tiny_bert_model(words=ROOMY).save_pretrained(tmp_path / "lm")
    BertTokenizerFast(vocab=vocabulary, model_max_length=POSITIONS).save_pretrained(tmp_path / "lm")
    path = write_corpus(tmp_path / "corpus.txt", [*KINDS * COPIES, RARE])
    fitted(request_for(path, tmp_path / "out", tmp_path / "lm"))
    assert_complete(tmp_path / "out")


def test_sentences_that_are_too_long_for_the_model_are_left_out(tmp_path: Path, lm_folder: Path, clock: Clock) -> None:
    longest = TransformersMaskedLM.load(lm_folder).max_words
    assert longest < 120
    lines = [" ".join(["river"] * length) for length in (longest, longest + 1, 120)] * 60
    path = write_corpus(tmp_path / "corpus.txt", lines)
    run = fitted(request_for(path, tmp_path / "out", lm_folder))
    assert set(np.diff(run.corpus.starts)) == {longest}


@pytest.mark.parametrize(
    "line",
    [
        *KINDS,
        "In 1987 the CAFÉ opens -- a co-op , 7,5 % `` great '' !",
        pytest.param(
            "The old Corp. says the river’s winter is great .",
        ),
    ],
)
def test_text_is_read_for_fitting_as_it_will_be_read_in_use(finished: Path, tmp_path: Path, line: str) -> None:
    path = write_corpus(tmp_path / "corpus.txt", [line] * 60)
    run = open_adaptation(request_for(path, tmp_path / "out", finished))
    lm = TransformersMaskedLM.load(finished)
    ignored = IgnoredWords(IgnoredWordsSettings(infrequent="none"))
    used = Source.prepare([token.text for token in tokenize(line)], lm, ignored)
    assert run.corpus[0].tolist() == list(used.ids)
