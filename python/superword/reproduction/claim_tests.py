"""The numerical tests of the paper's claims. Each yields cases: is it so, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from superword.evaluation import Measurement, rank_counts, supermerge_shares
from superword.reproduction import paper
from superword.reproduction.lineup import DELETIONS, boundless_key
from superword.reproduction.results import BOUNDLESS_4O, BOUNDLESS_B, Results
from superword.reproduction.verdicts import Case

__all__ = [
    "HEAD_SIZE",
    "compare_bytes_per_token",
    "compare_deletion_modes",
    "compare_heads",
    "compare_last_counts",
    "compare_patterns",
    "compare_renyi_efficiency",
    "compare_tails",
    "compare_unigram_share",
    "compare_vocabulary_used",
    "measure_single_share",
    "measure_supermerge_rise",
    "measure_supermerge_share",
]

MERGE_BASED = ("bpe", "wordpiece")
HEAD_SIZE = 250
TAIL_RANKS = (0.5, 0.75, 0.9)


def select_trained(results: Results, keys: Iterable[str]) -> list[str]:
    """Return the keys that are in the lineup."""
    return [key for key in keys if key in results.lineup]


def select_sizes(results: Results, is_largest_only: bool) -> tuple[int, ...]:
    """Return all vocabulary sizes, or the largest."""
    return results.sizes[-1:] if is_largest_only else results.sizes


def pair_with_baselines(
    results: Results, is_largest_only: bool = False
) -> Iterator[tuple[str, int, Measurement, Measurement]]:
    """Yield each baseline and size, with BoundlessBPE trained on the same text and the baseline."""
    for key in results.baseline_keys:
        for size in select_sizes(results, is_largest_only):
            ours = results.measured[results.counterpart(key), size]
            yield key, size, ours, results.measured[key, size]


def measure_single_share(results: Results, is_largest_only: bool = False) -> Iterator[Case]:
    """Ask whether BPE and WordPiece make 90 to 95% of the pretokens one token."""
    for key in select_trained(results, MERGE_BASED):
        for size in select_sizes(results, is_largest_only):
            share = results.measured[key, size].single_share
            yield 0.90 <= share <= 0.95, f"{results.label(key)} {size:,}: {share:.2%}"


def compare_unigram_share(results: Results, most: float = 1.0) -> Iterator[Case]:
    """Ask whether UnigramLM makes fewer of them one token, and at most a share, in percent."""
    for key in select_trained(results, MERGE_BASED if "unigram" in results.lineup else ()):
        for size in results.sizes:
            unigram = results.measured["unigram", size].single_share
            other = results.measured[key, size].single_share
            found = f"{size:,}: {unigram:.1%}, {results.label(key)} {other:.1%}"
            yield unigram < other and round(unigram, 2) <= most, found


def compare_last_counts(results: Results, is_one_enough: bool = False) -> Iterator[Case]:
    """Ask whether the last rule's count is higher with supermerges, with each pattern or one."""
    cases = []
    for key, plain_key in ((BOUNDLESS_4O, "bpe-gpt4o"), (BOUNDLESS_B, "bpe-boundless")):
        boundless, plain = (int(results.curves[each].counts[-1]) for each in (key, plain_key))
        found = f"last rule of {results.label(key)} {boundless:,}, of {results.label(plain_key)}"
        cases.append((boundless > plain, f"{found} {plain:,}"))
    if is_one_enough:
        yield any(is_so for is_so, _ in cases), "; ".join(found for _, found in cases)
    else:
        yield from cases


def measure_supermerge_share(results: Results, least: float) -> Iterator[Case]:
    """Ask whether enough of the rules are supermerges, to a tenth of a percent."""
    share = float(results.curves[BOUNDLESS_B].is_supermerge.mean())
    yield round(share, 3) >= least, f"{share:.1%} of the rules to the largest vocabulary"


def measure_supermerge_rise(results: Results, least_at_end: float = 0.0) -> Iterator[Case]:
    """Ask whether the share of supermerges rises by quarters, and reaches a share at the end.

    The end is the last whole group of 8,192 rules, or of a sixteenth of them if that is less.
    """
    flags = results.curves[BOUNDLESS_B].is_supermerge
    quarters = supermerge_shares(flags, -(-len(flags) // 4))
    shown = ", ".join(f"{share:.1%}" for share in quarters)
    yield bool(np.all(np.diff(quarters) > 0)), f"by quarters of training {shown}"
    if least_at_end:
        interval = min(paper.RULES_PER_GROUP, -(-len(flags) // 16))
        share = float(supermerge_shares(flags, interval)[len(flags) // interval - 1])
        found = f"{share:.1%} in the last group of {interval:,} rules"
        yield round(share, 3) >= least_at_end, found


def compare_bytes_per_token(results: Results, least: float) -> Iterator[Case]:
    """Ask whether the gain in bytes per token over BPE and WordPiece exceeds a limit."""
    for key, size, ours, theirs in pair_with_baselines(results):
        if key in MERGE_BASED:
            gain = ours.bytes_per_token / theirs.bytes_per_token - 1
            yield is_gain(gain, least), f"{size:,}: {gain:+.1%} over {results.label(key)}"


def compare_renyi_efficiency(results: Results, least: float) -> Iterator[Case]:
    """Ask whether the gain in Rényi efficiency over each baseline exceeds a limit."""
    for key, size, ours, theirs in pair_with_baselines(results):
        gain = ours.renyi_efficiency() / theirs.renyi_efficiency() - 1
        yield is_gain(gain, least), f"{size:,}: {gain:+.1%} over {results.label(key)}"


def is_gain(gain: float, least: float) -> bool:
    """Return whether a gain is one, and at least a limit, to the fourth decimal.

    Example:
        >>> is_gain(0.0, 0.0), is_gain(1e-6, 0.0), is_gain(0.43 - 0.405, 0.025)
        (False, True, True)
    """
    return gain > 0 and round(gain, 4) >= least


def compare_tails(results: Results, are_ties_allowed: bool = False) -> Iterator[Case]:
    """Ask whether rare tokens are less rare than those of the baselines.

    With ties, the counts in the middle must be above, and the rarer ones not below.
    """
    for key, size, ours, theirs in pair_with_baselines(results):
        mine, other = rank_counts(ours.counts), rank_counts(theirs.counts)
        ranks = [int(len(mine) * share) for share in TAIL_RANKS]
        pairs = [(int(mine[at]), int(other[min(at, len(other) - 1)])) for at in ranks]
        shown = ", ".join(f"{a} > {b}" if a > b else f"{a} ≤ {b}" for a, b in pairs)
        (a, b), *rarer = pairs
        is_so = a > b and all(a > b or (are_ties_allowed and a == b) for a, b in rarer)
        yield is_so, f"{size:,} against {results.label(key)}: {shown}"


def compare_heads(results: Results, is_largest_only: bool = False) -> Iterator[Case]:
    """Ask whether the most frequent tokens are less frequent than those of the baselines."""
    for key, size, ours, theirs in pair_with_baselines(results, is_largest_only):
        mine, other = (int(rank_counts(each.counts)[:HEAD_SIZE].sum()) for each in (ours, theirs))
        yield mine < other, f"{size:,}: {mine / other - 1:+.1%} against {results.label(key)}"


def compare_vocabulary_used(results: Results, is_largest_only: bool = False) -> Iterator[Case]:
    """Ask whether at least as much of the vocabulary is used."""
    both = (BOUNDLESS_B,) if results.subject == BOUNDLESS_4O else ()
    for key in results.baseline_keys:
        for ours in (results.counterpart(key), *both):
            for size in select_sizes(results, is_largest_only):
                mine, theirs = (results.measured[k, size].vocabulary_used for k in (ours, key))
                found = f"{results.label(ours)} {mine:.2%}, {results.label(key)} {theirs:.2%}"
                yield mine >= theirs, f"{size:,}: {found}"


def compare_deletion_modes(results: Results, spread: float, apart: float) -> Iterator[Case]:
    """Ask whether bytes per token and Rényi efficiency differ by little between the modes."""
    for pattern in ("boundless", "gpt4o"):
        for size in results.sizes:
            row = [results.measured[boundless_key(pattern, mode), size] for mode in DELETIONS]
            rates = [each.bytes_per_token for each in row]
            efficiencies = [each.renyi_efficiency() for each in row]
            ratio = max(rates) / min(rates) - 1
            difference = max(efficiencies) - min(efficiencies)
            found = f"{pattern} {size:,}: {ratio:.2%} in bytes per token, {difference:.4f} in Rényi"
            yield ratio <= spread and difference <= apart, found


def compare_patterns(results: Results, least_rate: float, least_renyi: float) -> Iterator[Case]:
    """Ask whether gpt4o is ahead of boundless in both metrics, each by at least a limit."""
    for size in results.sizes:
        gpt4o, boundless = (results.measured[k, size] for k in (BOUNDLESS_4O, BOUNDLESS_B))
        rate = gpt4o.bytes_per_token - boundless.bytes_per_token
        efficiency = gpt4o.renyi_efficiency() - boundless.renyi_efficiency()
        found = f"{size:,}: {rate:+.3f} bytes per token, {efficiency:+.4f} Rényi efficiency"
        yield is_gain(rate, least_rate) and is_gain(efficiency, least_renyi), found
