"""V09: boundaries set by hand are a chunker like any other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers.by_hand import cuts_of, entry, with_entry
from ragchunk_core.links import link_parameters, parse_link
from ragchunk_core.settings import Settings

TEXTS = st.text(st.sampled_from("ab \n.é🚀"), min_size=2, max_size=30)


@given(TEXTS, st.data())
def test_v09_the_chunks_are_the_parts_between_the_cuts(text, data):
    """Without the white space at their ends; parts of white space only are none."""
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=6)))
    made = chunk(Document("t", text), "by-hand", cuts=(entry(text, cuts),))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert made.texts() == [part.strip() for part in parts if part.strip()]
    assert made.verbatim


def test_v09_each_document_has_its_own_cuts():
    """A document without any is cut at blank lines; new cuts take the place of old ones."""
    one, other = Document("one", "abcdef"), Document("other", "uvw\n\nxyz")
    cuts = with_entry(with_entry((), entry(one.text, [2])), entry(one.text, [3]))
    assert [made.texts() for made in chunk([one, other], "by-hand", cuts=cuts)] == [["abc", "def"], ["uvw", "xyz"]]
    assert cuts_of(one.text, cuts) == [3]
    assert cuts_of(other.text, cuts) is None


@pytest.mark.parametrize(
    "bad", ["x", "5", "abc 1", entry("abcdef", [0]), entry("abcdef", [6]), entry("abcdef", [3]) + " -1"]
)
def test_v09_cuts_that_are_none_are_refused(bad):
    with pytest.raises(ValueError, match="By hand"):
        chunk(Document("t", "abcdef"), "by-hand", cuts=(bad,))


def test_v09_cuts_travel_in_a_link_without_the_text():
    cuts = (entry("a secret text", [2, 8]),)
    settings = Settings(on=("by-hand",), chunker="by-hand", options={"by-hand": {"cuts": cuts}})
    parameters = link_parameters(settings)
    assert parse_link(parameters).settings == settings
    assert "secret" not in str(parameters)
