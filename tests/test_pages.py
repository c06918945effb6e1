"""Every page through Streamlit's AppTest: what is on screen is what the core says, and nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pages.shared import panels, state
from pages.shared.plain import JOINER, plain
from ragchunk_core import Document, Passage, Query, chunk, compare, evaluate
from ragchunk_core.samples import sample_corpus
from ragchunk_core.settings import PRESETS
from tests.page_driver import go, key_of, labels, opened, put, set_key, unescaped

FOUR = ("fixed", "sentence", "recursive", "markdown")
PAGES = ["documents", "chunks", "retrieval", "distances", "sweep", "guide"]


def test_s06_the_first_screen_compares_four_chunkers_on_the_sample(app):
    """S06, D01, V02: with no click, the table of the sample corpus cut four ways at 400 / 50."""
    shown = app.dataframe[0].value
    documents = list(sample_corpus().documents)
    expected = compare([chunk(documents, name, size=400, overlap=50) for name in FOUR])
    assert labels(shown) == ["Fixed windows", "Sentences", "Recursive", "Markdown headings"]
    for column in ("chunks", "mean", "median", "tokens"):
        assert shown[column].tolist() == expected[column].tolist()
    assert shown["covered"].tolist() == pytest.approx((expected["covered"] * 100).tolist())
    assert shown["stored twice"].tolist() == pytest.approx((expected["duplicated"] * 100).tolist())
    assert shown["overlap tax"].tolist() == expected["overlap_tax"].tolist()


@pytest.mark.parametrize("preset", list(PRESETS))
def test_s02_every_preset_opens_on_the_page_that_shows_it_best(app, preset):
    """S02: all ten, with the settings they name on screen; without documents of one's own the page says what to do."""
    set_key(app, "selectbox", "preset", preset)
    go(app, PRESETS[preset].page)
    assert not app.error
    wanted = PRESETS[preset].settings
    assert app.number_input(key=key_of(app, "size")).value == wanted.size
    assert app.selectbox(key=key_of(app, "unit")).value == wanted.unit
    assert app.selectbox(key=key_of(app, "corpus")).value == wanted.corpus
    assert ("No text yet" in [one.value for one in app.subheader]) == (wanted.corpus == "custom")


@pytest.mark.parametrize("page", PAGES)
def test_s02_a_preset_holds_on_every_page(app, page):
    """S02: the smallest chunks and the largest, on each screen."""
    for preset in ("tiny-chunks", "big-chunks"):
        set_key(app, "selectbox", "preset", preset)
        go(app, page)
        assert not app.error
        assert app.number_input(key=key_of(app, "size")).value == PRESETS[preset].settings.size


def test_s02_the_worked_example_shows_s0s_figures(app):
    """D02, S02: sentence buffer at 300 gives 3 chunks of 224–284; windows store 11 % extra."""
    set_key(app, "selectbox", "preset", "worked-example")
    table = app.dataframe[0].value
    table.index = labels(table)
    assert table.loc["Sentence buffer", "chunks"] == 3
    assert table.loc["Sentence buffer", "range"] == "224–284"
    assert round(table.loc["Sentence buffer", "size used"]) == 88
    assert round(table.loc["Fixed windows", "stored twice"]) == 11
    assert table.loc["Sentences", "chunks"] == 11
    assert table.loc["Paragraphs", "chunks"] == 4


def test_c19_an_overlap_not_below_the_size_is_clamped_and_said(app):
    """C19: the page goes on with size − 1 and says so at once."""
    set_key(app, "number_input", "size", 60)
    set_key(app, "number_input", "overlap", 60)
    assert "The overlap of 60 is not smaller than the size of 60: 59 is used." in [w.value for w in app.warning]
    assert app.dataframe[0].value["chunks"].min() > 0


def test_c02_overlap_in_percent(app):
    """C02: 15 % of 300 is 45, as the core resolves it."""
    set_key(app, "number_input", "size", 300)
    set_key(app, "number_input", "overlap", 15)
    set_key(app, "toggle", "ovpct", True)
    expected = compare([chunk(list(sample_corpus().documents), "fixed", size=300, overlap=45)])
    assert app.dataframe[0].value["chunks"][0] == expected["chunks"][0]


@pytest.mark.parametrize("unit", ["words", "tokens", "cl100k", "o200k", "chars4", "chars38", "wordpieces"])
def test_u01_every_unit_works_on_the_page(app, unit):
    """U01–U07: the table follows the unit."""
    set_key(app, "number_input", "size", 80)
    set_key(app, "number_input", "overlap", 10)
    set_key(app, "selectbox", "unit", unit)
    documents = list(sample_corpus().documents)
    expected = compare([chunk(documents, name, size=80, overlap=10, unit=unit) for name in FOUR])
    assert app.dataframe[0].value["mean"].tolist() == pytest.approx(expected["mean"].tolist())


def test_an_option_out_of_bounds_is_told_and_the_page_goes_on(app):
    """C08: separators that are no list fall back to the usual ones, with the sentence of the core."""
    opened(app, "options_recursive")
    set_key(app, "text_input", "seps", '"just a string"')
    assert any("separators" in unescaped(w) and "must be a list" in unescaped(w) for w in app.warning)
    set_key(app, "text_input", "seps", '["\\n\\n", ""]')
    assert not app.warning
    expected = chunk(list(sample_corpus().documents), "recursive", size=400, overlap=50, separators=("\n\n", ""))
    assert app.dataframe[0].value["chunks"][2] == sum(len(c) for c in expected)
    app.session_state["options_recursive"] = False
    go(app, "documents")
    go(app, "chunks")
    assert app.dataframe[0].value["chunks"][2] == sum(len(c) for c in expected), "kept while its widget is hidden"


def metric_columns(frame, k):
    return frame[f"recall@{k}"], frame["MRR"], frame[f"context@{k}"], frame["precision"]


@pytest.mark.parametrize(("k", "theta"), [(5, 0.5), (1, 1.0), (10, 0.0)])
def test_r06_the_retrieval_table_is_what_evaluate_says(app, k, theta):
    """R01, R02, R03, R06, R17: every chunker under BM25, embeddings and hybrid; k and θ are followed."""
    go(app, "retrieval")
    set_key(app, "number_input", "k", k)
    put(app, theta=theta)
    app.run()
    corpus = sample_corpus()
    settings = [(name, {"size": 400, "overlap": 50}) for name in FOUR]
    expected = evaluate(corpus.documents, corpus.queries, settings, k=k, theta=theta)
    shown = app.dataframe[0].value
    assert shown["method"].tolist() == ["BM25", "Embeddings", "Hybrid"] * 4
    recall, mrr, context, precision = metric_columns(shown, k)
    assert recall.tolist() == pytest.approx(expected["recall"].tolist())
    assert mrr.tolist() == pytest.approx(expected["mrr"].tolist())
    assert context.tolist() == pytest.approx(expected["context"].tolist())
    assert precision.tolist() == pytest.approx((expected["precision"] * 100).tolist())
    assert shown["ceiling"].tolist() == pytest.approx(expected["ceiling"].tolist())


def test_r01_okapi_and_the_standard_analyzer(app):
    """R01: Okapi as rank-bm25 computes it is one click away; so is the standard analyzer."""
    go(app, "retrieval")
    put(app, method="okapi")
    app.run()
    corpus = sample_corpus()
    settings = [(name, {"size": 400, "overlap": 50}) for name in FOUR]
    expected = evaluate(corpus.documents, corpus.queries, settings, ["okapi"])
    assert app.dataframe[0].value["recall@5"].tolist() == pytest.approx(expected["recall"].tolist())
    put(app, method="bm25")
    opened(app, "more")
    set_key(app, "selectbox", "an", "standard")
    standard = evaluate(corpus.documents, corpus.queries, settings, ["bm25"], analyzer="standard")
    assert app.dataframe[0].value["MRR"].tolist() == pytest.approx(standard["mrr"].tolist())


def test_r04_marks_are_added_undone_and_counted(app):
    """R04: a new query, a passage marked for it, unmarked, undone; the means follow."""
    go(app, "retrieval")
    app.text_input(key="ask_text").set_value("Which oil burned?")
    next(b for b in app.button if b.label == "Add query").click().run()
    assert not app.exception
    assert len(app.session_state["workspace"].corpora["sample"].queries) == 12
    assert "Means over 11 judged queries" in " ".join(c.value for c in app.caption)
    document = sample_corpus().documents[1]
    with_mark = app.session_state["workspace"]
    assert with_mark.undo[-1][0].startswith("added the query")
    query = with_mark.corpora["sample"].queries[11]
    marked = type(query)(query.text, (Passage(document.id, 10, 90),))
    corpus = with_mark.corpora["sample"]
    with_mark.corpora["sample"] = type(corpus)(corpus.documents, (*corpus.queries[:11], marked))
    app.run()
    assert "Means over 12 judged queries" in " ".join(c.value for c in app.caption)
    app.button(key="unmark_0").click().run()
    assert "Means over 11 judged queries" in " ".join(c.value for c in app.caption)
    app.button(key="undo").click().run()
    assert "Means over 12 judged queries" in " ".join(c.value for c in app.caption)
    app.button(key="redo").click().run()
    assert "Means over 11 judged queries" in " ".join(c.value for c in app.caption)


def test_a_query_with_no_words_is_refused(app):
    """One clear sentence; nothing is added."""
    go(app, "retrieval")
    app.text_input(key="ask_text").set_value(" ?! ")
    next(b for b in app.button if b.label == "Add query").click().run()
    assert "The query has no words" in app.error[0].value
    assert len(app.session_state["workspace"].corpora["sample"].queries) == 11


@pytest.mark.parametrize(
    ("event", "passage"),
    [
        ({"start": 2, "end": 5, "quote": "cde"}, (2, 5)),
        ({"start": 5, "end": 2, "quote": ""}, None),
        ({"start": -1, "end": 2, "quote": "ab"}, None),
        ({"start": 0, "end": 99, "quote": "abcdef"}, None),
        ({"start": "0", "end": 2, "quote": "ab"}, None),
        ({"start": 0, "end": 2, "quote": "xy"}, None),
        ({}, None),
    ],
)
def test_r04_what_the_browser_reports_is_checked_against_the_text(event, passage):
    """R04: offsets that are no range of the text, or whose quote differs, mark nothing."""
    made = panels.passage_from_event(Document.from_text("abcdef"), event)
    assert (made and (made.start, made.end)) == passage


def test_d03_files_are_added_and_bad_ones_told_about(app):
    """D03: several at once; one unreadable file loses none of the others."""
    go(app, "documents")
    uploader = app.file_uploader(key="upload_0")
    uploader.upload("one.md", b"# One\n\nText of one.\n")
    uploader.upload("two.txt", "Zwei é 東京".encode())
    uploader.upload("three.html", b"<html><body><h1>Three</h1><p>Body &amp; soul</p><script>x()</script></body></html>")
    uploader.upload("empty.txt", b"")
    uploader.upload("broken.pdf", b"%PDF-1.7 nothing here")
    app.run()
    assert not app.exception, app.exception
    own = app.session_state["workspace"].corpora["custom"]
    assert [d.name for d in own.documents] == ["one.md", "two.txt", "three.html"]
    assert own.documents[2].text == "# Three\n\nBody & soul"
    assert {"empty.txt", "broken.pdf"} == {
        name for name in ("empty.txt", "broken.pdf") for e in app.error if name in unescaped(e)
    }
    assert app.session_state["corpus"] == "custom"
    go(app, "chunks")
    assert app.dataframe[0].value["chunks"].min() >= 3


def test_d03_documents_are_renamed_moved_removed_and_brought_back(app):
    """D03: rename, reorder, remove; a removal takes its passages along and is undone whole."""
    go(app, "documents")
    corpus = sample_corpus()
    first, second = corpus.documents[0], corpus.documents[1]
    opened(app, f"actions_{first.id}")
    app.text_input(key=f"rename_{first.id}").set_value("Handbook").run()
    app.button(key=f"down_{first.id}").click().run()
    now = app.session_state["workspace"].corpora["sample"]
    assert [d.name for d in now.documents] == [second.name, "Handbook", corpus.documents[2].name]
    app.button(key=f"remove_{first.id}").click().run()
    now = app.session_state["workspace"].corpora["sample"]
    assert first.id not in {p.document for q in now.queries for p in q.passages}
    app.button(key="undo").click().run()
    now = app.session_state["workspace"].corpora["sample"]
    assert [q.passages for q in now.queries] == [q.passages for q in corpus.queries]


def test_d03_the_same_text_twice_is_noticed(app):
    """D03: the second copy is not added, and said so."""
    go(app, "documents")
    app.file_uploader(key="upload_0").upload("a.txt", b"same")
    app.run()
    app.file_uploader(key="upload_1").upload("b.txt", b"same")
    app.run()
    assert len(app.session_state["workspace"].corpora["custom"].documents) == 1
    assert any("b.txt holds the same text as a.txt" in unescaped(i) for i in app.info)


@pytest.mark.parametrize("page", ["chunks", "retrieval", "distances"])
def test_a_corpus_with_no_text_shows_the_way_out(app, page):
    """Bad input: an empty corpus, and one of white space, end in a sentence and two ways on."""
    set_key(app, "selectbox", "corpus", "custom")
    go(app, page)
    assert app.subheader[0].value == "No text yet"
    app.session_state["workspace"].corpora["custom"] = state.Corpus((Document.from_text(" \n "),))
    app.run()
    assert app.subheader[0].value == "No text yet"


def test_two_equal_queries_and_names_do_not_clash(app):
    """Case ui-12: widgets are told apart by place and content, not by words."""
    corpus = state.Corpus(
        (Document.from_text("Text one.", name="same"), Document.from_text("Text two.", name="same")),
        (Query("same query"), Query("same query")),
    )
    app.session_state["workspace"].corpora["custom"] = corpus
    set_key(app, "selectbox", "corpus", "custom")
    for page in PAGES:
        go(app, page)


def test_settings_are_the_same_on_every_page(app):
    """Cases ui-01, ui-02: what was set on one page holds on the next and is there on return."""
    set_key(app, "number_input", "size", 250)
    go(app, "retrieval")
    set_key(app, "number_input", "k", 3)
    assert app.number_input(key=key_of(app, "size")).value == 250
    go(app, "distances")
    go(app, "retrieval")
    assert app.number_input(key=key_of(app, "k")).value == 3
    assert app.number_input(key=key_of(app, "size")).value == 250


def test_c14_the_distances_page_follows_rule_and_amount(app):
    """C14, V03: the sentence above the chart counts the core's own cuts."""
    go(app, "distances")
    document = sample_corpus().documents[0]
    for rule, amount in [
        ("percentile", 80.0),
        ("standard_deviation", 1.0),
        ("interquartile", 0.5),
        ("gradient", 90.0),
    ]:
        set_key(app, "selectbox", "sem", rule)
        set_key(app, "slider", "amt", amount)
        made = chunk(document, "semantic", threshold=rule, amount=amount)
        assert f"**{len(made) - 1} cuts**" in " ".join(m.value for m in app.markdown)


def test_v01_a_chunk_alone_shows_its_text_and_offsets(app):
    """V01, V04: the chosen chunk's code points and UTF-8 bytes."""
    document = sample_corpus().documents[0]
    made = chunk(document, "recursive", size=400, overlap=50)
    app.session_state["selected"] = (panels.version_of(made), 3)
    app.run()
    one = made[3]
    facts = " ".join(c.value for c in app.caption)
    assert f"code points {one.start:,}–{one.end:,}" in facts
    first = len(document.text[: one.start].encode())
    assert f"bytes {first:,}–{first + len(one.text.encode()):,}" in facts
    assert app.code[0].value == one.text


def test_r02_embedding_can_be_stopped_and_taken_up_again(app):
    """Long work can be cancelled: without embeddings the page shows keyword search and the way back."""
    put(app, emb=False)
    go(app, "retrieval")
    assert app.dataframe[0].value["method"].tolist() == ["BM25"] * 4
    app.button(key="embed_again").click().run()
    assert app.dataframe[0].value["method"].tolist() == ["BM25", "Embeddings", "Hybrid"] * 4


@pytest.mark.parametrize("page", ["chunks", "retrieval", "distances"])
def test_r02_a_model_that_is_not_there_ends_in_a_sentence(app, page):
    """R02: a name that cannot be loaded is told about on every page that embeds; the way back works."""
    put(app, model="/no/such/folder")
    put(app, on=["recursive", "semantic"])
    go(app, page)
    assert "/no/such/folder" in unescaped(app.error[0])
    if page == "chunks":
        assert labels(app.dataframe[0].value) == ["Recursive"]
    if page == "retrieval":
        assert app.dataframe[0].value["method"].tolist() == ["BM25"]
    put(app, model="")
    app.run()
    assert not app.error


@given(text=st.text(alphabet="a *_`#[]()!<>$:|~\\&^=+-.{}\"'\n", max_size=40))
def test_text_that_is_not_ours_comes_through_markdown_letter_for_letter(text):
    """Case ui-10: what CommonMark makes of an escaped text is the text, and nothing but the text."""
    tokens = MarkdownIt("commonmark").parse(plain(text))
    children = [child for token in tokens for child in token.children or []]
    assert {child.type for child in children} <= {"text", "text_special"}
    assert "".join(child.content for child in children).replace(JOINER, "") == " ".join(text.split())


@pytest.mark.parametrize("page", ["chunks", "distances"])
def test_c14_embedding_sentences_can_be_stopped_and_taken_up_again(app, page):
    """C14, manners: the page goes on without the chunkers that need the vectors, and says so."""
    name = "custom"
    text = f"A bell rang in {page}. Nobody came that night. The lamp went out again. Two ships passed by slowly."
    app.session_state["workspace"].corpora[name] = state.Corpus((Document.from_text(text, name="bell.txt"),))
    put(app, corpus=name, on=["recursive", "semantic"])
    app.session_state["sentences_stopped"] = True
    go(app, page)
    assert any("Embedding was stopped: there are no semantic breakpoints" in one.value for one in app.caption)
    if page == "chunks":
        assert labels(app.dataframe[0].value) == ["Recursive"]
    app.button(key="sentences_again").click().run()
    assert not app.exception
    assert not [one for one in app.caption if "was stopped" in one.value]
    if page == "chunks":
        assert labels(app.dataframe[0].value) == ["Recursive", "Semantic breakpoints"]


def test_s02_a_preset_says_where_it_is_best_seen(app):
    """S02: a link to the page, while another one is on screen."""
    set_key(app, "selectbox", "preset", "tiny-chunks")
    assert [link.proto.label for link in app.get("page_link")] == ["Best seen on Retrieval →"]
    go(app, "retrieval")
    assert not app.get("page_link")
