"""Reported faults of other chunkers in headings, sentences and semantic breakpoints, each by its id.

The inputs stand in ``cases.jsonl`` with the reports they come from; what is right stands here.
"""

from __future__ import annotations

import hashlib
import json
import math

import numpy as np
import pytest
from markdown_it import MarkdownIt

from ragchunk_core import Document, chunk
from ragchunk_core.headings import commonmark_headings
from ragchunk_core.sentences import sentence_spans

TITLES = {
    "md-01": ["A"],  # a fence of four is not closed by three
    "md-02": ["A"],  # a closing fence has no info string
    "md-03": ["A"],  # nor have tildes
    "md-05": ["T"],  # tildes are fences
    "md-07": ["A", "B"],  # three spaces before a fence are allowed
    "md-09": ["A"],
    "md-10": ["👩\u200d👩\u200d👧 team"],
    "md-11": ["A"],
    "md-13": ["Setup", "C#", "F#"],
    "md-14": ["Real"],
    "md-15": ["Real"],
    "md-18": ["A"],
    "md-19": ["Tabbed"],  # a no-break space is no space after the #
    "md-21": ["A"],
    "md-23": ["A", "Notes", "Notes"],
    "md-24": ["A", "D", "B"],
    "md-28": [],
    "md-29": [],
}
SECTIONS = {
    "md-09": [(("A",), "p1\n\np2")],
    "md-10": [(("👩\u200d👩\u200d👧 team",), "soft\u00adhyphen \u200fنص")],
    "md-21": [(("A",), "```\r\ncode\r\n```\r\nx")],
    "md-23": [(("A", "Notes"), "x"), (("A", "Notes"), "y")],
    "md-24": [(("A", "D"), "x"), (("A", "B"), "y")],
}
SENTENCES = {
    "sem-06": ["Dr. Smith paid $3.50 for No. 7.", "Mr. Lee left at 5 p.m.", "Then he slept."],
    "sen-02": ["He left ..", "Then came .... more."],
    "sen-03": ["Look at Tab. ???"],
    "sen-04": ["Dr. Smith paid 3.50.", "He left!", "Then... what?", "Ok."],
    "sen-05": ["SYR.", "HONEY 10ML TWICE.", "Shake well."],  # either answer is allowed; the offsets are what counts
}
SEMANTIC = {
    "sem-02": ({"threshold": "gradient"}, ["First one. Second one."]),  # one distance has no gradient
    "sem-03": ({"chunks": 2}, ["First one.", "Second one."]),
}
BY_THEMSELVES = {"md-26", "md-27", "md-28", "md-29", "sen-04", "sem-04", "sem-08", "md-14", "md-11"}


@pytest.fixture(scope="module")
def cases(shared_data):
    """Every case of these components by its id."""
    lines = (shared_data / "cases.jsonl").read_text(encoding="utf-8").split("\n")
    read = [json.loads(line) for line in lines if line]
    return {one["id"]: one for one in read if one["component"].split()[0] in ("markdown", "semantic", "sentences")}


def input_of(case):
    """The case's text; two are given as a recipe."""
    recipes = {
        "md-28": lambda: ">" * 5000 + " a",
        "md-29": lambda: "\n".join("  " * i + "- a" for i in range(3000)),
    }
    return recipes[case["id"]]() if case["id"] in recipes else case["input"]


def vectors(texts):
    """Unit vectors that depend on the text alone."""
    rows = [np.frombuffer(hashlib.blake2b(text.encode(), digest_size=16).digest(), np.uint8) for text in texts]
    made = np.array(rows, dtype=np.float64).reshape(len(texts), 16) - 127.5
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_every_reported_case_has_a_test(cases):
    """No line of these components is left out, and none is made up."""
    tested = {*TITLES, *SECTIONS, *SENTENCES, *SEMANTIC, *BY_THEMSELVES}
    assert tested == set(cases)


@pytest.mark.parametrize("case", TITLES)
def test_c11_reported_case_of_headings(cases, case):
    """C11: exactly these lines are headings, and every chunk is the slice that it says it is."""
    text = input_of(cases[case])
    assert [heading.title for heading in commonmark_headings(text)] == TITLES[case]
    for made in chunk(Document.from_text(text), "markdown", size=10**8):
        assert made.text == text[made.start : made.end]


@pytest.mark.parametrize("case", SECTIONS)
def test_c11_reported_case_of_sections(cases, case):
    """C11: paths and bodies, nothing glued, nothing of the text replaced."""
    made = chunk(Document.from_text(cases[case]["input"]), "markdown", level=6, headings="strip", size=1000)
    assert [(one.path, one.text) for one in made] == SECTIONS[case]


def test_c11_case_md_11_the_mark_belongs_to_the_first_section(cases):
    """Case md-11: the byte-order mark counts as a character of the text; the section begins with it."""
    text = cases["md-11"]["input"]
    assert text[0] == "\ufeff"
    made = chunk(Document.from_text(text), "markdown")
    assert [(one.path, one.start, one.end) for one in made] == [(("A",), 0, len(text))]


def test_c11_case_md_14_front_matter_is_a_section_without_a_path(cases):
    """Case md-14: its span is that of the report, less the line end."""
    text = cases["md-14"]["input"]
    start, end = cases["md-14"]["right"]["front_matter_span"]
    first = chunk(Document.from_text(text), "markdown")[0]
    assert (first.start, first.end, first.path) == (start, len(text[:end].rstrip()), ())


@pytest.mark.parametrize("case", ["md-28", "md-29"])
def test_c11_reported_case_of_speed(cases, case, monkeypatch):
    """Cases md-28, md-29: text in which no line can be a heading is not parsed at all, however deep it is nested."""
    parsed = []
    monkeypatch.setattr(MarkdownIt, "parse", lambda self, text, env=None: parsed.append(text) or [])
    text = input_of(cases[case])
    made = chunk(Document.from_text(text), "markdown", size=len(text))
    assert made.texts() == [text.strip()]
    assert parsed == []


def test_c15_case_md_26_a_fence_that_fits_is_in_one_chunk(cases):
    """Case md-26: hash lines in a fence are no place to cut; lines 3 to 7 stay together."""
    case = cases["md-26"]
    fence = "\n".join(case["input"].split("\n")[2:7])
    made = chunk(Document.from_text(case["input"]), "structure", size=case["settings"]["size"])
    assert [fence in text for text in made.texts()].count(True) == 1
    assert max(made.lengths) <= 30


@pytest.mark.parametrize(("size", "within"), [(30, False), (38, True)])
def test_c15_case_md_27_rows_know_their_header(cases, size, within):
    """Case md-27: each chunk with rows has the header in it or in front of it, and is a slice of the text."""
    text = cases["md-27"]["input"]
    made = chunk(Document.from_text(text), "structure", size=size, within=within)
    assert len(made) > 1
    for one, indexed in zip(made, made.indexed_texts(), strict=True):
        assert one.text == text[one.start : one.end]
        assert indexed.startswith("| k | v |")
        assert not within or len(indexed) <= size
    assert "".join("".join(made.texts()).split()) == "".join(text.split())


@pytest.mark.parametrize("case", SENTENCES)
def test_c06_reported_case_of_sentences(cases, case):
    """C06: these sentences, and with the gaps between them the whole text."""
    text = cases[case]["input"]
    spans = sentence_spans(text).tolist()
    assert [text[a:b] for a, b in spans] == SENTENCES[case]
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    gaps = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    assert not "".join(gaps).strip()


def test_c05_case_sen_04_only_a_single_sentence_may_pass_the_size(cases):
    """Case sen-04."""
    made = chunk(Document.from_text(cases["sen-04"]["input"]), "sentence", size=24, carry=0)
    assert made.texts() == ["Dr. Smith paid 3.50.", "He left!  Then... what?", "Ok."]


@pytest.mark.parametrize("case", SEMANTIC)
def test_c14_reported_case_of_breakpoints(cases, case):
    """C14: two sentences, under the gradient rule and by number."""
    options, right = SEMANTIC[case]
    made = chunk(Document.from_text(cases[case]["input"]), "semantic", embed=vectors, rule="langchain", **options)
    assert made.texts() == right


@pytest.mark.parametrize("rule", ["rules", "stops", "langchain"])
def test_c14_case_sem_04_white_space_stays(cases, rule):
    """Case sem-04: blank lines are kept, for every chunk is a slice."""
    text = cases["sem-04"]["input"]
    made = chunk(Document.from_text(text), "semantic", embed=vectors, amount=50.0, rule=rule)
    assert len(made) > 1
    assert made.texts() == [text[a:b] for a, b in zip(made.starts, made.ends, strict=True)]
    assert "".join("".join(made.texts()).split()) == "".join(text.split())
    assert "\n\n" in "".join(chunk(Document.from_text(text), "semantic", embed=vectors, chunks=1, rule=rule).texts())


@pytest.mark.parametrize(
    "broken",
    [
        lambda texts: vectors(texts)[1:],
        lambda texts: vectors(texts)[:, 0],
        lambda texts: vectors(texts) * math.nan,
    ],
    ids=["one vector missing", "no vectors but numbers", "not a number"],
)
@pytest.mark.parametrize("chunker", ["semantic", "cluster"])
def test_c14_case_sem_08_vectors_that_do_not_fit_the_texts_are_refused(cases, broken, chunker):
    """Case sem-08: never out of step without a word."""
    text = cases["sem-08"]["input"] + " Three words more." * 40
    with pytest.raises(ValueError, match="The embedding returned"):
        chunk(Document.from_text(text), chunker, embed=broken)


def test_c14_case_sem_08_no_blank_text_is_ever_embedded(cases):
    """Case sem-08: one vector for each sentence, none of which is empty."""
    asked = []
    text = cases["sem-08"]["input"] + " \n\n "
    chunk(
        Document.from_text(text), "semantic", buffer=0, rule="langchain", embed=lambda t: asked.extend(t) or vectors(t)
    )
    assert asked == ["One.", "...", "Two."]
