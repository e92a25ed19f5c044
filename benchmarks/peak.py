"""Memory of this process, and how busy the machine is beside it (Linux)."""

import os
from pathlib import Path


def peak_memory() -> int:
    """Greatest resident memory of this process so far, in KiB (Linux).

    Not ru_maxrss: a new process inherits that from the one that started it.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1])


def busy_seconds() -> float:
    """Seconds that all cores together have worked since the machine was started, for whatever process."""
    first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    user, nice, system, _idle, _waiting, *rest = map(int, first.split()[1:9])  # beyond these, guests count twice
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")
