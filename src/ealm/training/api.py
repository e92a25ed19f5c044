"""`train`: what `ealm train` does, as a function."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ealm.common.config import DEFAULT_UPDATES
from ealm.common.errors import SettingsError
from ealm.common.stopping import Budget, StopRequest
from ealm.training.return_gate import Returns
from ealm.training.setup import RunRequest, open_run


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What a training run has come to."""

    folder: Path
    """Holds the agent, ready for `Summarizer.from_pretrained`, the checkpoint and the log."""
    finished: bool
    """False if it was stopped before its budget was spent; `train(..., resume=True)` continues it."""
    updates: int
    """Done in all, earlier parts of a resumed run included."""
    best_reward: float | None
    """Highest mean reward, at which the saved agent was; None if the run ended before one was judged."""
    returns: Returns | None
    """The paper's agent beside a script on held-out sentences, measured last; None if none were held out."""


def train(
    corpus: str | Path,
    out: str | Path,
    *,
    preset: str | None = None,
    settings: Mapping[str, object] | None = None,
    updates: int | None = None,
    minutes: float | None = None,
    lm: str | Path | None = None,
    similarity: str | Path | None = None,
    word_importance: str | Path | None = None,
    pretokenized: bool = False,
    seed: int | None = None,
    resume: bool = False,
    checkpoint_seconds: float = 120.0,
    workers: int | None = None,
    backend: Literal["local", "ray"] = "local",
    address: str | None = None,
    engine: Literal["torch", "int8"] = "torch",
    device: str = "cpu",
    progress: bool = True,
    notify: Callable[[str], None] | None = None,
    stop: StopRequest | None = None,
) -> TrainingResult:
    """Train an agent on raw sentences: no summaries, no labels, no validation set.

    Ctrl-C or `kill` ends the training early with everything saved (in the main thread; a second one ends the process).
    With the same arguments the result is the same, and a resumed run ends exactly as one that was never stopped.

    Args:
        corpus: Text file with one sentence a line (UTF-8, also as .gz, .xz or .bz2).
        out: Folder of the run; it holds the agent.
        preset: Settings to start from: "paper" (default), "published-code", "laptop" or "reader".
        settings: Changes to them by path, such as `{"learning.discount": 0.95}`; `ealm settings` lists all.
        updates: Budget in updates, earlier parts of a resumed run included. Default, if `minutes` is not given either:
            70,000 for the paper's agent, 10,000 for the goal agent (preset "reader").
        minutes: Budget in minutes, earlier parts of a resumed run included. With both, the first one reached counts.
        lm: Masked language model, a folder or a hub name. Default: the bundled one.
        similarity: Sentence-similarity model, a folder or a hub name. Default: the bundled one.
        word_importance: For the preset "reader", the file that `ealm word-importance` wrote for this corpus.
        pretokenized: Whether white space alone separates words.
        seed: Of all randomness. Default: 0.
        resume: Continue the run in the folder, or start it if there is none. What is not given (preset, settings, lm,
            similarity, seed) is as the run was started with; anything else that differs is refused.
        checkpoint_seconds: Time between checkpoints: what a crash can lose.
        workers: Processes, or with Ray actors, that collect while this process learns. The run is another than without,
            but the same every time. Default: none; with Ray as many as there is room for; for a resumed run as many as
            it was started with.
        backend: Where the workers run: "local" processes, or actors of a "ray" cluster.
        address: Of the Ray cluster. Default: the one that runs here, or a new one.
        engine: What runs the language model: "torch", or "int8", faster on a CPU with VNNI, which rounds.
        device: Where to compute: "cpu", "cuda", ...
        progress: Whether to show a progress bar on stderr.
        notify: Called with a line on the sentences that were read.
        stop: A stop request to obey instead of Ctrl-C and `kill`.

    Raises:
        EalmError: If something cannot be used as it is; the message says what to do.
    """
    if backend not in ("local", "ray"):
        raise SettingsError(f"backend= must be 'local' or 'ray', got {backend!r}.")
    if address is not None and backend != "ray":
        raise SettingsError("address= is of a Ray cluster. Give it together with backend=ray.")
    if backend == "ray":
        from ealm.common.ray_pool import require_ray

        require_ray()  # an error comes before anything is loaded
    request = RunRequest(
        corpus=Path(corpus),
        folder=Path(out),
        preset=preset,
        assignments={**(settings or {}), **({"data.pretokenized": True} if pretokenized else {})},
        lm=_name(lm),
        similarity=_name(similarity),
        importance=None if word_importance is None else Path(word_importance),
        seed=seed,
        resume=resume,
        checkpoint_seconds=checkpoint_seconds,
        device=device,
        engine=engine,
        workers=workers,
        ray=backend == "ray",
        address=address,
    )
    return _trained(request, Budget(updates, minutes), progress=progress, notify=notify, stop=stop)


def _name(model: str | Path | None) -> str | None:
    return None if model is None else str(model)


def _trained(
    request: RunRequest,
    budget: Budget,
    *,
    progress: bool,
    notify: Callable[[str], None] | None,
    stop: StopRequest | None,
) -> TrainingResult:
    run, corpus = open_run(request)
    with closing(run), ExitStack() as listening:
        if notify is not None:
            notify(f"{request.corpus}: {corpus.description}")
        if budget == Budget():
            budget = Budget(updates=DEFAULT_UPDATES[run.settings.method])
        if stop is None:
            stop = listening.enter_context(StopRequest().listening())
        finished = run.go(budget, stop=stop, progress=progress)
    return TrainingResult(request.folder, finished, run.updates, run.trainer.best_reward, run.trainer.returns)
