"""V05: on the sample corpus no warning is a false alarm."""

from __future__ import annotations

import re

import pytest

from ragchunk_core import Document, chunk
from ragchunk_core.lint import LIMITS, RULES, lint
from ragchunk_core.samples import sample_corpus, structure_corpus
from tests.test_lint import flagged

DEFAULTS = ("fixed", "sentence", "recursive", "markdown")


@pytest.mark.parametrize("chunker", DEFAULTS)
def test_v05_no_false_alarm_on_the_sample(chunker):
    """At the default settings every warning is true, told by another way of looking at the text."""
    for document in sample_corpus().documents:
        text = document.text
        made = chunk(document, chunker, size=400, overlap=50)
        for index in flagged(made, "cut-sentence"):
            one = made[index]
            before, after = text[: one.start].rstrip(), text[one.end :].lstrip()
            initial = re.search(r"\b[A-Z]\.\Z", before)
            open_before = before and before[-1] not in '.?!:|")' and text[one.start - 2 : one.start] != "\n\n"
            open_after = (
                after and one.text.rstrip()[-1] not in '.?!:|"\u201d)' and text[one.end : one.end + 2] != "\n\n"
            )
            broken_row = "|" in text[one.start :].split("\n")[0] and text[one.start - 1 : one.start] not in ("\n", "")
            assert initial or open_before or open_after or broken_row, (document.name, index)
        for index in flagged(made, "table-header"):
            one = made[index]
            around = text[text.rfind("\n\n", 0, one.start) + 2 : one.end]  # from the block's start to the chunk's end
            block = next(part for part in around.split("\n\n") if part.startswith("|") and part.count("\n") > 1)
            assert block.split("\n")[0] not in one.text
        for index in flagged(made, "open-fence"):
            assert made[index].text.count("```") == 1
    assert not [
        f
        for d in sample_corpus().documents
        for f in lint(chunk(d, chunker, size=400, overlap=50))
        if f.rule.severity == "error"
    ]


@pytest.mark.parametrize(
    ("chunker", "said"),
    [
        ("fixed", {"cut-sentence": 54, "table-header": 5, "open-fence": 3, "tiny-tail": 1}),
        ("sentence", {"table-header": 5, "open-fence": 3, "lost-subject": 7}),
        ("recursive", {"cut-sentence": 32, "table-header": 3}),
        ("markdown", {"cut-sentence": 32, "table-header": 3}),
    ],
)
def test_v05_what_is_found_on_the_sample(chunker, said):
    """Each of these chunks was read: none is flagged without cause, and no kind of warning comes by surprise."""
    counts: dict[str, int] = {}
    for document in sample_corpus().documents:
        for found in lint(chunk(document, chunker, size=400, overlap=50)):
            counts[found.rule.name] = counts.get(found.rule.name, 0) + len(found.chunks)
    assert counts == said


def test_v05_sections_that_fit_are_without_any_warning():
    """Whole sections of the runbook: nothing is cut, so nothing is said."""
    document = sample_corpus().documents[0]
    assert lint(chunk(document, "markdown", size=2_000, context="path"), limits=LIMITS[1:]) == []


def test_v05_rules_tell_what_they_mean_and_findings_are_in_their_order():
    document = sample_corpus().documents[0]
    found = lint(chunk(document, "fixed", size=1_500, overlap=600))
    order = list(RULES)
    assert [order.index(f.rule.name) for f in found] == sorted(order.index(f.rule.name) for f in found)
    assert {rule.severity for rule in RULES.values()} == {"error", "warning", "note"}
    for finding in found:
        assert finding.sentence.endswith(".")
        assert finding.chunks.tolist() == sorted(set(finding.chunks.tolist()))
    assert lint(chunk(Document.from_text(""), "fixed")) == []


def test_v05_code_and_records_have_no_sentences_and_csv_rows_need_their_header():
    """V05: on the sample of tables, code and records the chunkers made for them leave no row without its header."""
    found = {
        (document.name, chunker): [one.rule.name for one in lint(chunk(document, chunker, size=400))]
        for document in structure_corpus().documents
        for chunker in ("recursive", "structure")
    }
    assert found["dispatcher.py", "recursive"] == found["dispatcher.py", "structure"] == []
    assert found["tickets.csv", "recursive"] == ["table-header"]
    assert found["tickets.csv", "structure"] == []
    assert found["countries.md", "recursive"] == ["table-header", "open-fence"]
    assert found["countries.md", "structure"] == ["open-fence"]  # the first piece of a fence that is too long
