"""Adding tokens to an existing tokenizer: by merges, superwords or both."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Literal, Unpack, get_args

from superword import _core
from superword.corpus import CorpusKeywords, CorpusLike, CorpusOptions, open_corpus, warn_of_skipped
from superword.errors import CorpusError
from superword.interop import import_tokenizer
from superword.keywords import expand_keywords, gather
from superword.tokenizer import Tokenizer, TrainingConfig
from superword.tokenizer.config import check_integer, check_min_count
from superword.training.progress import show_progress
from superword.training.resources import ResourceKeywords, Resources

__all__ = ["ExtensionKind", "extend"]

ExtensionKind = Literal["merges", "superwords", "both"]


@dataclass(frozen=True)
class Limits:
    """The limits on new rules."""

    max_superwords: int | float | None
    max_words: int | None
    max_token_bytes: int | None
    forbid: str | None

    def __post_init__(self) -> None:
        """Reject limits that make no sense."""
        TrainingConfig(**asdict(self))

    def or_those_of(self, base: TrainingConfig) -> Limits:
        """Return these limits; where there is none, that of the base. Its cap is not kept."""
        kept = {name: limit for name, limit in asdict(self).items() if limit is not None}
        old = Limits(None, base.max_words, base.max_token_bytes, base.forbid)
        return replace(old, **kept)


@dataclass(frozen=True)
class Extension:
    """How far to extend a tokenizer."""

    kind: ExtensionKind
    add: int
    min_count: int
    limits: Limits

    def __post_init__(self) -> None:
        """Reject values that make no sense."""
        check_integer("add", self.add)
        if self.add < 0:
            raise ValueError(f"add must be at least 0, not {self.add}")
        if self.kind not in get_args(ExtensionKind):
            raise ValueError(f"kind must be 'merges', 'superwords' or 'both', not {self.kind!r}")
        check_min_count(self.min_count)

    def of(self, base: Tokenizer) -> Extension:
        """Return the extension of a base, with the limits of the base where it has no other.

        Raises:
            ValueError: If the base cannot be extended.
        """
        if base.parameters.transition is not None:
            raise ValueError(
                "a SuperBPE model cannot be extended: its pretokens are long, "
                "and few are single tokens"
            )
        return replace(self, limits=self.limits.or_those_of(base.parameters))


class ExtendKeywords(CorpusKeywords, ResourceKeywords, total=False):
    """The keywords of `extend` that configuration objects hold."""


@expand_keywords(ExtendKeywords, CorpusOptions, Resources)
def extend(
    base: Tokenizer | str | PathLike[str],
    corpus: CorpusLike,
    add: int,
    *,
    kind: ExtensionKind = "superwords",
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    approximate: bool = False,
    min_count: int = TrainingConfig.min_count,
    max_superwords: int | float | None = None,
    max_words: int | None = None,
    max_token_bytes: int | None = None,
    forbid: str | None = None,
    corpus_options: CorpusOptions | None = None,
    resources: Resources | None = None,
    **keywords: Unpack[ExtendKeywords],
) -> Tokenizer:
    """Add tokens to a tokenizer, learned on a corpus: docs/extending.md.

    Its tokens, special tokens and ids do not change. New ids follow the largest one. Each new rule
    joins the most frequent pair, in the corpus as encoded by the tokenizer and the new rules before
    it. Ties are broken as in training.

    Args:
        base: A tokenizer, or its file: a superword model, a byte-level BPE `tokenizer.json`, a
            folder with one of them, or a tiktoken file.
        corpus: A path, a glob or a folder, `-` for standard input, a URL; several paths; or any
            iterable of documents.
        add: Number of tokens to add. With 0, the result is the base as a superword model.
        kind: `superwords` joins neighbouring open units, `merges` joins tokens inside pretokens,
            as plain BPE does, and `both` takes the more frequent of the two.
        pattern: The pattern of a tiktoken file, a name or a regex, since the file does not hold it.
            For OpenAI's files and those of `superword.export` it is known.
        special_tokens: The special tokens of a tiktoken file, with their ids.
        approximate: Warn of features of the base that cannot be reproduced, instead of rejecting
            them.
        min_count: Lowest count at which a pair is merged.
        max_superwords: With `kind="both"`, the most superwords in the extended vocabulary: a
            number, or a share of its size.
        max_words: Most words of a new token; by default that of the base.
        max_token_bytes: Most bytes of a new token; by default that of the base.
        forbid: Regex that must not match in a new token's text; by default that of the base.
        corpus_options: The options for reading documents; or its fields as keywords.
        resources: Threads, memory, progress; or its fields as keywords.
        keywords: The fields of `CorpusOptions` and `Resources`, described there.

    Raises:
        ModelFormatError: If the base is not a tokenizer, or cannot be reproduced.
        CorpusError: If the corpus cannot be read, or holds no text.
        PatternError: If a regex is malformed, or backtracks more than a million steps.
        MemoryError: If learning needs more than `memory_limit`; the message says how much.
        ValueError: If an option is invalid.

    Example:
        >>> import superword
        >>> documents = ["to be or not to be", "to be"]
        >>> base = superword.train(documents, 259, supermerges=False, deletion=None)
        >>> tok = extend(base.with_special_tokens(["<|end|>"]), documents, 1)
        >>> tok.special_tokens, tok.encode("to be"), tok.token_bytes(260)
        ({'<|end|>': 259}, [260], b'to be')
        >>> extend(base, ["nota bene", "nota"], 3, kind="merges").encode("nota")
        [261]
    """
    corpus_options = gather(CorpusOptions, corpus_options, keywords)
    resources = gather(Resources, resources, keywords)
    limits = Limits(max_superwords, max_words, max_token_bytes, forbid)
    extension = Extension(kind, add, min_count, limits)
    if not isinstance(base, Tokenizer):
        base = import_tokenizer(
            base, pattern=pattern, special_tokens=special_tokens, approximate=approximate
        )
    elif pattern is not None or special_tokens is not None:
        raise ValueError("pattern and special_tokens are for tiktoken files; a Tokenizer has them")
    extension = extension.of(base)
    limit = resources.memory_bytes
    opened = open_corpus(corpus, once=True, corpus_options=corpus_options, memory_limit=limit)
    with show_progress(resources.progress) as report:
        model = _core.extend(opened, base._model, extension, resources, report)
    warn_of_skipped(opened, stacklevel=4)
    return make_extended(model, base, add)


def make_extended(model: _core.Model, base: Tokenizer, add: int) -> Tokenizer:
    """Return the tokenizer of an extended model; warn if it is smaller than requested."""
    tokenizer = Tokenizer._of(model)
    if tokenizer.training.bytes == 0:
        raise CorpusError("the corpus holds no text; check the paths and the column")
    added = tokenizer.vocab_size - base.vocab_size
    if added < add:
        lift = "".join(f", or lift {name}" for name in tokenizer.parameters.limits)
        warnings.warn(
            f"the corpus has pairs for only {added:,} tokens, not {add:,}; "
            f"extend on more text, or lower min_count{lift}",
            stacklevel=4,
        )
    return tokenizer
