"""A smaller vocabulary for the same rules, with a map for the embeddings: docs/pruning.md."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from superword import _core
from superword.atomic_files import local_path, write_atomically
from superword.corpus import CorpusKeywords, CorpusLike, CorpusOptions
from superword.evaluation.comparison import (
    compare_measurements,
    format_comparison_html,
    format_comparison_markdown,
)
from superword.evaluation.evaluator import evaluate
from superword.evaluation.measurement import Measurement
from superword.evaluation.rare_tokens import (
    Pairs,
    find_first_pairs,
    find_makers,
    find_rare,
    find_residues,
)
from superword.evaluation.tokenizers import Ours
from superword.interop import import_tokenizer
from superword.interop.folders import MODEL_FILE
from superword.keywords import expand_keywords, gather
from superword.tokenizer import Tokenizer
from superword.tokenizer.token_html import build_note
from superword.training import ProgressCallback, Resources

__all__ = ["ID_MAP_FILE", "REPORT_FILE", "Pruned", "list_outputs", "prune"]

ID_MAP_FILE = "id_map.json"
REPORT_FILE = "report.md"


class PruneKeywords(CorpusKeywords, total=False):
    """The keywords of `prune` that configuration objects hold."""

    threads: int | None
    progress: bool | ProgressCallback


def list_outputs(folder: Path) -> list[Path]:
    """Return the files that `Pruned.save` writes."""
    return [folder / name for name in (MODEL_FILE, ID_MAP_FILE, REPORT_FILE)]


@dataclass(frozen=True)
class Pruned:
    """A pruned tokenizer, and what became of the ids.

    Attributes:
        tokenizer: The pruned tokenizer.
        kept: The new id of each old id that is left, special and added tokens included.
        removed: For each old id that is gone, the new ids that spell its token. The mean of their
            embeddings is a start for whatever needs one for the old token.
        before: The tokenizer as it was, measured on the corpus.
        after: The pruned tokenizer, measured on the same corpus.
    """

    tokenizer: Tokenizer
    kept: dict[int, int]
    removed: dict[int, list[int]]
    before: Measurement
    after: Measurement

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        before, after = compare_measurements([self.before, self.after])
        return {
            "ids": len(self.kept),
            "removed": len(self.removed),
            "fingerprint": self.tokenizer.fingerprint,
            "before": before,
            "after": after,
        }

    def headline(self) -> str:
        """Return the report in a sentence."""
        change = self.after.bytes_per_token / self.before.bytes_per_token - 1
        removed, ids = len(self.removed), len(self.kept)
        return (
            f"{removed:,} of {removed + ids:,} tokens removed, {ids:,} left; "
            f"bytes per token {change:+.2%}"
        )

    def report(self) -> str:
        """Return the report in Markdown: what was removed, and what it costs, by source."""
        measured = [self.before, self.after]
        return f"{self.headline()}\n\n{format_comparison_markdown(measured)}"

    def _repr_html_(self) -> str:
        """Return the report as HTML for notebooks."""
        tables = format_comparison_html([self.before, self.after])
        return f"<div>{build_note(self.headline())}{tables}</div>"

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the tokenizer, `id_map.json` and `report.md` to a folder, atomically.

        The folder is made if it does not exist. `id_map.json` has the lists `kept`, of
        `[old, new]`, and `removed`, of `[old, [new, ...]]`, by old id.

        Raises:
            OSError: If a file cannot be written.
            ValueError: If it is a URL.
        """
        folder = local_path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        kept, removed = (json.dumps([*each.items()]) for each in (self.kept, self.removed))
        with write_atomically() as files:
            files.open(folder / MODEL_FILE).write(self.tokenizer._model.to_json())
            files.open(folder / ID_MAP_FILE, is_manifest=True).write(
                f'{{"kept": {kept},\n"removed": {removed}}}\n'.encode()
            )
            files.open(folder / REPORT_FILE).write(self.report().encode())


@expand_keywords(PruneKeywords, CorpusOptions, Resources)
def prune(
    tokenizer: Tokenizer | str | PathLike[str],
    corpus: CorpusLike,
    *,
    to: int | None = None,
    min_count: int | None = None,
    residues: float | None = None,
    drop_rules: bool = False,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    approximate: bool = False,
    source: str | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[PruneKeywords],
) -> Pruned:
    """Remove tokens that a corpus hardly needs: docs/pruning.md.

    All rules stay, unless `drop_rules` is set, and are applied as before. Then each removed token
    is replaced by the pair of the first rule that made it, again and again, until all are kept.
    Single bytes, special, added and looked-up tokens always stay. The others are numbered in the
    order of their old ids. The corpus is read twice. One of `to`, `min_count` and `residues` says
    what to remove.

    Args:
        tokenizer: A tokenizer, or its file: a superword model, a byte-level BPE `tokenizer.json`, a
            folder with one of them, or a tiktoken file.
        corpus: A path, a glob, a folder or a URL; several paths; or any iterable of documents.
        to: Remove the rarest tokens until this many ids are left, special and added tokens
            included.
        min_count: Remove tokens until each one left occurs at least this often in the corpus.
        residues: Remove tokens of which at least this share of the occurrences, such as 0.99, is
            inside larger tokens.
        drop_rules: Remove only tokens that no other token is made from, and the rules that make
            them. Then the result can be exported as the tokenizer could, and more encodings
            change. Only for tokenizers that have no rules but merges, and not for residues.
        pattern: The pattern of a tiktoken file, a name or a regex, since the file does not hold it.
        special_tokens: The special tokens of a tiktoken file, with their ids.
        approximate: Warn of features of the tokenizer that cannot be reproduced, instead of
            rejecting them.
        source: The column that names the source; `source` by default, where there is one.
        corpus_options: The options for reading documents; or its fields as keywords.
        resources: Threads and progress; or its fields as keywords.
        keywords: The fields of `CorpusOptions` and `Resources`, described there.

    Raises:
        ModelFormatError: If the file is not a tokenizer, or cannot be reproduced.
        CorpusError: If the corpus cannot be read, or holds no text.
        ValueError: If an option is invalid.

    Example:
        >>> import superword
        >>> tok = superword.train(["one of the end of the", "all of the"], 262, deletion=None)
        >>> pruned = prune(tok, ["all of the", "end of the"], min_count=1)
        >>> pruned.tokenizer.vocab_size, pruned.tokenizer.encode(" of the"), pruned.removed[258]
        (257, [256], [32, 111, 102])
    """
    corpus_options = gather(CorpusOptions, corpus_options, keywords)
    resources = gather(Resources, resources, keywords)
    check_choice(to, min_count, residues)
    if isinstance(corpus, Iterator):
        corpus = list(corpus)
    check_reread(corpus)
    if not isinstance(tokenizer, Tokenizer):
        tokenizer = import_tokenizer(
            tokenizer, pattern=pattern, special_tokens=special_tokens, approximate=approximate
        )
    elif pattern is not None or special_tokens is not None:
        raise ValueError("pattern and special_tokens are for tiktoken files; a Tokenizer has them")
    removable = find_removable(tokenizer)
    always = len(tokenizer) - len(removable)
    if to is not None and to < always:
        raise ValueError(
            f"to must be at least {always}, since single bytes, special, added and looked-up "
            f"tokens stay; not {to}"
        )

    if drop_rules:
        check_droppable(tokenizer, residues)

    def measure(tok: Tokenizer, name: str) -> Measurement:
        return evaluate(
            Ours(tok, name),
            corpus,
            instability=False,
            source=source,
            corpus_options=corpus_options,
            resources=resources,
        )

    before = measure(tokenizer, "before")
    counts = count_tokens(tokenizer, before)
    pairs = find_first_pairs(tokenizer)
    if residues is not None:
        chosen = find_residues(removable, counts, pairs, residues)
    else:
        at_most = None if to is None else to - always
        makers = find_makers(tokenizer) if drop_rules else {}
        chosen = find_rare(
            removable, counts, pairs, makers=makers, at_most=at_most, min_count=min_count
        )
    old_ids = sorted(removable[token] for token in chosen)
    pruned = remove_tokens(tokenizer, old_ids, drop_rules=drop_rules)
    return Pruned(
        tokenizer=pruned,
        kept=number_kept(tokenizer, old_ids),
        removed=spell_removed(tokenizer, pruned, pairs, old_ids),
        before=before,
        after=measure(pruned, "after"),
    )


def check_choice(to: int | None, min_count: int | None, residues: float | None) -> None:
    """Reject other than one way to choose tokens, and values that make no sense."""
    if [to, min_count, residues].count(None) != 2:
        raise ValueError(
            "say what to remove by one of to (--to), min_count (--min-count) and residues "
            "(--residues)"
        )
    if min_count is not None and min_count < 1:
        raise ValueError(f"min_count must be at least 1, not {min_count}")
    if residues is not None and not 0 < residues <= 1:
        raise ValueError(f"residues must be above 0 and at most 1, not {residues}")


def check_droppable(tok: Tokenizer, residues: float | None) -> None:
    """Reject what cannot be pruned by dropping rules."""
    if residues is not None:
        raise ValueError(
            "larger tokens are made from residues, so their rules cannot be dropped; choose to or "
            "min_count, or leave the rules"
        )
    if tok._model.removed_count:
        raise ValueError("the tokenizer is pruned already, and needs the rules of removed tokens")
    other = next((rule.kind for rule in tok.rules if rule.kind != "merge"), None)
    if other is not None:
        raise ValueError(
            f"drop_rules is for tokenizers of merges alone, and this one has a {other}"
        )


def remove_tokens(tok: Tokenizer, removed: list[int], *, drop_rules: bool) -> Tokenizer:
    """Return the tokenizer without these tokens; if asked to, without the rules that make them."""
    model = tok._model.prune(removed)
    if not drop_rules or not removed:
        return Tokenizer._of(model)
    rules = [rule for rule in tok.rules if model.token_id(rule.token) is not None]
    special, added = (
        [(id, text) for text, id in each] for each in (model.special_tokens, model.added_tokens)
    )
    vocabulary, looked_up = model.vocabulary(), model.lookup_tokens
    return Tokenizer._of(
        _core.Model.with_ids(tok.parameters, rules, vocabulary, special, added, looked_up)
    )


def check_reread(corpus: CorpusLike) -> None:
    """Reject standard input, which cannot be read twice."""
    paths = [corpus] if isinstance(corpus, (str, PathLike)) else corpus
    for path in paths:
        if isinstance(path, PathLike) or isinstance(corpus, str):
            if os.fspath(path) == "-":  # type: ignore[arg-type]
                raise ValueError(
                    "the corpus is read twice, and standard input only once: name files"
                )
        else:
            break  # Documents.


def find_removable(tok: Tokenizer) -> dict[bytes, int]:
    """Return the tokens that can be removed, with their ids."""
    added, looked_up = set(tok.added_tokens.values()), set(tok._model.lookup_tokens)
    return {
        token: id
        for id, token in tok._model.vocabulary()
        if len(token) > 1 and id not in added and token not in looked_up
    }


def count_tokens(tok: Tokenizer, measured: Measurement) -> dict[bytes, int]:
    """Return how often each token of the vocabulary occurs."""
    ids = dict(zip(Ours(tok).vocabulary, measured.counts.tolist(), strict=True))
    return {token: ids[id] for id, token in tok._model.vocabulary()}


def number_kept(tok: Tokenizer, removed: list[int]) -> dict[int, int]:
    """Return the new id of each old id that is kept."""
    gone = set(removed)
    ids = {*(id for id, _ in tok._model.vocabulary()), *tok.special_tokens.values()}
    ids |= {*tok.added_tokens.values()}
    return {old: new for new, old in enumerate(sorted(ids - gone))}


def spell_removed(
    tok: Tokenizer, pruned: Tokenizer, pairs: Pairs, removed: list[int]
) -> dict[int, list[int]]:
    """Return the new ids that spell each removed token."""
    new_ids = {token: id for id, token in pruned._model.vocabulary()}
    spelled = {}
    for old in removed:
        waiting, ids = [tok.token_bytes(old)], []
        while waiting:
            token = waiting.pop()
            if token in new_ids:
                ids.append(new_ids[token])
            else:
                left, right = pairs[token]
                waiting += [right, left]
        spelled[old] = ids
    return spelled
