"""Probes of the machine: a plain copy, a pointer chase, the cycles in a nanosecond."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np

from harness import time_best

SOURCE = Path(__file__).with_suffix(".c")
COPY_BYTES = 512_000_000
LINE_BYTES = 64
# Short, so that some runs are not interrupted.
CHASE_STEPS = 100_000
SPIN_STEPS = 200_000
# The operations of a step of `spin`, each of one cycle.
SPIN_CYCLES = 6


def compile_probes(folder: Path) -> Path:
    """Compile `probes.c` as a library in a folder."""
    for tool in ("cc", "valgrind"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is missing; install a C compiler and Valgrind")
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "probes.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return library


class Probes:
    """The compiled probes."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))
        self.library.chase.restype = ctypes.c_uint32

    def measure_copy(self) -> float:
        """Return the bytes that a plain copy of a large array copies in a nanosecond."""
        source = np.ones(COPY_BYTES, np.uint8)
        target = np.zeros_like(source)
        seconds, _ = time_best(20, lambda: np.copyto(target, source))
        return COPY_BYTES / seconds / 1e9

    def measure_chase(self, size: int) -> float:
        """Return the nanoseconds of a step through a table of this size, one entry a cache line."""
        words = LINE_BYTES // 4
        order = np.random.default_rng(0).permutation(size // LINE_BYTES).astype(np.uint32) * words
        table = np.zeros(len(order) * words, np.uint32)
        table[order] = np.roll(order, -1)
        at, start = 0, table.ctypes.data_as(ctypes.c_void_p)

        def chase() -> None:
            nonlocal at
            at = self.library.chase(start, ctypes.c_uint32(at), ctypes.c_uint64(CHASE_STEPS))

        seconds, _ = time_best(50, chase)
        return seconds * 1e9 / CHASE_STEPS

    def measure_gigahertz(self) -> float:
        """Return the cycles in a nanosecond."""
        seconds, _ = time_best(300, lambda: self.library.spin(ctypes.c_uint64(SPIN_STEPS)))
        return SPIN_STEPS * SPIN_CYCLES / seconds / 1e9
