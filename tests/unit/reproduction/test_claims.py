"""Claims hold if and only if their tests pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from superword.evaluation.alignment import Alignment
from superword.evaluation.measurement import Measurement
from superword.reproduction.claims import CLAIMS, CheckedClaim, Verdict, check_claims, judge
from superword.reproduction.figures import FIGURES
from superword.reproduction.lineup import build_lineup
from superword.reproduction.outputs import claims_as_json
from superword.reproduction.report import build_claim
from superword.reproduction.results import BOUNDLESS_4O, BOUNDLESS_B, Results, TrainingCurve
from superword.reproduction.tables import build_ablation

SIZES = (40_960, 131_072)


def measurement(name: str, tokens: int, counts: list[int], single: int) -> Measurement:
    alignment = Alignment(pretokens=1000, single=single)
    numbers = np.array(counts, np.int64)
    return Measurement(name, "gpt4o", 300, 0, 10, 10_000, tokens, 0, numbers, alignment)


# Counts of 300 tokens; the first 250 are the head.
FLAT = [20] * 250 + [10] * 50
STEEP = [100] * 50 + [20] * 100 + [1] * 120 + [0] * 30


def make_supporting_results() -> Results:
    """Return results for which every claim holds."""
    found = {each.key: each for each in build_lineup()}
    measured = {}
    for key, each in found.items():
        for size in SIZES:
            if each.baseline:
                single = 720 if key == "unigram" else 930
                counts = [150, *STEEP[1:]]
                measured[key, size] = measurement(each.label, 2240, counts, single)
            elif each.pattern == "gpt4o":
                measured[key, size] = measurement(each.label, 2000, FLAT, 900)
            else:
                counts = [21] + FLAT[1:]
                measured[key, size] = measurement(each.label, 2100, counts, 900)
    flags = np.arange(3000) % 20 < 4 + 3 * (np.arange(3000) // 750)
    slow = TrainingCurve(np.arange(4000, 1000, -1), flags)
    fast = TrainingCurve(np.arange(3000, 0, -1), np.zeros(3000, bool))
    curves = {key: slow if each.supermerges else fast for key, each in found.items()}
    return Results(found, SIZES, measured, curves, ("", {}))


def test_claims_hold_if_their_tests_pass() -> None:
    for claim, verdict in check_claims(make_supporting_results()):
        assert verdict.outcome == "holds", (claim.key, verdict)


def test_a_claim_below_the_papers_figure_is_weaker() -> None:
    """As 26.5% supermerges, where the paper has 36.6%."""
    results = make_supporting_results()
    flags = np.arange(3000) % 20 < 1 + 3 * (np.arange(3000) // 750)
    curve = TrainingCurve(results.curves[BOUNDLESS_B].counts, flags)
    unigram = only("unigram", alignment=Alignment(pretokens=1000, single=738))
    weak = replace(results, curves={**results.curves, BOUNDLESS_B: curve})
    outcomes = {
        claim.key: verdict.outcome for claim, verdict in check_claims(with_measured(weak, unigram))
    }
    weaker = {"supermerges-a-third", "supermerges-rise", "unigram-lower"}
    assert {key for key, outcome in outcomes.items() if outcome == "weaker"} == weaker
    assert {key for key, outcome in outcomes.items() if outcome == "holds"} == {*outcomes} - weaker


def test_the_report_says_which_claims_are_weaker() -> None:
    verdict = Verdict(True, ((True, "26.5%"),), ((False, "26.5%; the paper has 36.6%"),))
    shown = build_claim(CheckedClaim(CLAIMS[3], verdict))
    assert "weaker" in shown and "✓ holds" not in shown and "the paper has 36.6%" in shown
    assert claims_as_json([CheckedClaim(CLAIMS[3], verdict)])[0]["verdict"] == "weaker"


def test_captions_tell_open_marks_apart() -> None:
    """The paper's values and models of less text both have open marks, on different lines."""
    limited = build_lineup(["unigram"], {"unigram": 30_000_000})
    results = make_supporting_results()
    part = f"{BOUNDLESS_4O}-30000000"
    measured = {(part, size): results.measured[BOUNDLESS_4O, size] for size in SIZES}
    lineup = {each.key: each for each in limited}
    results = replace(results, lineup=lineup, measured={**results.measured, **measured})
    for figure in FIGURES[5:7]:
        assert "dashed lines are the paper's" in figure.caption
        assert "dotted lines, if any, are ours" in figure.caption
        (axis,) = figure.draw(results).figure.axes
        for line in axis.lines:
            if line.get_markerfacecolor() == "white":
                is_paper = "paper" in line.get_label()
                assert line.get_linestyle() == ("--" if is_paper else ":"), line.get_label()


def with_measured(results: Results, change: Callable[[str, Measurement], Measurement]) -> Results:
    measured = {at: change(at[0], each) for at, each in results.measured.items()}
    return replace(results, measured=measured)


def only(key: str, **changes: object) -> Callable[[str, Measurement], Measurement]:
    def change(at: str, each: Measurement) -> Measurement:
        return replace(each, **changes) if at == key else each  # type: ignore[arg-type]

    return change


def counts(values: list[int]) -> dict[str, object]:
    return {"counts": np.array(values, np.int64)}


BREAKING: dict[str, Callable[[Results], Results]] = {
    "single-share": lambda r: with_measured(
        r, only("bpe", alignment=Alignment(pretokens=100, single=96))
    ),
    "unigram-lower": lambda r: with_measured(
        r, only("unigram", alignment=Alignment(pretokens=100, single=94))
    ),
    "counts-fall-slower": lambda r: replace(
        r, curves={**r.curves, BOUNDLESS_4O: r.curves["bpe-gpt4o"]}
    ),
    "supermerges-a-third": lambda r: replace(
        r, curves={**r.curves, BOUNDLESS_B: r.curves["bpe-gpt4o"]}
    ),
    "supermerges-rise": lambda r: replace(
        r,
        curves={
            **r.curves,
            BOUNDLESS_B: TrainingCurve(r.curves[BOUNDLESS_B][0], r.curves[BOUNDLESS_B][1][::-1]),
        },
    ),
    "bytes-per-token": lambda r: with_measured(r, only("wordpiece", tokens=2100)),
    "renyi-efficiency": lambda r: with_measured(r, only("unigram", **counts(FLAT))),
    "renyi-three-percent": lambda r: with_measured(
        r, only("bpe", **counts([25] * 100 + [20] * 150 + [9] * 50))
    ),
    "higher-tail": lambda r: with_measured(r, only("bpe", **counts([100] * 300))),
    "lower-head": lambda r: with_measured(r, only("wordpiece", **counts([19] * 250 + [1] * 50))),
    "vocabulary-used": lambda r: with_measured(
        r, only(BOUNDLESS_B, **counts([1] * 200 + [0] * 100))
    ),
    "deletion-matters-little": lambda r: with_measured(
        r, only("boundless-gpt4o-none", tokens=1900)
    ),
    "gpt4o-ahead": lambda r: with_measured(r, only(BOUNDLESS_B, tokens=1900)),
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_each_claim_can_fail(claim: object) -> None:
    key = claim.key  # type: ignore[attr-defined]
    broken = BREAKING[key](make_supporting_results())
    verdicts = {checked.claim.key: checked.verdict for checked in check_claims(broken)}
    assert verdicts[key].holds is False
    assert not all(is_so for is_so, _ in verdicts[key].cases)


def test_claims_about_baselines_need_baselines() -> None:
    results = make_supporting_results()
    ours = {key: each for key, each in results.lineup.items() if not each.baseline}
    verdicts = {
        checked.claim.key: checked.verdict
        for checked in check_claims(replace(results, lineup=ours))
    }
    assert verdicts["single-share"] == verdicts["bytes-per-token"] == Verdict(None)
    assert verdicts["gpt4o-ahead"].holds


def test_a_baseline_is_compared_with_a_model_of_the_same_text() -> None:
    limited = build_lineup(["bpe", "unigram"], {"unigram": 5_000_000})
    results = replace(make_supporting_results(), lineup={each.key: each for each in limited})
    assert results.counterpart("bpe") == BOUNDLESS_4O
    assert results.counterpart("unigram") == f"{BOUNDLESS_4O}-5000000"
    assert results.label(f"{BOUNDLESS_4O}-5000000") == "BoundlessBPE (4o), 5 MB"


def test_a_claim_holds_if_all_its_cases_do() -> None:
    assert judge([(True, "a"), (True, "b")]).holds is True
    assert judge([(True, "a"), (False, "b")]) == Verdict(False, ((True, "a"), (False, "b")))
    assert judge([]) == Verdict(None)


def test_the_ablation_has_the_papers_rows_and_values() -> None:
    rows = build_ablation(make_supporting_results(), SIZES)
    assert len(rows) == 12
    assert rows[5][:3] == (40_960, "GPT4o", "ours")
    assert rows[5].paper_bytes_per_token == 4.416
    assert rows[5].bytes_per_token == 5
    assert rows[-1].paper_renyi_efficiency == 0.43


def test_the_papers_values_are_drawn_at_its_sizes() -> None:
    for number, expected in ((6, [0.4926, 0.43]), (7, [4.416, 4.991])):
        (axis,) = FIGURES[number - 1].draw(make_supporting_results()).figure.axes
        (line,) = [
            line for line in axis.lines if line.get_label() == "BoundlessBPE (4o), paper's corpus"
        ]
        assert list(line.get_ydata()) == expected
