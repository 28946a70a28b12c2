"""The paper's claims, each with a numerical test that was fixed before the first run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from superword.evaluation import Measurement, rank_counts, supermerge_shares
from superword.reproduction import paper
from superword.reproduction.lineup import DELETIONS, boundless_key
from superword.reproduction.results import BOUNDLESS_4O, BOUNDLESS_B, Results

__all__ = ["CLAIMS", "Case", "CheckedClaim", "Claim", "Outcome", "Verdict", "check_claims"]

MERGE_BASED = ("bpe", "wordpiece")
HEAD_SIZE = 250

# The verdicts on a claim: its test passes and the paper's figures are reached, the test passes, the
# test does not pass, there is nothing to test.
Outcome: TypeAlias = Literal["holds", "weaker", "fails", "not run"]
# Whether a case is as claimed, and the numbers found.
Case = tuple[bool, str]


class Verdict(NamedTuple):
    """Whether a claim holds.

    Attributes:
        holds: True if all cases are as claimed; None if no case was run.
        cases: The cases.
        figures: Whether each figure that the paper's statement gives is reached.
    """

    holds: bool | None
    cases: tuple[Case, ...] = ()
    figures: tuple[Case, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The verdict in a word: `weaker` if the test passes and a figure is not reached."""
        if self.holds is None:
            return "not run"
        if not self.holds:
            return "fails"
        return "holds" if all(is_reached for is_reached, _ in self.figures) else "weaker"


class Claim(NamedTuple):
    """A claim of the paper.

    Attributes:
        key: The name in files.
        statement: The claim.
        test: The condition under which it holds here.
        check: Checks the condition.
        compare: Compares with the figures of the statement, where the condition does not.
    """

    key: str
    statement: str
    test: str
    check: Callable[[Results], Verdict]
    compare: Callable[[Results], Iterable[Case]] = lambda results: ()


class CheckedClaim(NamedTuple):
    """A claim and its verdict."""

    claim: Claim
    verdict: Verdict


def check_claims(results: Results) -> list[CheckedClaim]:
    """Check all claims."""
    return [CheckedClaim(claim, check_claim(claim, results)) for claim in CLAIMS]


def check_claim(claim: Claim, results: Results) -> Verdict:
    """Check a claim, and compare with its figures if its test passes."""
    verdict = claim.check(results)
    return verdict._replace(figures=tuple(claim.compare(results))) if verdict.holds else verdict


def judge(cases: Iterable[Case]) -> Verdict:
    """Return the verdict on cases that must all hold."""
    judged = tuple((bool(holds), found) for holds, found in cases)
    return Verdict(all(holds for holds, _ in judged) if judged else None, judged)


def select_trained(results: Results, keys: Iterable[str]) -> list[str]:
    """Return the keys that are in the lineup."""
    return [key for key in keys if key in results.lineup]


def pair_with_baselines(results: Results) -> Iterator[tuple[str, int, Measurement, Measurement]]:
    """Yield each baseline and size, with BoundlessBPE trained on the same text and the baseline."""
    for key in results.baseline_keys:
        for size in results.sizes:
            ours = results.measured[results.counterpart(key), size]
            yield results.label(key), size, ours, results.measured[key, size]


def check_single_share(results: Results) -> Verdict:
    """Check the share of pretokens that are one token for BPE and WordPiece."""
    return judge(
        (0.90 <= share <= 0.95, f"{results.label(key)} {size:,}: {share:.2%}")
        for key in select_trained(results, MERGE_BASED)
        for size in results.sizes
        for share in [results.measured[key, size].single_share]
    )


def check_unigram_share(results: Results) -> Verdict:
    """Check that UnigramLM keeps fewer pretokens whole."""
    if "unigram" not in results.lineup:
        return Verdict(None)
    return judge(
        (unigram < other, f"{size:,}: {unigram:.1%} below {results.label(key)}'s {other:.1%}")
        for key in select_trained(results, MERGE_BASED)
        for size in results.sizes
        for unigram in [results.measured["unigram", size].single_share]
        for other in [results.measured[key, size].single_share]
    )


def compare_unigram_share(results: Results) -> Iterator[Case]:
    """Compare the largest share of UnigramLM with the paper's, to the percent that it gives."""
    share = max(results.measured["unigram", size].single_share for size in results.sizes)
    limit = paper.UNIGRAM_SINGLE_SHARE
    yield round(share, 2) <= limit, f"up to {share:.1%}; the paper has up to {limit:.0%}"


def check_supermerge_share(results: Results) -> Verdict:
    """Check that about a third of the rules are supermerges."""
    share = float(results.curves[BOUNDLESS_B].is_supermerge.mean())
    return judge([(0.25 <= share <= 0.45, f"{share:.1%} of the rules to the largest vocabulary")])


def compare_supermerge_share(results: Results) -> Iterator[Case]:
    """Compare the share of supermerges with the paper's."""
    share = float(results.curves[BOUNDLESS_B].is_supermerge.mean())
    known = paper.SUPERMERGE_SHARE
    yield round(share, 3) >= known, f"{share:.1%}; the paper has {known:.1%}"


def check_supermerge_rise(results: Results) -> Verdict:
    """Check that the share of supermerges rises during training."""
    flags = results.curves[BOUNDLESS_B].is_supermerge
    quarters = supermerge_shares(flags, -(-len(flags) // 4))
    shown = ", ".join(f"{share:.1%}" for share in quarters)
    return judge([(bool(np.all(np.diff(quarters) > 0)), f"by quarters of training {shown}")])


def compare_last_supermerges(results: Results) -> Iterator[Case]:
    """Compare the last whole group of 8,192 rules with the paper's, or the last sixteenth."""
    flags = results.curves[BOUNDLESS_B].is_supermerge
    interval = min(paper.RULES_PER_GROUP, -(-len(flags) // 16))
    share = float(supermerge_shares(flags, interval)[len(flags) // interval - 1])
    known = paper.LAST_SUPERMERGE_SHARE
    found = f"{share:.1%} in the last group of {interval:,} rules; the paper has {known:.1%}"
    yield round(share, 3) >= known, found


def check_last_counts(results: Results) -> Verdict:
    """Check that the counts of rules fall more slowly with supermerges."""

    def cases() -> Iterator[Case]:
        for key, plain_key in ((BOUNDLESS_4O, "bpe-gpt4o"), (BOUNDLESS_B, "bpe-boundless")):
            boundless, plain = (int(results.curves[each].counts[-1]) for each in (key, plain_key))
            found = (
                f"last rule of {results.label(key)} {boundless:,}, of {results.label(plain_key)}"
            )
            yield boundless > plain, f"{found} {plain:,}"

    return judge(cases())


def check_bytes_per_token(results: Results) -> Verdict:
    """Check the gain in bytes per token over BPE and WordPiece."""
    labels = {results.label(key) for key in select_trained(results, MERGE_BASED)}
    return judge(
        (0.09 <= gain <= 0.15, f"{size:,}: {gain:+.1%} over {label}")
        for label, size, ours, theirs in pair_with_baselines(results)
        for gain in [ours.bytes_per_token / theirs.bytes_per_token - 1]
        if label in labels
    )


def check_renyi_efficiency(results: Results, least: float) -> Verdict:
    """Check that the gain in Rényi efficiency over each baseline exceeds a limit."""
    return judge(
        (gain > least, f"{size:,}: {gain:+.1%} over {label}")
        for label, size, ours, theirs in pair_with_baselines(results)
        for gain in [ours.renyi_efficiency() / theirs.renyi_efficiency() - 1]
    )


def check_tail(results: Results) -> Verdict:
    """Check that rare tokens are less rare than those of the baselines."""

    def cases() -> Iterator[Case]:
        for label, size, ours, theirs in pair_with_baselines(results):
            mine, other = rank_counts(ours.counts), rank_counts(theirs.counts)
            ranks = [int(len(mine) * share) for share in (0.5, 0.75, 0.9)]
            pairs = [(int(mine[at]), int(other[min(at, len(other) - 1)])) for at in ranks]
            shown = ", ".join(f"{a} > {b}" if a > b else f"{a} ≤ {b}" for a, b in pairs)
            yield all(a > b for a, b in pairs), f"{size:,} against {label}: {shown}"

    return judge(cases())


def check_head(results: Results) -> Verdict:
    """Check that the most frequent tokens are less frequent than those of the baselines."""

    def cases() -> Iterator[Case]:
        for label, size, ours, theirs in pair_with_baselines(results):
            mine, other = (
                int(rank_counts(each.counts)[:HEAD_SIZE].sum()) for each in (ours, theirs)
            )
            yield mine < other, f"{size:,}: {mine / other - 1:+.1%} against {label}"

    return judge(cases())


def check_vocabulary_used(results: Results) -> Verdict:
    """Check that at least as much of the vocabulary is used."""
    return judge(
        (
            mine >= theirs,
            f"{size:,}: {results.label(ours)} {mine:.2%}, {results.label(key)} {theirs:.2%}",
        )
        for key in results.baseline_keys
        for ours in dict.fromkeys((results.counterpart(key), BOUNDLESS_B))
        for size in results.sizes
        for mine in [results.measured[ours, size].vocabulary_used]
        for theirs in [results.measured[key, size].vocabulary_used]
    )


def check_deletion(results: Results) -> Verdict:
    """Check that the deletion mode has little effect."""

    def cases() -> Iterator[Case]:
        for pattern in ("boundless", "gpt4o"):
            for size in results.sizes:
                row = [results.measured[boundless_key(pattern, mode), size] for mode in DELETIONS]
                rates = [each.bytes_per_token for each in row]
                efficiencies = [each.renyi_efficiency() for each in row]
                spread = max(rates) / min(rates) - 1
                apart = max(efficiencies) - min(efficiencies)
                found = f"{pattern} {size:,}: {spread:.2%} in bytes per token, {apart:.4f} in Rényi"
                yield spread <= 0.005 and apart <= 0.002, found

    return judge(cases())


def check_patterns(results: Results) -> Verdict:
    """Check that the pattern gpt4o is ahead of boundless in both metrics."""

    def cases() -> Iterator[Case]:
        for size in results.sizes:
            gpt4o, boundless = (results.measured[k, size] for k in (BOUNDLESS_4O, BOUNDLESS_B))
            rate = gpt4o.bytes_per_token - boundless.bytes_per_token
            efficiency = gpt4o.renyi_efficiency() - boundless.renyi_efficiency()
            found = f"{size:,}: {rate:+.3f} bytes per token, {efficiency:+.4f} Rényi efficiency"
            yield rate > 0 and efficiency > 0, found

    return judge(cases())


CLAIMS = (
    Claim(
        "single-share",
        "BPE and WordPiece make 90 to 95% of pretokens a single token (Section 2).",
        "The share is from 90% to 95%, for both at every size.",
        check_single_share,
    ),
    Claim(
        "unigram-lower",
        "UnigramLM makes fewer of them one token, 72 to 73% (Section 2).",
        "Its share is below those of BPE and WordPiece at every size.",
        check_unigram_share,
        compare_unigram_share,
    ),
    Claim(
        "counts-fall-slower",
        "With supermerges, the counts of selected rules fall more slowly (Section 3.4).",
        "The last rule's count is above plain BPE's, for both patterns.",
        check_last_counts,
    ),
    Claim(
        "supermerges-a-third",
        f"Supermerges are {paper.SUPERMERGE_SHARE:.1%} of all merges (Section 3.4).",
        "About a third: from 25% to 45% of the rules to the largest vocabulary, BoundlessBPE (B).",
        check_supermerge_share,
        compare_supermerge_share,
    ),
    Claim(
        "supermerges-rise",
        "Their share grows along training, to "
        f"{paper.LAST_SUPERMERGE_SHARE:.1%} at the end (Section 3.4).",
        "It is higher in each quarter of the rules than in the one before.",
        check_supermerge_rise,
        compare_last_supermerges,
    ),
    Claim(
        "bytes-per-token",
        "BoundlessBPE (4o) has 9 to 15% more bytes per token than BPE and WordPiece (Section 4).",
        "The gain over each is from 9% to 15% at every size.",
        check_bytes_per_token,
    ),
    Claim(
        "renyi-efficiency",
        "Its Rényi efficiency is above that of the baselines (Section 4).",
        "It is above each baseline's at every size, α = 2.5.",
        lambda results: check_renyi_efficiency(results, 0),
    ),
    Claim(
        "renyi-three-percent",
        "The gain is at least 3% (Section 4).",
        "The gain over each baseline is at least 3% at every size, α = 2.5.",
        lambda results: check_renyi_efficiency(results, 0.03),
    ),
    Claim(
        "higher-tail",
        "The tail of its distribution is substantially higher (Section 4).",
        "The counts at 50%, 75% and 90% of the ranks are above each baseline's at every size.",
        check_tail,
    ),
    Claim(
        "lower-head",
        "The most common tokens are less common (Section 4).",
        f"The {HEAD_SIZE} most frequent tokens together occur less often than each baseline's.",
        check_head,
    ),
    Claim(
        "vocabulary-used",
        "More of the vocabulary is used at least once (Section 4).",
        "Both patterns use at least as large a share as each baseline at every size.",
        check_vocabulary_used,
    ),
    Claim(
        "deletion-matters-little",
        "The style of deletion has only a very small effect (Section 5).",
        "Bytes per token within 0.5%, Rényi efficiency within 0.002, over the three styles.",
        check_deletion,
    ),
    Claim(
        "gpt4o-ahead",
        "With the pattern gpt4o, bytes per token are 0.15 to 0.23 higher than with boundless, and "
        "Rényi efficiency about 0.025 (Section 5).",
        "Both are higher at every size.",
        check_patterns,
    ),
)
