"""A temporary folder that is full ends every command that needs it in a sentence that names it."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from drawing import IS_COMPLETE
from preloaded import Preloaded
from trials import read_messages
from writers import contents

import superword

COMMANDS = {
    "idx": "encode model.json new.txt --threads 1 -o out/tokens.idx",
    "tiktoken": "export model.json -o out/x.tiktoken",
    "tokenizer.json": "export model.json -o out/tokenizer.json",
    "gguf": "export model.json -o out/x.gguf",
    "save_pretrained": "save_pretrained model.json out",
    "many counts": f"merge-counts {'counts-new ' * 33} -o out",
    "spilled counts": "train novels -o out/m.json --vocab-size 300 --threads 128 "
    "--memory-limit 256MB",
}
SLOW = "spilled counts"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [name for name in COMMANDS if IS_COMPLETE or name != SLOW])
def test_a_full_temporary_folder_is_named(
    name: str,
    chance: random.Random,
    inputs: Callable[[str], Path],
    preloaded: Preloaded,
    tmp_path: Path,
) -> None:
    folder = tmp_path.resolve()
    shutil.copytree(inputs("BPE"), folder, dirs_exist_ok=True)
    (folder / "out").mkdir()
    temporary = folder / "temporary"
    temporary.mkdir()
    if name == SLOW:
        (folder / "novels").mkdir()
        for number, text in enumerate(superword.sample()):
            (folder / "novels" / f"{number}.txt").write_text(text)
    command = COMMANDS[name].split()

    def run(fault: str | None) -> tuple[int, list[str], list[str]]:
        done = preloaded.run(command, folder, folder=temporary, fault=fault, TMPDIR=str(temporary))
        return done.status, read_messages(done), done.calls

    status, messages, calls = run(None)
    assert (status, contents(temporary)) == (0, {}), messages
    assert calls
    shutil.rmtree(folder / "out")
    (folder / "out").mkdir()
    numbers = list(range(1, len(calls) + 1))
    if not IS_COMPLETE or len(numbers) > 40:
        numbers = chance.sample(numbers, min(len(numbers), 40 if IS_COMPLETE else 2))
    for number in numbers:
        for error in ("full", "EIO") if IS_COMPLETE else [chance.choice(("full", "EIO"))]:
            shutil.rmtree(temporary)
            temporary.mkdir()
            at = f"{error}:{number} {calls[number - 1]}"
            status, printed, _ = run(f"{error}:{number}")
            if status == 0:  # Removing a file failed.
                shutil.rmtree(folder / "out")
                (folder / "out").mkdir()
                continue
            assert status == 1, (at, printed)
            *others, sentence = printed
            assert set(others) <= set(messages)
            assert re.match(rf"superword: {temporary}\S*: \w", sentence), (at, sentence)
            assert contents(folder / "out") == {}
            if not calls[number - 1].startswith(("unlink", "rmdir")):
                assert list(temporary.iterdir()) == [], at
