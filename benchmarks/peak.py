"""Memory of this process."""

from pathlib import Path


def peak_memory() -> int:
    """Greatest resident memory of this process so far, in KiB (Linux).

    Not ru_maxrss: a new process inherits that from the one that started it.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1])
