"""From what a user asks for to a training run that is ready to start."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from ealm.common.config import Settings, preset
from ealm.common.errors import RunError
from ealm.common.identity import check_no_run, check_same_run
from ealm.common.process_pool import ProcessPool, cores
from ealm.common.ray_pool import ActorPool
from ealm.common.worker_pool import Recipe
from ealm.goal_agent.word_importance import load_importance
from ealm.lm import bundled as embedded
from ealm.lm.masked_lm import MaskedLM, TransformersMaskedLM
from ealm.paper.assessment import SentenceSimilarity
from ealm.summarize.saved_agent import SETTINGS_FILE
from ealm.text.corpus import Corpus, read_corpus
from ealm.training.checkpoint import CHECKPOINT_FILE, Checkpoint, RunIdentity
from ealm.training.goal_collector import GoalRecipe
from ealm.training.goal_trainer import GoalTrainer
from ealm.training.paper_collector import ModelNames, WalkRecipe
from ealm.training.paper_trainer import PaperTrainer
from ealm.training.prefetch import JOBS_PER_WORKER, Prefetcher
from ealm.training.run import Trainer, TrainingRun


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a user asks for; None is what the run in the folder has, or else the default."""

    corpus: Path
    folder: Path
    preset: str | None = None
    assignments: Mapping[str, object]
    """Settings by path, such as `learning.discount`."""
    lm: str | None = None
    similarity: str | None = None
    importance: Path | None = None
    """File of stored word importance."""
    seed: int | None = None
    resume: bool = False
    checkpoint_seconds: float = 120.0
    device: str = "cpu"
    engine: str = "torch"
    workers: int | None = None
    """Processes that collect, or with `ray` actors (None: as many as there is room for); may change in a run."""
    ray: bool = False
    address: str | None = None
    """Of the Ray cluster."""


def open_run(request: RunRequest) -> tuple[TrainingRun, Corpus]:
    """Load everything and restore the checkpoint, if there is one to resume from."""
    checkpoint = _checkpoint(request.folder, resume=request.resume)
    saved = checkpoint.identity if checkpoint else None
    settings = saved.settings if saved and request.preset is None else preset(request.preset or "paper")
    settings = settings.override(request.assignments)
    seed = request.seed if request.seed is not None else (saved.seed if saved else 0)
    similarity = _full_path(request.similarity) or (saved.similarity if saved else embedded.NAME)
    lm_name = request.lm or (saved.lm if saved else embedded.NAME)

    lm = TransformersMaskedLM.load(lm_name, device=request.device, engine=request.engine)
    held_out = settings.learning.held_out if settings.method == "paper" else 0
    corpus = read_corpus(request.corpus, settings=settings.data, longest=lm.max_words, seed=seed, held_out=held_out)
    identity = RunIdentity(settings, seed, lm.name, similarity, corpus.fingerprint, saved.workers if saved else 0)
    check_same_run(request.folder, identity.differences(saved) if saved else [])
    _check_options(request, settings, saved)
    with ExitStack() as undo:
        identity, prefetcher = _with_workers(request, identity)
        if prefetcher is not None:
            undo.callback(prefetcher.close)
        run = TrainingRun(
            _trainer(request, lm, corpus, identity, prefetcher),
            request.folder,
            identity,
            checkpoint_seconds=request.checkpoint_seconds,
            resumed_from=checkpoint,
        )
        undo.pop_all()
    return run, corpus


def _trainer(
    request: RunRequest, lm: MaskedLM, corpus: Corpus, identity: RunIdentity, prefetcher: Prefetcher | None
) -> Trainer:
    """The trainer for the settings' method, with what it needs; what workers need they load themselves."""
    settings = identity.settings
    similarity = importance = None
    if (prefetcher is None or corpus.held_out) and _needs_similarity(settings):
        similarity = SentenceSimilarity.load(identity.similarity, device=request.device, engine=request.engine)
    if prefetcher is None and request.importance is not None:
        importance = load_importance(request.importance, identity.similarity)
    if settings.method == "goal":
        return GoalTrainer(
            lm=lm,
            corpus=corpus,
            settings=settings,
            similarity=similarity,
            seed=identity.seed,
            device=request.device,
            importance=importance,
            prefetcher=prefetcher,
        )
    return PaperTrainer(
        lm=lm,
        corpus=corpus,
        settings=settings,
        similarity=similarity,
        seed=identity.seed,
        device=request.device,
        prefetcher=prefetcher,
    )


def _needs_similarity(settings: Settings) -> bool:
    if settings.method == "goal":
        return settings.goal.potential.needs_similarity
    return settings.rewards.similarity_weight > 0


def _with_workers(request: RunRequest, identity: RunIdentity) -> tuple[RunIdentity, Prefetcher | None]:
    """Start workers, if any are wanted or the run had some; their first number decides how far ahead they collect."""
    pool: ProcessPool | ActorPool
    if request.ray:
        gpu = request.device != "cpu"
        recipe = _recipe(request, identity)
        pool = ActorPool(recipe, address=request.address, actors=request.workers, gpu=gpu)
    elif workers := request.workers or identity.workers:
        _leave_cores_to(workers)
        pool = ProcessPool(_recipe(request, identity), workers)
    else:
        return identity, None
    identity = replace(identity, workers=identity.workers or pool.size)
    return identity, Prefetcher(pool, ahead=JOBS_PER_WORKER * identity.workers)


def _leave_cores_to(workers: int) -> None:
    """Use the cores that the workers leave: more threads than that would wait for each other."""
    torch.set_num_threads(min(max(1, cores() - workers), torch.get_num_threads()))


def _recipe(request: RunRequest, identity: RunIdentity) -> Recipe:
    """What a worker needs to collect."""
    settings = identity.settings
    models = ModelNames(
        lm=identity.lm,
        similarity=identity.similarity if _needs_similarity(settings) else None,
        engine=request.engine,
        device=request.device,
    )
    if settings.method != "goal":
        return WalkRecipe(models=models, settings=settings)
    importance = request.importance.resolve() if request.importance else None
    return GoalRecipe(models=models, settings=settings, importance=importance)


def _checkpoint(folder: Path, *, resume: bool) -> Checkpoint | None:
    if resume:
        return Checkpoint.load(folder)
    check_no_run(folder, CHECKPOINT_FILE, SETTINGS_FILE)
    return None


def _full_path(name_or_folder: str | None) -> str | None:
    """A folder by its full path, so that a run can be resumed from anywhere; a hub name as it is."""
    if name_or_folder is None or not Path(name_or_folder).is_dir():
        return name_or_folder
    return str(Path(name_or_folder).resolve())


def _check_options(request: RunRequest, settings: Settings, saved: RunIdentity | None) -> None:
    """Refuse what does not go together before anything is started."""
    if request.importance is not None and settings.method != "goal":
        raise RunError("word_importance= is for the goal agent (preset=reader); leave it out here.")
    if saved is not None and not saved.workers and (request.workers or request.ray):
        raise RunError(
            "The run in this folder was started without workers: it cannot be resumed with workers= or backend=ray. "
            "Leave them out to resume it, or choose another out=."
        )
