"""A cloze question to a masked language model. Pure code."""

from dataclasses import dataclass
from typing import Generic, TypeVar

Token = TypeVar("Token")


@dataclass(frozen=True, slots=True)
class Masked(Generic[Token]):
    """A question to a masked language model: `None` in the template is a hole to be filled.

    The context stands before the template; with an empty context the template stands alone.
    """

    context: tuple[Token, ...]
    template: tuple[Token | None, ...]
    joined: bool = False
    """Whether nothing separates the two; otherwise they are a sentence pair with the model's own separators."""
    unasked: frozenset[int] = frozenset()
    """Holes whose words nobody wants to know: the model sees them as holes, but does not score them."""

    @property
    def holes(self) -> tuple[int, ...]:
        """Positions of the holes within the template that are asked for."""
        return tuple(
            position for position, token in enumerate(self.template) if token is None and position not in self.unasked
        )

    def __len__(self) -> int:
        return len(self.context) + len(self.template)
