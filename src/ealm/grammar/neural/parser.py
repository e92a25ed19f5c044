"""The embedded parser: a dependency tree from the forward pass of the sentence encoder that an agent makes anyway."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from ealm.common.pieces import between_pieces
from ealm.grammar.neural.decoding import best_tree
from ealm.grammar.neural.network import ParserNetwork, ParserShape
from ealm.grammar.neural.saved_parser import read_network
from ealm.grammar.protocol import NO_HEAD, ROOT_RELATION, Parse
from ealm.lm.batching import rows_by_length
from ealm.lm.word_encoder import WordEncoder
from ealm.text.word_shapes import SHAPES, word_shapes

DEFAULT_FOLDER = Path(__file__).parent.parent / "default"
_WORD_BUDGET = 512
_LONGEST = 200
"""Words that are parsed together; what is longer is no sentence, and its pieces hang on the first one."""


class EmbeddedGrammar:
    """Parses English from the states of all layers of the sentence encoder."""

    def __init__(self, network: ParserNetwork, encoder: WordEncoder) -> None:
        self._network = network.eval().requires_grad_(False)
        self._network.fold_normalization()
        self._encoder = encoder

    @classmethod
    def load(cls, folder: Path | None = None, *, encoder: WordEncoder, device: str = "cpu") -> "EmbeddedGrammar":
        """The parser of this package, or one that `ealm train-grammar` wrote; on the encoder it was trained with."""
        return cls(read_network(DEFAULT_FOLDER if folder is None else folder).to(device), encoder)

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        """A tree for each sentence."""
        return self.parse_states(sentences, [states.layers for states in self._encoder.encode_layers(sentences)])

    def parse_states(self, sentences: Sequence[Sequence[str]], layers: Sequence[Tensor]) -> list[Parse]:
        """The same, given `layers` of each sentence from `WordEncoder.encode_layers`: no further forward pass."""
        pieces = [(row, start) for row, words in enumerate(sentences) for start in range(0, len(words), _LONGEST)]
        words = [sentences[row][start : start + _LONGEST] for row, start in pieces]
        states = [layers[row][start : start + _LONGEST] for row, start in pieces]
        parsed: list[list[Parse]] = [[] for _ in sentences]
        found: dict[int, Parse] = {}
        for batch in rows_by_length([len(own) for own in words], _WORD_BUDGET):
            parses = self._parse_batch([words[index] for index in batch], [states[index] for index in batch])
            found.update(zip(batch, parses, strict=True))
        for index, (row, _) in enumerate(pieces):
            parsed[row].append(found[index])
        return [_joined(own) for own in parsed]

    @torch.no_grad()
    def _parse_batch(self, sentences: Sequence[Sequence[str]], layers: Sequence[Tensor]) -> list[Parse]:
        network = self._network
        states, shapes, mask = padded(sentences, layers)
        context, arcs = network.from_normalized(states, shapes, mask)
        scores = torch.log_softmax(arcs, dim=-1).cpu().numpy()
        trees = []
        for row, own in enumerate(sentences):
            between_pieces()
            trees.append(best_tree(scores[row, : len(own), : len(own) + 1]))
        rows = [torch.tensor(heads) + 1 for heads in trees]
        heads = nn.utils.rnn.pad_sequence(rows, batch_first=True).to(context.device)
        relations = network.relations(context, heads)
        relations[..., network.shape.relations.index(ROOT_RELATION)] = float("-inf")
        best_relations, best_tags = relations.argmax(dim=-1).tolist(), network.tags(context).argmax(dim=-1).tolist()
        return [
            _parse(tree, own_relations, own_tags, shape=network.shape)
            for tree, own_relations, own_tags in zip(trees, best_relations, best_tags, strict=True)
        ]


def padded(sentences: Sequence[Sequence[str]], layers: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """States (rows, words, inputs), shapes (rows, words, SHAPES) and mask (rows, words) of sentences."""
    device = layers[0].device
    states = nn.utils.rnn.pad_sequence(list(layers), batch_first=True)
    written = [torch.tensor(word_shapes(words)) for words in sentences]
    shapes = nn.utils.rnn.pad_sequence(written, batch_first=True).to(device)
    lengths = torch.tensor([len(words) for words in sentences], device=device)
    mask = torch.arange(states.shape[1], device=device)[None] < lengths[:, None]
    return states, shapes.view(*mask.shape, SHAPES), mask


def _parse(tree: tuple[int, ...], relations: Sequence[int], tags: Sequence[int], *, shape: ParserShape) -> Parse:
    """A tree with names; the lists may be longer than the sentence."""
    names = (
        ROOT_RELATION if head == NO_HEAD else shape.relations[number]
        for head, number in zip(tree, relations, strict=False)
    )
    return Parse(tree, tuple(names), tuple(shape.tags[number] for number in tags[: len(tree)]))


def _joined(parses: Sequence[Parse]) -> Parse:
    """One tree of the pieces of an overlong sentence: their roots hang on the first one."""
    if not parses:
        return Parse((), (), ())
    first, *others = parses
    heads, relations, tags = list(first.heads), list(first.relations), list(first.tags)
    for parse in others:
        start = len(heads)
        heads += [first.root if head == NO_HEAD else head + start for head in parse.heads]
        relations += ["parataxis" if name == ROOT_RELATION else name for name in parse.relations]
        tags += parse.tags
    return Parse(tuple(heads), tuple(relations), tuple(tags))
