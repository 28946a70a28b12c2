"""What the paper claims, each as a test on numbers that was fixed before anything was run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from superword.evaluation import paper
from superword.evaluation.contestants import DELETIONS, ours_key
from superword.evaluation.metrics import sorted_counts, supermerge_shares
from superword.evaluation.results import OURS, OURS_B, Results

__all__ = ["CLAIMS", "Checked", "Claim", "Verdict", "check_claims"]

MERGED = ("bpe", "wordpiece")
HEAD = 250


class Verdict(NamedTuple):
    """Whether a claim holds here.

    Attributes:
        holds: None if nothing was run that could tell.
        cases: What was found, each with whether it is as claimed; all must be.
    """

    holds: bool | None
    cases: tuple[tuple[bool, str], ...] = ()


class Claim(NamedTuple):
    """A claim of the paper.

    Attributes:
        key: Its name in files.
        statement: What the paper says.
        test: What must be so for it to hold here.
        check: Looks.
    """

    key: str
    statement: str
    test: str
    check: Callable[[Results], Verdict]


class Checked(NamedTuple):
    """A claim that was checked."""

    claim: Claim
    verdict: Verdict


def check_claims(results: Results) -> list[Checked]:
    """Check all claims."""
    return [Checked(claim, claim.check(results)) for claim in CLAIMS]


def all_of(cases: Iterable[tuple[bool, str]]) -> Verdict:
    """The verdict on cases that must all be so."""
    judged = tuple((bool(is_so), found) for is_so, found in cases)
    return Verdict(all(is_so for is_so, _ in judged) if judged else None, judged)


def trained(results: Results, keys: Iterable[str]) -> list[str]:
    """Those of the tokenizers that were run."""
    return [key for key in keys if key in results.contestants]


def single_share(results: Results) -> Verdict:
    """Most pretokens are one token for BPE and WordPiece."""
    return all_of(
        (0.90 <= share <= 0.95, f"{results.label(key)} {size:,}: {share:.1%}")
        for key in trained(results, MERGED)
        for size in results.sizes
        for share in [results.measured[key, size].single_share]
    )


def unigram_lower(results: Results) -> Verdict:
    """UnigramLM keeps fewer pretokens whole."""
    if "unigram" not in results.contestants:
        return Verdict(None)
    return all_of(
        (ours < theirs, f"{size:,}: {ours:.1%} below {results.label(key)}'s {theirs:.1%}")
        for key in trained(results, MERGED)
        for size in results.sizes
        for ours in [results.measured["unigram", size].single_share]
        for theirs in [results.measured[key, size].single_share]
    )


def supermerge_third(results: Results) -> Verdict:
    """About a third of the rules are supermerges."""
    share = float(results.curves[OURS_B].is_supermerge.mean())
    return all_of([(0.25 <= share <= 0.45, f"{share:.1%} of the rules to the largest vocabulary")])


def supermerge_rising(results: Results) -> Verdict:
    """Their share rises."""
    flags = results.curves[OURS_B].is_supermerge
    quarters = supermerge_shares(flags, -(-len(flags) // 4))
    shown = ", ".join(f"{share:.1%}" for share in quarters)
    return all_of([(bool(np.all(np.diff(quarters) > 0)), f"by quarters of training {shown}")])


def slower_counts(results: Results) -> Verdict:
    """The counts of rules fall more slowly with supermerges."""

    def cases() -> Iterable[tuple[bool, str]]:
        for ours, plain in ((OURS, "bpe-gpt4o"), (OURS_B, "bpe-boundless")):
            mine, theirs = (int(results.curves[key].counts[-1]) for key in (ours, plain))
            found = f"last rule of {results.label(ours)} {mine:,}, of {results.label(plain)}"
            yield mine > theirs, f"{found} {theirs:,}"

    return all_of(cases())


def compression(results: Results) -> Verdict:
    """Bytes per token, against those trained on the same text."""
    return all_of(
        (0.09 <= more <= 0.15, f"{size:,}: {more:+.1%} over {results.label(key)}")
        for key in trained(results, MERGED)
        for size in results.sizes
        for more in [gain(results, key, size, lambda each: each.bytes_per_token)]
    )


def gain(results: Results, baseline: str, size: int, value: Callable[..., float]) -> float:
    """By how much BoundlessBPE (4o), trained on the same text, is above a baseline."""
    mine = value(results.measured[results.opponent(baseline), size])
    return mine / value(results.measured[baseline, size]) - 1


def evenness(results: Results, least: float) -> Verdict:
    """Rényi efficiency, against those trained on the same text."""
    return all_of(
        (more > least, f"{size:,}: {more:+.1%} over {results.label(key)}")
        for key in results.baselines
        for size in results.sizes
        for more in [gain(results, key, size, lambda each: each.renyi_efficiency())]
    )


def tail(results: Results) -> Verdict:
    """The rare tokens are less rare."""

    def cases() -> Iterable[tuple[bool, str]]:
        for key in results.baselines:
            for size in results.sizes:
                opponent = results.opponent(key)
                mine, theirs = (
                    sorted_counts(results.measured[each, size].counts) for each in (opponent, key)
                )
                places = [int(len(mine) * share) for share in (0.5, 0.75, 0.9)]
                pairs = [(int(mine[at]), int(theirs[min(at, len(theirs) - 1)])) for at in places]
                shown = ", ".join(f"{a} > {b}" if a > b else f"{a} ≤ {b}" for a, b in pairs)
                is_so = all(a > b for a, b in pairs)
                yield is_so, f"{size:,} against {results.label(key)}: {shown}"

    return all_of(cases())


def head(results: Results) -> Verdict:
    """The frequent tokens are less frequent."""

    def cases() -> Iterable[tuple[bool, str]]:
        for key in results.baselines:
            for size in results.sizes:
                opponent = results.opponent(key)
                mine, theirs = (
                    int(sorted_counts(results.measured[each, size].counts)[:HEAD].sum())
                    for each in (opponent, key)
                )
                change = mine / theirs - 1
                yield mine < theirs, f"{size:,}: {change:+.1%} against {results.label(key)}"

    return all_of(cases())


def vocabulary(results: Results) -> Verdict:
    """The vocabulary is used as fully."""
    return all_of(
        (
            mine >= theirs,
            f"{size:,}: {results.label(ours)} {mine:.2%}, {results.label(key)} {theirs:.2%}",
        )
        for key in results.baselines
        for ours in dict.fromkeys((results.opponent(key), OURS_B))
        for size in results.sizes
        for mine in [results.measured[ours, size].vocabulary_used]
        for theirs in [results.measured[key, size].vocabulary_used]
    )


def deletion(results: Results) -> Verdict:
    """How tokens are deleted matters little."""

    def cases() -> Iterable[tuple[bool, str]]:
        for pattern in ("boundless", "gpt4o"):
            for size in results.sizes:
                row = [results.measured[ours_key(pattern, style), size] for style in DELETIONS]
                rates = [each.bytes_per_token for each in row]
                evens = [each.renyi_efficiency() for each in row]
                spread = max(rates) / min(rates) - 1
                apart = max(evens) - min(evens)
                found = f"{pattern} {size:,}: {spread:.2%} in bytes per token, {apart:.4f} in Rényi"
                yield spread <= 0.005 and apart <= 0.002, found

    return all_of(cases())


def patterns(results: Results) -> Verdict:
    """The pattern gpt4o is ahead of boundless on both measures."""

    def cases() -> Iterable[tuple[bool, str]]:
        for size in results.sizes:
            mine, theirs = results.measured[OURS, size], results.measured[OURS_B, size]
            rate = mine.bytes_per_token - theirs.bytes_per_token
            even = mine.renyi_efficiency() - theirs.renyi_efficiency()
            found = f"{size:,}: {rate:+.3f} bytes per token, {even:+.4f} Rényi efficiency"
            yield rate > 0 and even > 0, found

    return all_of(cases())


CLAIMS = (
    Claim(
        "single-share",
        "BPE and WordPiece make 90 to 95% of pretokens a single token (Section 2).",
        "The share is from 90% to 95%, for both at every size.",
        single_share,
    ),
    Claim(
        "unigram-lower",
        "UnigramLM makes fewer of them one token, 72 to 73% (Section 2).",
        "Its share is below those of BPE and WordPiece at every size.",
        unigram_lower,
    ),
    Claim(
        "counts-fall-slower",
        "With supermerges, the counts of selected rules fall more slowly (Section 3.4).",
        "The last rule's count is above plain BPE's, for both patterns.",
        slower_counts,
    ),
    Claim(
        "supermerges-a-third",
        f"Supermerges are {paper.SUPERMERGE_SHARE:.1%} of all merges (Section 3.4).",
        "About a third: from 25% to 45% of the rules to the largest vocabulary, BoundlessBPE (B).",
        supermerge_third,
    ),
    Claim(
        "supermerges-rise",
        "Their share grows along training, to "
        f"{paper.LAST_SUPERMERGE_SHARE:.1%} at the end (Section 3.4).",
        "It is higher in each quarter of the rules than in the one before.",
        supermerge_rising,
    ),
    Claim(
        "bytes-per-token",
        "BoundlessBPE (4o) has 9 to 15% more bytes per token than BPE and WordPiece (Section 4).",
        "The gain over each is from 9% to 15% at every size.",
        compression,
    ),
    Claim(
        "renyi-efficiency",
        "Its Rényi efficiency is above that of the baselines (Section 4).",
        "It is above each baseline's at every size, α = 2.5.",
        lambda results: evenness(results, 0),
    ),
    Claim(
        "renyi-three-percent",
        "The gain is at least 3% (Section 4).",
        "The gain over each baseline is at least 3% at every size, α = 2.5.",
        lambda results: evenness(results, 0.03),
    ),
    Claim(
        "higher-tail",
        "The tail of its distribution is substantially higher (Section 4).",
        "The counts at 50%, 75% and 90% of the ranks are above each baseline's at every size.",
        tail,
    ),
    Claim(
        "lower-head",
        "The most common tokens are less common (Section 4).",
        f"The {HEAD} most frequent tokens together occur less often than each baseline's.",
        head,
    ),
    Claim(
        "vocabulary-used",
        "More of the vocabulary is used at least once (Section 4).",
        "Both patterns use at least as large a share as each baseline at every size.",
        vocabulary,
    ),
    Claim(
        "deletion-matters-little",
        "The style of deletion has only a very small effect (Section 5).",
        "Bytes per token within 0.5%, Rényi efficiency within 0.002, over the three styles.",
        deletion,
    ),
    Claim(
        "gpt4o-ahead",
        "With the pattern gpt4o, bytes per token are 0.15 to 0.23 higher than with boundless, and "
        "Rényi efficiency about 0.025 (Section 5).",
        "Both are higher at every size.",
        patterns,
    ),
)
