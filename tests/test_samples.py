"""The sample corpora show what they are for: D01 (documents, queries) and D02 (worked example)."""

from __future__ import annotations

import json
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
import Stemmer
from markdown_it import MarkdownIt

from ragchunk_core import samples
from ragchunk_core.chunking import chunk
from ragchunk_core.samples import sample_corpus, worked_example
from ragchunk_core.types import Corpus, Document

# Lucene's English stop words.
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be but by for if in into is it no not of on or such that the their then there
        these they this to was will with""",
    )
)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return sample_corpus()


@pytest.fixture(scope="module")
def runbook(corpus: Corpus) -> Document:
    return corpus.documents[0]


@pytest.fixture(scope="module")
def essay(corpus: Corpus) -> Document:
    return corpus.documents[1]


@pytest.fixture(scope="module")
def faq(corpus: Corpus) -> Document:
    return corpus.documents[2]


@pytest.fixture(scope="module")
def example() -> Document:
    return worked_example().documents[0]


# D01: the documents


def test_d01_three_documents_of_three_kinds(corpus: Corpus) -> None:
    assert [(d.name, d.kind) for d in corpus.documents] == [
        ("runbook.md", "markdown"),
        ("lighthouse-optics.txt", "text"),
        ("faq.html", "html"),
    ]


@pytest.mark.parametrize(("index", "least", "most"), [(0, 5_000, 7_000), (1, 6_500, 9_000), (2, 3_500, 5_000)])
def test_d01_documents_are_of_a_readable_length(corpus: Corpus, index: int, least: int, most: int) -> None:
    assert least <= len(corpus.documents[index].text) <= most


@pytest.mark.parametrize("name", ["runbook.md", "lighthouse-optics.txt", "chunking-explained.txt"])
def test_d01_plain_files_are_kept_exactly(name: str) -> None:
    documents = (*sample_corpus().documents, *worked_example().documents)
    text = next(d.text for d in documents if d.name == name)
    assert text.encode("utf-8") == (samples.FOLDER / name).read_bytes()
    assert "\r" not in text


def test_d01_runbook_has_every_markdown_block(runbook: Document) -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(runbook.text)
    assert {t.tag for t in tokens if t.type == "heading_open"} == {"h1", "h2", "h3"}
    assert {"table_open", "bullet_list_open", "ordered_list_open", "fence"} <= {t.type for t in tokens}


def test_d01_runbook_fence_holds_lines_that_only_look_like_headings(runbook: Document) -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(runbook.text)
    (fence,) = (t for t in tokens if t.type == "fence")
    comments = [line for line in fence.content.split("\n") if line.startswith("#")]
    assert len(comments) == 3
    assert any(line.startswith("## ") for line in comments)
    last_titles = {path[-1] for path in chunk(runbook, "markdown").paths}
    assert not last_titles & {line.lstrip("# ") for line in comments}


def test_d01_runbook_has_the_heading_path(runbook: Document) -> None:
    assert ("Runbook", "Alerts", "Replication lag") in chunk(runbook, "markdown").paths


def test_d01_runbook_names_error_codes(runbook: Document) -> None:
    assert len(set(re.findall(r"E-\d{4}", runbook.text))) >= 8
    assert runbook.text.count("E-4471") == 1


def test_d01_essay_is_plain_paragraphs(essay: Document) -> None:
    paragraphs = essay.text.strip().split("\n\n")
    assert 9 <= len(paragraphs) <= 14
    assert all("\n" not in p and p[-1] in ".!?" and not p.startswith("#") for p in paragraphs)
    assert max(map(len, paragraphs)) > 2 * min(map(len, paragraphs))


def test_d01_essay_makes_naive_sentence_rules_stumble(essay: Document) -> None:
    for trap in (
        "F. H. Holmes",
        "R. L. Stevenson",
        "e.g. ",
        "i.e. ",
        "the U.S. They",
        "187.5",
        "No. 1 ",
        '"Fl(3)',
    ):
        assert trap in essay.text
    naive = re.split(r"(?<=[.!?])\s+", essay.text)
    assert any(sentence.endswith((" F.", " H.")) or sentence in ("H.", "L.") for sentence in naive)


def test_d01_essay_tells_the_history(essay: Document) -> None:
    for word in (
        "Augustin-Jean Fresnel", "Argand", "catoptric", "dioptric", "catadioptric", "Cordouan", "1823",
        "clockwork", "mercury", "incandescent oil vapour", "candela", "focal length", "orders", "carbon",
        "Stevenson", "red",
    ):  # fmt: skip
        assert word in essay.text


def test_d01_faq_file_is_a_real_page() -> None:
    page = (samples.FOLDER / "faq.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    for part in (
        "<title>", "<style>", "<script>", "<template>", "<nav>", "<table>", "<ol>", "<ul>", "<pre>",
        " hidden>", "<h1>", "<h2>", "<h3>", "&amp;", "&nbsp;", "&eacute;", "&euro;", "&rsquo;", "&copy;",
    ):  # fmt: skip
        assert part in page


def test_d01_faq_text_has_only_what_a_reader_sees(faq: Document) -> None:
    for unseen in (
        "analytics", "never shown", "font:", "session has expired", "Row template", "dataset", "&amp;",
        "&euro;",
    ):  # fmt: skip
        assert unseen not in faq.text
    assert not re.search(r"</?(?:p|li|td|h\d|div|script)\b", faq.text)
    for seen in ("Café Étoile", "€0.012", "© Ternway", '"template": "reminder"'):
        assert seen in faq.text
    lines = faq.text.split("\n")
    for heading in ("# Questions & answers", "## Plans & prices", "### How do I leave?"):
        assert lines.count(heading) == 1
    assert any(line.startswith("- ") and "for your own systems" in line for line in lines)


# D01: the queries


def test_d01_eleven_queries_all_judged(corpus: Corpus) -> None:
    assert len(corpus.queries) == len({q.text for q in corpus.queries}) == 11
    assert all(q.passages for q in corpus.queries)


def test_d01_every_document_answers_some_query(corpus: Corpus) -> None:
    assert {p.document for q in corpus.queries for p in q.passages} == {d.id for d in corpus.documents}


def test_d01_some_queries_have_several_passages_and_some_two_documents(corpus: Corpus) -> None:
    assert sum(len(q.passages) > 1 for q in corpus.queries) >= 2
    assert sum(len({p.document for p in q.passages}) == 2 for q in corpus.queries) >= 2


def test_d01_every_marked_text_stands_at_its_offsets(corpus: Corpus) -> None:
    texts = {d.name: d.text for d in corpus.documents}
    rows = json.loads((samples.FOLDER / "queries.json").read_text("utf-8"))
    marks = [mark for row in rows for mark in row["passages"]]
    assert len(marks) == sum(len(q.passages) for q in corpus.queries)
    for mark in marks:
        assert texts[mark["document"]][mark["start"] : mark["end"]] == mark["text"]
        assert texts[mark["document"]].count(mark["text"]) == 1


def test_d01_passages_are_whole_sentences_of_sixty_to_six_hundred_characters(corpus: Corpus) -> None:
    texts = {d.id: d.text for d in corpus.documents}
    for passage in (p for q in corpus.queries for p in q.passages):
        text = texts[passage.document]
        assert 60 <= passage.end - passage.start <= 600
        assert passage.start == 0 or text[passage.start - 1].isspace()
        assert text[passage.start].isupper() or text[passage.start].isdigit()
        assert text[passage.end - 1] in ".!?"
        assert text[passage.end].isspace()


def test_d01_passages_of_one_query_do_not_overlap(corpus: Corpus) -> None:
    for query in corpus.queries:
        spans = sorted((p.document, p.start, p.end) for p in query.passages)
        assert all(a[0] != b[0] or a[2] <= b[1] for a, b in pairwise(spans))


def test_d01_short_and_long_answers_are_both_asked_for(corpus: Corpus) -> None:
    lengths = [p.end - p.start for q in corpus.queries for p in q.passages]
    assert sum(n >= 300 for n in lengths) >= 3  # 120-character chunks cannot hold these
    assert sum(n <= 100 for n in lengths) >= 3  # facts that a long chunk surrounds with other topics


def test_d01_one_answer_is_found_by_its_error_code_alone(corpus: Corpus) -> None:
    (query,) = (q for q in corpus.queries if "E-4471" in q.text)
    assert [d.text.count("4471") for d in corpus.documents] == [1, 0, 0]
    (passage,) = query.passages
    assert "E-4471" in corpus.documents[0].text[passage.start : passage.end]


def test_d01_one_answer_shares_no_word_stem_with_its_query(corpus: Corpus, essay: Document) -> None:
    (query,) = (q for q in corpus.queries if "toxic" in q.text)
    (passage,) = query.passages
    # What any chunk of 400 characters around the passage could hold.
    near = essay.text[max(0, passage.start - 400) : passage.end + 400]
    assert passage.document == essay.id
    assert not _stems(query.text) & _stems(near)


def _stems(text: str) -> set[str]:
    words = {w for w in re.findall(r"[^\W_]+", text.lower()) if w not in STOP_WORDS}
    stemmers = Stemmer.Stemmer("porter"), Stemmer.Stemmer("english")
    return words | {stemmer.stemWord(w) for stemmer in stemmers for w in words}


# D02: the worked example. The figures are those that the RAG Chunking Playground gives for its own sample.


def test_d02_four_paragraphs_801_characters_200_tokens(example: Document) -> None:
    assert worked_example().queries == ()
    assert len(example.text) == 801
    assert example.text == example.text.strip()
    assert len(example.text.split("\n\n")) == 4
    assert int(chunk(example, "fixed", size=1000, unit="chars4").lengths[0]) == 200


def test_d02_eleven_sentences_joined_by_thirteen_white_spaces(example: Document) -> None:
    assert len(re.findall(r"[.!?](?=\s|\Z)", example.text)) == 11
    assert sorted(re.findall(r"(?<=[.!?])\s+", example.text)) == ["\n\n"] * 3 + [" "] * 7


def test_d02_sentence_buffer_at_300_gives_284_224_280_characters(example: Document) -> None:
    cut = chunk(example, "sentence-buffer", size=300)
    assert cut.lengths.tolist() == [284, 224, 280]
    assert round(100 * sum(cut.lengths.tolist()) / 3 / 300) == 88


def test_d02_sentence_buffer_chunks_are_71_56_70_tokens_average_66(example: Document) -> None:
    texts = chunk(example, "sentence-buffer", size=300).texts()
    tokens = [int(chunk(Document.from_text(t), "fixed", size=1000, unit="chars4").lengths[0]) for t in texts]
    assert tokens == [71, 56, 70]
    assert round(sum(tokens) / len(tokens)) == 66


def test_d02_first_chunk_is_a_paragraph_and_two_sentences_more(example: Document) -> None:
    cut = chunk(example, "sentence-buffer", size=300)
    first, second = example.text.split("\n\n")[:2]
    assert cut[0].text.startswith(re.sub(r"(?<=[.!?])\s", "", first))
    assert cut[0].text.endswith("at query time.")
    slices = [example.text[piece.start : piece.end] for piece in cut]
    assert [len(re.findall(r"[.!?](?=\s|\Z)", piece)) for piece in slices] == [4, 3, 4]
    assert second.count("at query time. Small chunk") == 1


def test_d02_each_chunk_closes_because_the_next_sentence_would_pass_300(example: Document) -> None:
    cut = chunk(example, "sentence-buffer", size=300)
    for index in (0, 1):
        following = re.match(r".*?[.!?](?=\s|\Z)", example.text[cut[index + 1].start :], re.DOTALL)
        assert following is not None
        assert len(cut[index].text) + len(following.group()) > 300


def test_d02_fixed_windows_store_891_characters_11_percent_extra(example: Document) -> None:
    cut = chunk(example, "fixed", size=300, overlap="15%")
    assert [(piece.start, piece.end) for piece in cut] == [(0, 300), (255, 555), (510, 801)]
    stored = sum(map(len, cut.texts()))
    assert stored == 891
    assert round(100 * (stored / 801 - 1)) == 11


def test_d02_the_overlap_repeats_the_phrase_in_two_chunks(example: Document) -> None:
    phrase = "context tokens at query time. Small chunk"
    assert sum(phrase in text for text in chunk(example, "fixed", size=300, overlap="15%").texts()) == 2
    assert example.text[259:300] == phrase


# Broken installations


@pytest.mark.parametrize("name", [*samples.DOCUMENTS, samples.QUERIES, samples.WORKED_EXAMPLE])
def test_d01_d02_a_missing_file_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(samples.FOLDER, tmp_path / "sample_data")
    (folder / name).unlink()
    monkeypatch.setattr(samples, "FOLDER", folder)
    with pytest.raises(ValueError, match=re.escape(repr(name))):
        worked_example() if name == samples.WORKED_EXAMPLE else sample_corpus()


def test_d01_a_document_changed_under_its_marks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(samples.FOLDER, tmp_path / "sample_data")
    essay = folder / "lighthouse-optics.txt"
    essay.write_text("One line more.\n\n" + essay.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(samples, "FOLDER", folder)
    with pytest.raises(ValueError, match=r"lighthouse-optics\.txt"):
        sample_corpus()
