"""Limits of the service."""

from dataclasses import dataclass

from ealm.common.errors import SettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLimits:
    """Limits of one process."""

    body_bytes: int = 2_000_000
    """Largest request, and largest line of a stream."""
    texts_per_request: int = 512
    queued_texts: int = 1_024
    """Texts that wait or are being summarized; requests beyond that are refused with 429."""
    texts_at_once: int = 64
    """Texts in one batch."""
    window_seconds: float = 0.005
    """How long the first request of a batch waits for others."""

    def __post_init__(self) -> None:
        for name in ("body_bytes", "texts_per_request", "queued_texts", "texts_at_once"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} must be at least 1, got {getattr(self, name)}.")
        if self.window_seconds < 0:
            raise SettingsError(f"window_seconds must be at least 0, got {self.window_seconds:g}.")
