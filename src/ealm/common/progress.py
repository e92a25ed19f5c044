"""A progress bar for long lists, in a terminal and in a notebook."""

import sys
import warnings
from collections.abc import Iterator
from typing import TypeVar

Result = TypeVar("Result")

_LONG_LIST = 256
"""Texts from which on a list is worth a progress bar."""


def with_progress(results: Iterator[Result], total: int) -> Iterator[Result]:
    """A bar where somebody can see it and the list is long."""
    if total < _LONG_LIST or not (in_notebook() or sys.stderr.isatty()):
        return results
    with warnings.catch_warnings():  # without ipywidgets the bar is one of text, which is no reason to complain
        warnings.filterwarnings("ignore", message="IProgress not found")
        from tqdm.auto import tqdm
    bar: Iterator[Result] = iter(tqdm(results, total=total, unit=" texts", dynamic_ncols=True))
    return bar


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this: its stderr is no terminal, but people see it."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and "IPKernelApp" in shell.config
