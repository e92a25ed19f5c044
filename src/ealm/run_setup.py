"""From what a user asks for to a training run that is ready to go."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ealm import embedded
from ealm.agent_folder import SETTINGS_FILE
from ealm.assessment import SentenceSimilarity
from ealm.checkpoint import CHECKPOINT_FILE, Checkpoint, RunIdentity
from ealm.config import preset
from ealm.data import Corpus, read_corpus
from ealm.errors import RunError
from ealm.goals.training import GoalTrainer, needs_similarity
from ealm.goals.weighing import load_weights
from ealm.masked_lm import MaskedLM, TransformersMaskedLM
from ealm.run import Learns, TrainingRun
from ealm.training import Trainer


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a user asks for; None is what the run in the folder has, or else the default."""

    corpus: Path
    folder: Path
    preset: str | None = None
    assignments: Mapping[str, str]
    """Settings by path, such as `learning.discount`."""
    lm: str | None = None
    similarity: str | None = None
    weighed: Path | None = None
    """What the words of sentences carry, worked out beforehand."""
    seed: int | None = None
    resume: bool = False
    checkpoint_seconds: float = 120.0
    device: str = "cpu"
    engine: str = "torch"


def open_run(request: RunRequest) -> tuple[TrainingRun, Corpus]:
    """Load everything and take up the checkpoint, if there is one to go on from."""
    checkpoint = _checkpoint(request.folder, resume=request.resume)
    saved = checkpoint.identity if checkpoint else None
    settings = saved.settings if saved and request.preset is None else preset(request.preset or "paper")
    settings = settings.override(request.assignments)
    seed = request.seed if request.seed is not None else (saved.seed if saved else 0)
    similarity = _full_path(request.similarity) or (saved.similarity if saved else embedded.NAME)
    lm_name = request.lm or (saved.lm if saved else embedded.NAME)

    lm = TransformersMaskedLM.load(lm_name, device=request.device, engine=request.engine)
    corpus = read_corpus(request.corpus, settings=settings.data, longest=lm.max_words, seed=seed)
    identity = RunIdentity(settings, seed, lm.name, similarity, corpus.fingerprint)
    _check_same_run(checkpoint, identity)
    run = TrainingRun(
        _trainer(request, lm, corpus, identity),
        request.folder,
        identity,
        checkpoint_seconds=request.checkpoint_seconds,
        resumed_from=checkpoint,
    )
    return run, corpus


def _trainer(request: RunRequest, lm: MaskedLM, corpus: Corpus, identity: RunIdentity) -> Learns:
    """The trainer for the settings' method, with what it needs."""
    settings = identity.settings

    def similarity(needed: bool) -> SentenceSimilarity | None:
        return SentenceSimilarity.load(identity.similarity, device=request.device) if needed else None

    if settings.method == "goal":
        return GoalTrainer(
            lm=lm,
            corpus=corpus,
            settings=settings,
            similarity=similarity(needs_similarity(settings.goal.parts)),
            seed=identity.seed,
            device=request.device,
            weighed=load_weights(request.weighed, identity.similarity) if request.weighed else None,
        )
    if request.weighed is not None:
        raise RunError("--weighed is for agents that are told a length (--preset reader); leave it out here.")
    return Trainer(
        lm=lm,
        corpus=corpus,
        settings=settings,
        similarity=similarity(settings.rewards.similarity_weight > 0),
        seed=identity.seed,
        device=request.device,
    )


def _checkpoint(folder: Path, *, resume: bool) -> Checkpoint | None:
    if resume:
        return Checkpoint.load(folder)
    for name in (CHECKPOINT_FILE, SETTINGS_FILE):
        if (folder / name).exists():
            raise RunError(f"{folder} already holds a run ({name}). Go on with --resume, or choose another --out.")
    return None


def _full_path(name_or_folder: str | None) -> str | None:
    """A folder by its full path, so that a run can be resumed from anywhere; a hub name as it is."""
    if name_or_folder is None or not Path(name_or_folder).is_dir():
        return name_or_folder
    return str(Path(name_or_folder).resolve())


def _check_same_run(checkpoint: Checkpoint | None, identity: RunIdentity) -> None:
    if checkpoint is None:
        return
    different = identity.differences(checkpoint.identity)
    if different:
        raise RunError(
            f"The run in this folder was started with another {' and '.join(different)}: it cannot go on with these. "
            "Leave the options out to resume it, or choose another --out."
        )
