"""Everything that writes files: commands and calls, with what their files must be."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet

import superword
from superword.counts.folders import check_files, find_shard, list_all_shards
from superword.errors import CountsError
from superword.evaluation import bits_per_byte, load_bits_per_byte, save_bits_per_byte
from superword.interop import import_tokenizer

Contents = dict[str, bytes]

# Kinds that have merges only.
PLAIN = ("BPE", "SuperBPE")
ALL = (
    *("BPE", "PickyBPE", "BoundlessBPE", "SuperBPE"),
    *("extended", "imported", "looked-up", "pruned"),
)
TRAINING = {
    "BPE": "--no-supermerges --deletion none",
    "PickyBPE": "--no-supermerges",
    "BoundlessBPE": "",
    "SuperBPE": "--no-supermerges --deletion none --transition 280",
}


def contents(folder: Path) -> Contents:
    """Return the files of a folder, by their paths in it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def load_model(name: str) -> Callable[[Path], Any]:
    """Return a function that loads a model."""
    return lambda folder: superword.load(folder / name).fingerprint


def append_nothing(name: str, end_of_text: int | None = None) -> Callable[[Path], Any]:
    """Return a function that opens a token file as appending does, which checks all of it."""

    def read(folder: Path) -> Any:
        tok = superword.load(folder.parent / "model.json")
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            if not Path(copy, name).exists():
                raise FileNotFoundError(name)
            superword.encode_corpus(tok, [], Path(copy, name), append=True, end_of_text=end_of_text)
            return contents(Path(copy))

    return read


def read_table(folder: Path) -> Any:
    return pyarrow.parquet.read_table(folder / "tokens.parquet").to_pylist()


def read_shard(folder: Path) -> Any:
    """Return what is said of a shard, whose files are whole."""
    shard = find_shard(folder / "new", "pretokens", 0, 2)
    if shard is None:
        raise CountsError("not counted")
    check_files(folder / "new", shard)
    return shard.as_json()


def read_counts(folder: Path) -> Any:
    """Return what is said of all shards, whose files are whole."""
    for shard in (shards := list_all_shards(folder, "pretokens")):
        check_files(folder, shard)
    if not shards:
        raise CountsError("no counts")
    return [shard.as_json() for shard in shards]


def read_pair(model: str) -> Callable[[Path], Any]:
    """Return a function that reads a model and the map of its ids."""

    def read(folder: Path) -> Any:
        mapped = json.loads((folder / "id_map.json").read_bytes())
        return mapped, superword.load(folder / model).fingerprint

    return read


def read_export(name: str) -> Callable[[Path], Any]:
    return lambda folder: import_tokenizer(folder / name, approximate=True).fingerprint


def read_pretrained(folder: Path) -> Any:
    from superword.transformers import SuperwordTokenizer

    read = SuperwordTokenizer.from_pretrained(folder)
    return read.get_vocab(), read.chat_template, read.encode("to be or not to be")


def load_bits(name: str) -> Callable[[Path], Any]:
    return lambda folder: [each.as_json() for each in load_bits_per_byte(folder / name)]


def read_bytes(name: str) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).read_bytes()


@dataclass(frozen=True)
class Writer:
    """Something that writes files to the folder `out`.

    Attributes:
        name: Its name.
        command: The arguments of `superword`, or a call of `preloaded.CALLS`. `{corpus}` and
            `{model}` are others when the old files are written.
        read: Reads the files as their users do; raises an error if they are not whole.
        manifest: The file that vouches for the others; None if each file stands for itself.
        kinds: The kinds of models.
        first: What is run before, with the old files; the command itself by default.
        appends: Whether it adds to the old files.
        ignored: What may differ between two runs: a regex.
        record: A file that grows with each step.
        has_steps: Whether some files are written before others.
        limit: The number of calls that a slow one is tried at, with one fault each, and only by
            `make faults`; None if each is tried with each fault, and `make test` tries some.
    """

    name: str
    command: str
    read: Callable[[Path], Any]
    manifest: str | None = None
    kinds: tuple[str, ...] = ALL
    first: str | None = None
    appends: bool = False
    ignored: bytes | None = None
    record: str | None = None
    has_steps: bool = False
    limit: int | None = None

    def fill(self, command: str, kind: str, *, is_old: bool) -> list[str]:
        """Return the arguments of a command."""
        age = "old" if is_old else "new"
        model = "old.json" if is_old else "model.json"
        how = TRAINING.get(kind, "")
        return command.format(corpus=f"{age}.txt", age=age, model=model, how=how).split()

    def strip(self, files: Contents) -> Contents:
        """Return files without what may differ between two runs."""
        if self.ignored is None:
            return files
        return {name: re.sub(self.ignored, b"0", data) for name, data in files.items()}


# The layout of figures depends, in the last digits, on the addresses of objects, and the names of
# clip paths on coordinates. `steps.json` has seconds.
NUMBERS = rb"\bp[0-9a-f]{10}\b|[0-9]+\.[0-9.]+"
ENCODE = "encode model.json {corpus} --threads 1 -o out/"
WRITERS = [
    Writer("Tokenizer.save", "Tokenizer.save {model} out/m.json", load_model("m.json")),
    Writer(
        "train",
        "train {corpus} -o out/m.json --vocab-size 300 --threads 1 --min-count 1 {how}",
        load_model("m.json"),
        kinds=tuple(TRAINING),
    ),
    Writer(
        "extend",
        "extend model.json {corpus} -o out/m.json --add 3 --threads 1 --min-count 1",
        read_pair("m.json"),
        manifest="id_map.json",
        kinds=tuple(kind for kind in ALL if kind not in ("SuperBPE", "pruned")),
    ),
    Writer(
        "prune",
        "prune {model} {corpus} -o out --to 500 --threads 1",
        read_pair("model.json"),
        manifest="id_map.json",
    ),
    Writer("npy", f"{ENCODE}tokens.npy", append_nothing("tokens.npy"), manifest="tokens.npy.json"),
    Writer("bin", f"{ENCODE}tokens.bin", append_nothing("tokens.bin"), manifest="tokens.bin.json"),
    Writer(
        "bin with ends",
        f"{ENCODE}tokens.bin --end-of-text 0",
        append_nothing("tokens.bin", 0),
        manifest="tokens.bin.json",
    ),
    Writer(
        "bin with ends over offsets",
        f"{ENCODE}tokens.bin --end-of-text 0",
        append_nothing("tokens.bin", 0),
        manifest="tokens.bin.json",
        first=f"{ENCODE}tokens.bin",
    ),
    Writer("idx", f"{ENCODE}tokens.idx", append_nothing("tokens.idx"), manifest="tokens.bin.json"),
    Writer("parquet", f"{ENCODE}tokens.parquet", read_table),
    *(
        Writer(
            f"append to {suffix}",
            f"{ENCODE}tokens.{suffix} --append",
            read_table if suffix == "parquet" else append_nothing(f"tokens.{suffix}"),
            manifest={"npy": "tokens.npy.json", "parquet": None}.get(suffix, "tokens.bin.json"),
            first=f"{ENCODE}tokens.{suffix}",
            appends=True,
        )
        for suffix in ("npy", "bin", "idx", "parquet")
    ),
    Writer(
        "counts",
        "count new -o out/new --threads 1 --shard 0/2",
        read_shard,
        manifest="new/pretokens-0-of-2.json",
        first="count old -o out/old --threads 1 --shard 0/2",
    ),
    Writer(
        "merge-counts",
        "merge-counts counts-{age} -o out",
        read_counts,
        manifest="pretokens-0-of-1.json",
    ),
    Writer(
        "train on counts",
        "train {corpus} --counts out/counts -o out/m.json --vocab-size 300 --threads 1",
        load_model("m.json"),
        kinds=("BoundlessBPE",),
        first="Tokenizer.save old.json out/m.json",
        has_steps=True,
        limit=100,
    ),
    Writer(
        "tokenizer.json",
        "export {model} -o out/tokenizer.json --approximate",
        read_export("tokenizer.json"),
        kinds=tuple(kind for kind in ALL if kind not in ("looked-up", "pruned")),
    ),
    Writer(
        "tiktoken",
        "export {model} -o out/x.tiktoken",
        read_export("x.tiktoken"),
        manifest="x.tiktoken.json",
        kinds=PLAIN,
    ),
    Writer("gguf", "export {model} -o out/x.gguf", read_bytes("x.gguf"), kinds=("BPE",)),
    Writer(
        "save_pretrained",
        "save_pretrained {model} out",
        read_pretrained,
        manifest="superword.json",
    ),
    Writer("decode", "decode model.json --file {age}.ids -o out/text", read_bytes("text")),
    Writer(
        "explain",
        "explain model.json --file {age}.short --html out/page.html",
        read_bytes("page.html"),
    ),
    Writer(
        "compare",
        "compare model.json old.json --corpus {corpus} --html out/page.html --threads 1",
        read_bytes("page.html"),
    ),
    *(
        Writer(
            f"plot.{suffix}",
            f"compare model.json old.json --corpus {{corpus}} --plot out/plot.{suffix} --threads 1",
            read_bytes(f"plot.{suffix}"),
            ignored=None if suffix == "png" else NUMBERS,
            limit=20,
        )
        for suffix in ("svg", "png", "html")
    ),
    Writer(
        "Measurement.save",
        "Measurement.save model.json {corpus} out/measured.json",
        read_bytes("measured.json"),
    ),
    Writer("bpb", "bpb bits-{age}.json -o out/bits.json", load_bits("bits.json")),
    Writer(
        "reproduce",
        "reproduce --config paper.toml --train {corpus} --out out --threads 1",
        read_bytes("report.html"),
        kinds=("BoundlessBPE",),
        ignored=NUMBERS,
        record="steps.json",
        has_steps=True,
        limit=20,
    ),
]
BY_NAME = {writer.name: writer for writer in WRITERS}


def make_inputs(folder: Path, tok: superword.Tokenizer) -> None:
    """Write the models and corpora that the commands read, and the counts to merge."""
    tok.save(folder / "model.json")
    tok.with_special_tokens(["<|old|>"]).save(folder / "old.json")
    novels = list(superword.sample())
    for age, texts in (("old", novels[:2]), ("new", novels[2:5])):
        text = "\n".join(text[:6000] for text in texts)
        (folder / f"{age}.txt").write_text(text)
        (folder / f"{age}.short").write_text(text[:40])
        (folder / f"{age}.ids").write_text(" ".join(map(str, tok.encode(text))))
        bits = bits_per_byte(
            lambda windows: [[-1.0] * (len(ids) - first) for ids, first in windows],
            [text[:6000] for text in texts],
            tokenizer=tok,
            end_of_text=0,
        )
        save_bits_per_byte([bits], folder / f"bits-{age}.json")
        (folder / age).mkdir()
        for number in range(2):
            (folder / age / f"{number}.txt").write_text(texts[number][:3000])
        for number in range(2):
            counts = folder / f"counts-{age}"
            superword.count(folder / age, counts, shard=(number, 2), threads=1)
    (folder / "paper.toml").write_text(
        'baselines = ["bpe"]\neval = "old.txt"\nvocab_sizes = [260, 270]\n'
    )
