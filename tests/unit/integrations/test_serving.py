"""What SGLang and MLX-LM call on a tokenizer, with every kind of model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from superword import Tokenizer
from superword.transformers import SuperwordTokenizer

TEXT = "at the end of the day<|end|> of the naïve café 猫<tool>\n\n  1234 isn't 🐈‍⬛"
# The config.json of a language model. Its tokenizer would be another one.
CONFIG = '{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 1024}'


def save(core: Tokenizer, folder: Path) -> None:
    """Write the folder of a language model and its tokenizer, without weights."""
    saved = SuperwordTokenizer(core, bos_token="<|bos|>", eos_token="<|end|>")
    saved.add_tokens(["<tool>"])
    saved.save_pretrained(folder)
    (folder / "config.json").write_text(CONFIG)


def ids_to_stream(tokenizer: SuperwordTokenizer) -> list[list[int]]:
    """Superwords, added tokens, and single bytes of characters."""
    single = [tokenizer.core.token_id(bytes([byte])) or 0 for byte in (TEXT + ".").encode()]
    return [tokenizer.encode(TEXT), single, [len(tokenizer) + 3, *single, len(tokenizer) + 9]]


def stream_as_sglang(tokenizer: SuperwordTokenizer, ids: list[int], skip: bool) -> str:
    """Decode ids one by one, as SGLang 0.5.23 does; it decodes the rest when the text ends."""
    start = end = 0
    text = ""
    for stop in range(1, len(ids) + 1):
        before, after = (
            tokenizer.decode(part, skip_special_tokens=skip, spaces_between_special_tokens=True)
            for part in (ids[start:end], ids[start:stop])
        )
        new = after[len(before) :]
        if stop == len(ids) or (new and not new.endswith("\ufffd")):
            text += new
            start, end = end, stop
    return text


def stream_as_mlx(tokenizer: SuperwordTokenizer, ids: list[int]) -> str:
    """Decode ids one by one, as MLX-LM 0.32.2 does without a tokenizer.json: line by line."""
    text, line = "", []
    for id in ids:
        line.append(id)
        decoded = tokenizer.decode(line)
        if decoded.endswith("\n"):
            text, line = text + decoded, []
    return text + str(tokenizer.decode(line))


def test_streamed_text_is_the_decoded_text(core_of_kind: Tokenizer, tmp_path: Path) -> None:
    save(core_of_kind, tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    assert type(tokenizer) is SuperwordTokenizer
    for ids in ids_to_stream(tokenizer):
        assert stream_as_mlx(tokenizer, ids) == tokenizer.decode(ids)
        for skip in (False, True):
            expected = tokenizer.decode(ids, skip_special_tokens=skip)
            assert stream_as_sglang(tokenizer, ids, skip) == expected


@pytest.mark.parametrize("trust", [True, False])
def test_a_new_process_loads_the_folder_only_if_it_trusts_it(
    train_kind: Callable[[str], Tokenizer], tmp_path: Path, trust: bool
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    save(train_kind("BoundlessBPE"), folder)
    program = f"""
from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained({str(folder)!r}, trust_remote_code={trust})
print(type(tokenizer).__name__, tokenizer.encode({TEXT!r}))
"""
    environment = os.environ | {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if trust:
        assert done.returncode == 0, done.stderr
        ids = AutoTokenizer.from_pretrained(folder).encode(TEXT)
        assert done.stdout.splitlines()[-1] == f"SuperwordTokenizer {ids}"
    else:
        assert done.returncode != 0
        assert "trust_remote_code=True" in done.stderr
