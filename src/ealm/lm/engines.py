"""Other ways to run the encoder of a language model.

Opt-in, because rounding changes what the model says, if only a little; `docs/performance.md` has the measured gain and
agreement, also of engines that were tried and not kept.
"""

import warnings
from typing import Any

import torch

from ealm.common.config import ENGINES
from ealm.common.errors import LanguageModelError


def encoder_on(engine: str, model: Any) -> Any:
    """The encoder of a masked language model of `transformers`, run by the engine of that name."""
    if engine not in ENGINES:
        raise LanguageModelError(f"There is no engine {engine!r}. Engines: {', '.join(ENGINES)}.")
    if engine == "torch":
        return model.base_model
    if model.device.type != "cpu":
        raise LanguageModelError(f"The {engine} engine runs on the CPU. Use --device cpu, or the torch engine.")
    return _int8(model.base_model)


def _int8(encoder: Any) -> Any:
    """A copy whose linear layers have weights of 8 bits, and activations rounded to 8 bits as they come."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the function is to move to a package of its own one day
        return torch.ao.quantization.quantize_dynamic(encoder, {torch.nn.Linear}, dtype=torch.qint8)  # type: ignore[no-untyped-call]
