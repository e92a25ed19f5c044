"""The best tree under the scores of all arcs.

Most often every word's best head gives a tree already. Where it does not, the maximum spanning arborescence is found
by the algorithm of Chu, Liu and Edmonds.
"""

import numpy as np
from numpy.typing import NDArray

from ealm.grammar.protocol import NO_HEAD, is_tree

Scores = NDArray[np.float64]


def best_tree(scores: NDArray[np.floating]) -> tuple[int, ...]:
    """Heads of the best tree with one root.

    `scores` (words, words + 1): how well each word goes with each head; column 0 is "this word is the root", column
    i + 1 the word with index i.
    """
    words = len(scores)
    if not words:
        return ()
    weights = np.array(scores, dtype=np.float64)
    weights[np.arange(words), np.arange(words) + 1] = -np.inf  # no word hangs on itself
    greedy = tuple(int(head) - 1 for head in weights.argmax(axis=1))
    if is_tree(greedy):
        return greedy
    finite = weights[np.isfinite(weights)]
    # Dearer than everything else together, so that a best tree pays this price for one root only.
    weights[:, 0] -= (words + 1) * (finite.max() - finite.min() + 1)
    square = np.vstack([np.full((1, words + 1), -np.inf), weights])  # node 0 is above the root
    return tuple(head - 1 for head in _arborescence(square)[1:])


def _arborescence(scores: Scores) -> list[int]:
    """Head of each node in the best tree under node 0, whose own head is given as `NO_HEAD`; [node, head] scores."""
    heads = scores.argmax(axis=1)
    heads[0] = NO_HEAD
    cycle = _cycle(heads)
    if not len(cycle):
        return [int(head) for head in heads]
    inside = np.zeros(len(heads), dtype=bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)  # node 0 comes first
    contracted, entries, exits = _contracted(scores, heads, cycle=cycle, outside=outside)
    small = _arborescence(contracted)
    merged = len(outside)
    found = [int(head) for head in heads]  # inside the cycle all arcs stay but the one that is entered by
    for index, head in enumerate(small[:merged]):
        if index:
            found[outside[index]] = int(exits[index] if head == merged else outside[head])
    entry = int(entries[small[merged]])
    found[entry] = int(outside[small[merged]])
    return found


def _contracted(
    scores: Scores, heads: NDArray[np.int64], *, cycle: NDArray[np.int64], outside: NDArray[np.int64]
) -> tuple[Scores, NDArray[np.int64], NDArray[np.int64]]:
    """The graph with the cycle as its last node.

    Beside it the node of the cycle by which each outer head would enter it, and the node of the cycle that each outer
    node would hang on.
    """
    gains = scores[np.ix_(cycle, outside)] - scores[cycle, heads[cycle]][:, None]
    leaving = scores[np.ix_(outside, cycle)]
    size = len(outside) + 1
    small = np.full((size, size), -np.inf)
    small[:-1, :-1] = scores[np.ix_(outside, outside)]
    small[-1, :-1] = gains.max(axis=0)
    small[:-1, -1] = leaving.max(axis=1)
    return small, cycle[gains.argmax(axis=0)], cycle[leaving.argmax(axis=1)]


def _cycle(heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Nodes of one cycle; empty where there is none."""
    state = np.zeros(len(heads), dtype=np.int64)  # number of the walk that came by
    state[0] = -1
    for start in range(1, len(heads)):
        node = start
        while state[node] == 0:
            state[node] = start
            node = int(heads[node])
        if state[node] == start:
            cycle = [node]
            while (node := int(heads[node])) != cycle[0]:
                cycle.append(node)
            return np.array(cycle)
    return np.array([], dtype=np.int64)
