"""The preloaded library sees every call that changes a file, as `strace` does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import preloaded as preloading
import pytest
from drawing import IS_COMPLETE
from writers import BY_NAME

NAMES = ("train", "extend", "npy", "idx", "parquet", "counts", "tiktoken", "save_pretrained")
# The system calls behind each name. Flushing is counted, and not done.
SYSTEM_CALLS = {
    "open": "open openat creat",
    "write": "write writev pwrite64 pwritev copy_file_range sendfile",
    "truncate": "truncate ftruncate",
    "allocate": "fallocate",
    "chmod": "chmod fchmod fchmodat",
    "mkdir": "mkdir mkdirat",
    "rmdir": "rmdir",
    "unlink": "unlink unlinkat",
    "rename": "rename renameat renameat2",
    "link": "link linkat symlink symlinkat",
}
SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import preloaded
preloaded.CALLS.get(sys.argv[1], preloaded.run_command)(*sys.argv[1:])
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", NAMES if IS_COMPLETE else NAMES[:1])
def test_the_library_sees_all_calls(
    name: str, inputs: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path.resolve()
    shutil.copytree(inputs("BPE"), folder, dirs_exist_ok=True)
    out, log, traced = folder / "out", folder / "log", folder / "traced"
    out.mkdir()
    library = folder / "faulty_calls.so"
    preloading.compile_library(library)
    writer = BY_NAME[name]
    command = writer.fill(writer.command, "BPE", is_old=False)
    calls = " ".join(SYSTEM_CALLS.values()).replace(" ", ",")
    tracing = ["strace", "-f", "-y", "-qq", "-o", str(traced), "-e", f"trace={calls}"]
    script = SCRIPT.format(folder=str(Path(preloading.__file__).parent))
    done = subprocess.run(
        [*tracing, "-E", f"LD_PRELOAD={library}", sys.executable, "-c", script, *command],
        cwd=folder,
        env={**os.environ, "FAULTS_FOLDER": str(out), "FAULTS_LOG": str(log)},
        capture_output=True,
        text=True,
    )
    if "ptrace" in done.stderr:
        pytest.skip("processes must not be traced here")
    assert done.returncode == 0, done.stderr
    seen = Counter(line.split()[0] for line in log.read_text().splitlines())
    del seen["fsync"]
    assert count_traced(traced.read_text(), str(out)) == seen


def count_traced(text: str, folder: str) -> Counter[str]:
    """Return how often each call changed something below a folder."""
    names = {each: name for name, calls in SYSTEM_CALLS.items() for each in calls.split()}
    found: Counter[str] = Counter()
    for line in text.splitlines():
        called = re.search(r"(\w+)\(", line)
        # A relative path is below the folder if it starts with its name.
        if called is None or not re.search(rf'{re.escape(folder)}|"out[/"]', line):
            continue
        name = names[called[1]]
        if name == "write" and f"<{folder}/" not in line:
            continue  # A message may name the folder.
        if name == "open" and not re.search("O_CREAT|O_TRUNC|O_TMPFILE", line):
            continue
        found[name] += 1
    return found
