"""R08: the scores and figures of Chroma's "Evaluating Chunking Strategies for Retrieval"."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from ragchunk_core import Corpus, Document, Passage, Query, chunk
from ragchunk_core.__main__ import main
from ragchunk_core.chroma_data import read_chroma_folder
from ragchunk_core.chroma_metrics import character_scores, mean_and_deviation, precision_omega
from ragchunk_core.chroma_table import MINILM_ROWS, OMEGA_ROWS, Setting, cut, found_places, omega_row
from ragchunk_core.embedders import load_embedder
from ragchunk_core.judging import Pool
from ragchunk_core.retrievers.dense import dense_rankings
from ragchunk_core.retrievers.rankings import Rankings


@pytest.fixture(scope="module")
def corpus(shared_data):
    """Chroma's five corpora and 472 questions."""
    return read_chroma_folder(shared_data / "chroma")


def points(spans):
    """(document, offset) of every character of ``(document, start, end)`` spans."""
    return {(document, at) for document, start, end in spans for at in range(start, end)}


def slow_scores(chunks, passages, ranking, k):
    """Recall, precision and IoU of one query by sets of characters; chunks and passages as in ``points``."""
    top = [chunks[number] for number in ranking[:k]]
    marked, found = points(passages), points(top) & points(passages)
    retrieved = sum(end - start for _, start, end in top)
    return (
        len(found) / len(marked),
        len(found) / retrieved if retrieved else 0.0,
        len(found) / (retrieved + len(marked - found)),
    )


def slow_omega(chunks, passages, end_to_end):
    """Precision Ω of one query by sets of characters; for ranges that touch end to end both grow by a character."""

    def touch(one, other):
        if one[0] != other[0]:
            return False
        wide = [(one[0], one[1], one[2] + end_to_end), (other[0], other[1], other[2] + end_to_end)]
        return bool(points(wide[:1]) & points(wide[1:]))

    near = [one for one in chunks if any(touch(one, passage) for passage in passages)]
    return len(points(near) & points(passages)) / len(points(near) | points(passages))


@given(seed=st.integers(0, 2**32 - 1), end_to_end=st.booleans(), k=st.integers(1, 6))
def test_r08_scores_equal_a_count_by_sets_of_characters(seed, end_to_end, k):
    """R08: overlapping chunks, several documents, passages that no chunk holds, queries without passages."""
    rng = np.random.default_rng(seed)
    documents = [Document.from_text("ab cd ef. " * n, name=str(n)) for n in (6, 4)]
    size = int(rng.integers(2, 25))
    pool = Pool(tuple(chunk(documents, "recursive", size=size, overlap=int(rng.integers(0, size)))))
    queries = [Query("none")]
    for _ in range(3):
        edges = np.sort(rng.choice(40, size=6, replace=False)).reshape(3, 2).tolist()
        own = [Passage(documents[rng.integers(2)].id, start, end) for start, end in edges[: rng.integers(1, 4)]]
        queries.append(Query("q", tuple(own)))
    ids = tuple(rng.permutation(len(pool))[: rng.integers(0, len(pool) + 1)] for _ in queries)
    rankings = Rankings(ids, tuple(np.linspace(1, 0, len(one)) for one in ids))
    chunks = [(one.document.id, c.start, c.end) for one in pool.chunkings for c in one]
    made = character_scores(pool, rankings, queries, k)
    omega = precision_omega(pool, queries, end_to_end=end_to_end)
    for row, (query, ranking) in enumerate(zip(queries[1:], ids[1:], strict=True)):
        passages = [(p.document, p.start, p.end) for p in query.passages]
        expected = slow_scores(chunks, passages, ranking.tolist(), k)
        assert (made.recall[row], made.precision[row], made.iou[row]) == pytest.approx(expected)
        assert omega[row] == pytest.approx(slow_omega(chunks, passages, end_to_end))


def test_r08_scores_by_hand():
    """R08: windows of 10; "cdefghijkl" is marked; retrieved are its first window and one of the other document."""
    one, other = Document.from_text("abcdefghij" * 3), Document.from_text("z" * 30)
    pool = Pool(tuple(chunk([one, other], "fixed", size=10)))
    queries = [Query("q", (Passage(one.id, 2, 12),))]
    made = character_scores(pool, Rankings((np.array([0, 4]),), (np.array([1.0, 0.5]),)), queries, 2)
    assert (made.recall[0], made.precision[0], made.iou[0]) == (0.8, 8 / 20, 8 / 22)
    assert precision_omega(pool, queries).tolist() == [0.5]
    aside = [Query("q", (Passage(one.id, 2, 10),))]  # ends where the second window starts
    assert precision_omega(pool, aside).tolist() == [0.8]
    assert precision_omega(pool, aside, end_to_end=True).tolist() == [0.4]
    assert mean_and_deviation(np.array([1.0, 3.0])) == (2.0, 1.0)  # divided by 2, not by 1


@pytest.mark.parametrize("k", [0, -1])
def test_r08_k_below_one_is_refused(k):
    """R08: with a sentence."""
    with pytest.raises(ValueError, match=f"k is {k}; it must be 1 or more"):
        character_scores(Pool(()), Rankings((), ()), [], k)


@pytest.mark.parametrize("setting", OMEGA_ROWS, ids=lambda s: f"{s.chunker}-{s.size}-{s.overlap}")
def test_r08_the_eight_figures_without_a_model_are_met_to_rounding(corpus, setting):
    """R08: precision Ω, recursive and token windows, as the report prints it."""
    as_published, _ = omega_row(corpus, setting)
    assert round(as_published, 1) == OMEGA_ROWS[setting]


def test_r08_the_published_figures_need_the_two_habits_of_its_code(corpus):
    """R08: what end-to-end touching does to recursive 200/0, and first places to token windows of 200."""
    recursive, windows = cut(corpus, Setting("recursive", 200)), cut(corpus, Setting("fixed", 200))
    touching = [100 * precision_omega(recursive, corpus.queries, end_to_end=flag).mean() for flag in (True, False)]
    assert round(touching[0], 1) == OMEGA_ROWS[Setting("recursive", 200)] == 29.9
    assert touching[1] > 30.5
    assert 100 * precision_omega(windows, corpus.queries, end_to_end=True).mean() > 21.3  # published: 21.0
    pool = cut(corpus, Setting("fixed", 400))
    texts = [
        (one.document.text, text, start)
        for one in pool.chunkings
        for text, start in zip(one.texts(), one.starts, strict=True)
    ]
    assert (len(texts), sum(text.find(own) < start for text, own, start in texts)) == (824, 95)
    assert int((found_places(pool).starts < pool.starts).sum()) == 95


@pytest.fixture(scope="module")
def small(corpus):
    """The first 16,000 characters of two corpora, and the questions whose passages all lie there."""
    own = [one for one in corpus.documents if one.name in ("state_of_the_union.md", "chatlogs.md")]
    cut_off = {one.id: Document.from_text(one.text[:16_000], name=one.name) for one in own}
    queries = [
        Query(one.text, tuple(Passage(cut_off[p.document].id, p.start, p.end) for p in one.passages))
        for one in corpus.queries
        if all(p.document in cut_off and p.end <= 16_000 for p in one.passages)
    ]
    return Corpus(tuple(cut_off.values()), tuple(queries))


def test_r08_a_row_under_minilm_equals_an_independent_run(small):
    """R08: LangChain cuts, sentence-transformers embeds, NumPy ranks; counted by sets of characters."""
    setting, embedder = Setting("recursive", 250), load_embedder(dtype="float32")
    model = embedder.load()
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=250,
        chunk_overlap=0,
        separators=["\n\n", "\n", ".", "?", "!", " ", ""],
        length_function=lambda text: len(model.tokenizer.encode(text, verbose=False)),
    )
    texts, chunks = [], []
    for document in small.documents:
        after = 0
        for text in splitter.split_text(document.text):
            after = document.text.index(text, after) + len(text)
            texts.append(text)
            chunks.append((document.id, after - len(text), after))
    questions = [query.text for query in small.queries]
    cosines = model.encode(questions, normalize_embeddings=True) @ model.encode(texts, normalize_embeddings=True).T
    expected = []
    for query, row in zip(small.queries, cosines, strict=True):
        passages = [(p.document, p.start, p.end) for p in query.passages]
        top = np.argsort(-row, kind="stable").tolist()
        recall, precision, iou = slow_scores(chunks, passages, top, 5)
        expected.append((recall, precision, slow_omega(chunks, passages, True), iou))

    pool = cut(small, setting, embedder)
    assert pool.indexed_texts() == texts
    rankings = dense_rankings(embedder.encode(pool.indexed_texts()), embedder.encode(questions, role="query"), 5)
    made = character_scores(pool, rankings, small.queries, 5)
    omega = precision_omega(pool, small.queries, end_to_end=True)
    columns = np.stack([made.recall, made.precision, omega, made.iou], axis=1)
    assert columns == pytest.approx(np.array(expected))
    assert len(columns) > 20
    assert 0.5 < columns[:, 0].mean() < 1.0


def test_r08_the_question_file_is_read_whole(corpus):
    """R08: five corpora, 472 questions, 790 passages; every passage is the text that the file quotes."""
    lengths = {document.name: len(document) for document in corpus.documents}
    assert lengths == {
        "state_of_the_union.md": 48_051,
        "wikitexts.md": 118_372,
        "chatlogs.md": 40_000,
        "finance.md": 737_905,
        "pubmed.md": 500_000,
    }
    assert (len(corpus.queries), sum(len(query.passages) for query in corpus.queries)) == (472, 790)
    first = corpus.queries[0].passages[0]
    quoted = "My administration announced we’re cutting credit card late fees from $32 to $8."
    assert corpus.documents[0].text[first.start : first.end] == quoted


@pytest.mark.parametrize(
    ("header", "name", "references", "message"),
    [
        ("question,answers,corpus_id", "a", "[]", "lacks the columns references"),
        ("question,references,corpus_id", "b", "[]", "question 1: corpus_id is 'b', but b.md is not in the folder"),
        ("question,references,corpus_id", "../a", "[]", "corpus_id is '../a', but"),
        ("question,references,corpus_id", "a", "{", "references must be a JSON list"),
        ("question,references,corpus_id", "a", '[{""content"": ""x""}]', "references must be a JSON list"),
        (
            "question,references,corpus_id",
            "a",
            '[{""content"": ""other"", ""start_index"": 0, ""end_index"": 5}]',
            "the text of a.md from 0 to 5 is not 'other'",
        ),
    ],
)
def test_r08_a_bad_question_file_is_told_in_one_sentence(tmp_path, capsys, header, name, references, message):
    """R08, S03: the error says where and what; the command ends with 2."""
    (tmp_path / "a.md").write_text("Some text.", encoding="utf-8")
    (tmp_path / "questions_df.csv").write_text(f'{header}\nq,"{references}",{name}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_chroma_folder(tmp_path)
    assert main(["chroma-table", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_r08_a_folder_without_questions_is_refused(tmp_path):
    """R08: with a sentence that names the file."""
    with pytest.raises(ValueError, match="it must hold a file questions_df"):
        read_chroma_folder(tmp_path)


def test_r08_the_command_prints_ours_beside_the_published_figures(tmp_path, capsys):
    """R08, S03: on a small folder, both parts, every row there."""
    text = "Storks nest on the tower. They return in April. " * 10
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    references = json.dumps([{"content": text[:24], "start_index": 0, "end_index": 24}]).replace('"', '""')
    rows = f'question,references,corpus_id\nWhere do storks nest?,"{references}",a\n'
    (tmp_path / "questions_df.csv").write_text(rows, encoding="utf-8")
    assert main(["chroma-table", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "1 documents, 1 questions, 1 passages" in printed
    for omega in OMEGA_ROWS.values():
        assert f"published{omega:10.1f}" in printed
    for row in MINILM_ROWS.values():
        assert f"{row.recall} ± {row.recall_sd}" in printed
