"""S05: the guide's worked example has the published figures, computed by the engine."""

from __future__ import annotations

from pages.shared.lessons import QUESTIONS, WHEN
from pages.shared.worked import buffer_steps, window_overlap
from ragchunk_core import Document, chunk
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.samples import worked_example

DOCUMENT = worked_example().documents[0]


def test_s05_the_buffer_closes_where_the_playground_says():
    """s0: 284 characters and 71 tokens, then 224 and 56, then 280 and 70; four, three and four sentences."""
    steps = buffer_steps(DOCUMENT, 300)
    assert [(step.sentences, step.length, step.tokens) for step in steps] == [(4, 284, 71), (3, 224, 56), (4, 280, 70)]
    assert all(step.would_be > 300 for step in steps[:-1])
    assert steps[0].text.endswith("at query time.")
    assert steps[-1].following == 0


def test_s05_windows_share_the_phrase_that_the_playground_quotes():
    """s0: 45 characters, 891 stored for 801."""
    phrase, stored = window_overlap(DOCUMENT, 300, "15%")
    assert phrase.strip().endswith("context tokens at query time. Small chunk")
    assert (len(phrase), stored, len(DOCUMENT.text)) == (45, 891, 801)


def test_s05_the_answers_to_check_yourself_are_true():
    """The first two questions' figures, by the engine and by arithmetic."""
    assert len(chunk(Document("t", "x" * 1000), "fixed", size=200, overlap=50)) == 7
    assert "= 7." in QUESTIONS[0].answer
    assert round(1 / (1 - 0.2) - 1, 10) == 0.25
    assert "25 %" in QUESTIONS[1].answer
    assert set(WHEN) <= set(CHUNKERS)
