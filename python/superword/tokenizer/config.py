"""The configuration that decides a model."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from typing import Any, Literal, Self, TypeAlias, TypedDict

from superword import _core
from superword.keywords import document_options, option
from superword.patterns import (
    DEFAULT_PATTERN,
    NAMED_PATTERNS,
    SCRIPT_PATTERN,
    SECOND_PATTERN,
    choose_eligible,
    compile_eligibility,
    compile_pattern,
    resolve_pattern,
)
from superword.tokenizer.profiles import check_profile, fill_profile

__all__ = ["Deletion", "OneStageKeywords", "TrainingConfig", "TrainingKeywords", "parse_cap"]

Deletion: TypeAlias = Literal["bytes", "pair"] | None


@document_options
@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The options that, with the documents, decide a model. They are saved with it.

    Of a profile, only the options that it stands for are kept.
    """

    profile: InitVar[str | None] = option(
        None,
        "Name for options that belong together. portable is SuperBPE that llama.cpp, tokenizers "
        "and tiktoken encode exactly; its second stage learns a quarter of the vocabulary.",
    )
    pattern: str = option(
        DEFAULT_PATTERN,
        f"Pattern that splits text into pretokens: {', '.join(NAMED_PATTERNS)}, {SCRIPT_PATTERN}, "
        "a vocabulary such as cl100k_base, llama3 or qwen2, or a regex. "
        "boundless, the paper's, groups digits from the right and splits XMLHttp into XML, Http. "
        f"{SCRIPT_PATTERN} lets words form in scripts without spaces.",
    )
    eligible: str = option(
        None,
        "Regex that a whole pretoken must match to take part in supermerges; "
        "the pattern's own by default.",
    )
    supermerges: bool = option(True, "Let whole neighbouring pretokens merge.")
    deletion: Deletion = option(
        "bytes", "Split deleted tokens into bytes or into the pair they came from; none keeps all."
    )
    tau: float = option(
        0.9, "Delete a token when a merge takes at least this share of its occurrences."
    )
    min_count: int = option(2, "Lowest count at which a pair is merged.")
    vocab_size: int = option(
        131_072, "Size of the vocabulary without special tokens; at least 256."
    )
    max_superwords: int | float | None = option(
        _core.DEFAULT_SUPERWORD_SHARE,
        "Most superwords in the vocabulary: a number, a share of vocab_size, or none for no cap. "
        "Words of scripts without spaces do not count.",
    )
    max_words: int | None = option(None, "Most words of a token; a token within a word has one.")
    max_token_bytes: int | None = option(None, "Most bytes of a token.")
    forbid: str | None = option(None, "Regex that must not match anywhere in a token's text.")
    transition: int | None = option(
        None, "Vocabulary size at which SuperBPE's second stage begins; one stage by default."
    )
    second_pattern: str | None = option(
        None, "Pattern of the second stage, and of encoding; SuperBPE's own by default."
    )

    def __new__(cls, **given: object) -> Self:
        """Reject options that contradict a profile: only here is it known which were given."""
        if given.get("profile") is not None:
            check_profile(given)
        return super().__new__(cls)

    def __post_init__(self, profile: str | None) -> None:
        """Reject values that make no sense, and resolve the names of profiles and patterns.

        A second stage gets its default pattern.
        """
        for name in ("vocab_size", "min_count", "transition"):
            check_integer(name, getattr(self, name) or 0)
        if self.vocab_size < 256:
            raise ValueError(
                f"vocab_size must be at least 256, the single bytes, not {self.vocab_size}"
            )
        if profile is not None:
            filled = fill_profile(profile, self.vocab_size, self.transition)
            for name, value in filled.items():
                object.__setattr__(self, name, value)
        if self.deletion not in ("bytes", "pair", None):
            raise ValueError(f"deletion must be 'bytes', 'pair' or None, not {self.deletion!r}")
        if not 0 < self.tau <= 1:
            raise ValueError(
                f"tau must be above 0 and at most 1, not {self.tau}; deletion=None keeps all tokens"
            )
        check_min_count(self.min_count)
        if not self.supermerges and self.max_superwords == _core.DEFAULT_SUPERWORD_SHARE:
            object.__setattr__(self, "max_superwords", None)
        self.check_limits()
        object.__setattr__(self, "pattern", resolve_pattern(self.pattern))
        compile_pattern(self.pattern)
        if self.eligible is None:  # The default.
            object.__setattr__(self, "eligible", choose_eligible(self.pattern))
        compile_eligibility(self.eligible)
        if self.transition is None:
            if self.second_pattern is not None:
                raise ValueError("second_pattern needs transition, the size where its stage begins")
            return
        if self.supermerges or self.deletion is not None:
            raise ValueError("transition (SuperBPE) needs supermerges=False and deletion=None")
        if self.max_superwords is not None:
            raise ValueError("max_superwords limits supermerges, which SuperBPE does not have")
        if not 256 <= self.transition <= self.vocab_size:
            raise ValueError(f"transition must be from 256 to vocab_size, not {self.transition}")
        second = SECOND_PATTERN if self.second_pattern is None else self.second_pattern
        object.__setattr__(self, "second_pattern", resolve_pattern(second))
        compile_pattern(resolve_pattern(second))

    @property
    def limits(self) -> list[str]:
        """The options that are set and remove pairs, however frequent these are."""
        names = ["max_superwords", "max_words", "max_token_bytes", "forbid"]
        return [name for name in names if getattr(self, name) is not None]

    def check_limits(self) -> None:
        """Reject limits that make no sense."""
        check_max_superwords(self.max_superwords)
        for name in ("max_words", "max_token_bytes"):
            limit = getattr(self, name)
            if limit is not None:
                check_integer(name, limit)
                if limit < 1:
                    raise ValueError(f"{name} must be at least 1, not {limit}")
        if self.forbid is not None:
            compile_eligibility(self.forbid)

    @classmethod
    def of_model(cls, model: _core.Model) -> TrainingConfig:
        """Return the configuration that a model was trained with.

        A saved pattern is kept, even if it is like a name: new training would reject it.
        """
        saved = model.config
        checked: Any = {**saved, "pattern": DEFAULT_PATTERN, "second_pattern": None}
        config = cls(**checked)
        object.__setattr__(config, "pattern", saved["pattern"])
        object.__setattr__(config, "second_pattern", saved["second_pattern"])
        return config

    def reject_second_stage(self, where: str) -> None:
        """Reject `transition` where there is only one stage."""
        if self.transition is not None:
            raise ValueError(f"transition (SuperBPE) does not apply to {where}; call train")


def check_integer(name: str, number: object) -> None:
    """Reject a number that is not an integer, or too large for the core."""
    if not isinstance(number, int) or number >= 2**31:
        raise ValueError(f"{name} must be an integer below 2**31, not {number!r}")


def check_min_count(min_count: int) -> None:
    """Reject a lowest count that is not a positive integer."""
    check_integer("min_count", min_count)
    if min_count < 1:
        raise ValueError(f"min_count must be at least 1, not {min_count}")


def check_max_superwords(cap: int | float | None) -> None:
    """Reject a cap that is neither a number of tokens nor a share of them."""
    is_number = isinstance(cap, int) and not isinstance(cap, bool) and 0 <= cap < 2**31
    is_share = isinstance(cap, float) and 0 < cap < 1
    if cap is not None and not is_number and not is_share:
        raise ValueError(
            "max_superwords must be an integer from 0 to 2**31, or a share above 0 and below 1, "
            f"not {cap!r}"
        )


def parse_cap(text: str) -> int | float | None:
    """Return the number or the share that was typed; None for none.

    Raises:
        ValueError: If it is neither.

    Example:
        >>> parse_cap("8192"), parse_cap("0.05"), parse_cap("1/16"), parse_cap("none")
        (8192, 0.05, 0.0625, None)
    """
    if text == "none":
        return None
    numerator, slash, denominator = text.partition("/")
    try:
        if slash:
            return float(numerator) / float(denominator)
        return int(text) if text.isdecimal() else float(text)
    except (ValueError, ZeroDivisionError):
        message = f"a cap must be a number, a share such as 1/16, or none, not {text!r}"
        raise ValueError(message) from None


class OneStageKeywords(TypedDict, total=False):
    """The fields of `TrainingConfig` that training in one stage takes, without `vocab_size`."""

    pattern: str
    eligible: str
    supermerges: bool
    deletion: Deletion
    tau: float
    min_count: int
    max_superwords: int | float | None
    max_words: int | None
    max_token_bytes: int | None
    forbid: str | None


class TrainingKeywords(OneStageKeywords, total=False):
    """The fields of `TrainingConfig`, without `vocab_size`, as keywords."""

    profile: str | None
    transition: int | None
    second_pattern: str | None
