"""Linear layers of another kind in the place of those of a model."""

import copy
from collections.abc import Callable

from torch import nn


def exchange_linears(part: nn.Module, kind: Callable[[nn.Linear], nn.Module]) -> nn.Module:
    """The same part of a model, from now on with linear layers of another kind."""
    for parent in list(part.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear):
                setattr(parent, name, kind(child))
    return part


def with_other_linears(part: nn.Module, kind: Callable[[nn.Linear], nn.Module]) -> nn.Module:
    """A copy of a part of a model with linear layers of another kind; it shares all other weights."""
    shared = {id(tensor): tensor for tensor in (*part.parameters(), *part.buffers())}
    return exchange_linears(copy.deepcopy(part, shared), kind)
