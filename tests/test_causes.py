"""R11, R17: why an answer was missed, in cases made by hand; and losses that add up to what the metrics say."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, Passage, Query, chunk
from ragchunk_core.causes import CAUSES, losses, misses
from ragchunk_core.chunking import Chunking
from ragchunk_core.embedders import load_embedder
from ragchunk_core.evaluation import rank, score
from ragchunk_core.judging import Pool, judge
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.samples import sample_corpus
from ragchunk_core.spans import as_offsets
from ragchunk_core.truncation import read_ends
from ragchunk_core.wordpieces import word_pieces

A = Document.from_text("a" * 100, name="a.txt")
B = Document.from_text("b" * 100, name="b.txt")


def cut(document, *spans):
    starts, ends = (as_offsets([span[side] for span in spans]) for side in (0, 1))
    return Chunking(document, "by hand", 100, 0, "chars", None, starts, ends)


TENS = Pool(tuple(cut(d, *((at, at + 10) for at in range(0, 100, 10))) for d in (A, B)))  # chunks 0–9 of a, 10–19 of b


def of(pool, order, passages, k=2, theta=0.5, method="bm25", read=None):
    """The misses of one query with these passages, for chunks ranked in this order."""
    query = Query("why", tuple(passages))
    ids = np.array(order, dtype=np.int64)
    ranking = Rankings((ids,), (np.linspace(9, 1, len(ids)),))
    return misses(pool, ranking, [query], [judge(pool, query, theta)], k=k, theta=theta, method=method, read_ends=read)


def only(*args, **more):
    (found,) = of(*args, **more)
    return found


def test_r11_what_is_in_the_top_k_is_no_miss():
    """R11: any chunk that answers, at any rank up to k."""
    assert of(TENS, [5, 1, 2], [Passage(A.id, 10, 20)]) == []
    assert of(TENS, [5, 2, 1], [Passage(A.id, 10, 20)], k=3) == []
    assert len(of(TENS, [5, 2, 1], [Passage(A.id, 10, 20)])) == 1


def test_r11_answer_in_no_chunk():
    """R11: white space that was dropped, or a heading alone, holds the answer."""
    pool = Pool((cut(A, (0, 40), (60, 100)),))
    found = only(pool, [0, 1], [Passage(A.id, 40, 60)])
    assert (found.cause.name, found.cause.loss, found.chunk, found.share, found.rank) == (
        "in-no-chunk",
        "cut",
        None,
        0,
        0,
    )
    assert found.sentence == "The answer, characters 40 to 60 of a.txt, is in no chunk: the chunker left that text out."


def test_r11_the_document_is_not_there():
    """R11: a passage of a document that was removed."""
    found = only(Pool((cut(A, (0, 100)),)), [0], [Passage(B.id, 0, 5)])
    assert (found.cause.name, found.cause.loss, found.chunk) == ("no-document", "cut", None)


def test_r11_half_the_answer_chunks_are_too_small():
    """R11, s4: the answer is cut in two; the larger part is named, and the part that came back."""
    found = only(TENS, [2, 7, 1], [Passage(A.id, 16, 29)], theta=1.0)
    assert (found.cause.name, found.cause.loss, found.chunk, found.rank) == ("too-small", "cut", 2, 0)
    assert found.share == pytest.approx(9 / 13)
    assert found.sentence == (
        "No chunk holds all of the answer's 13 characters: a cut falls inside it, and chunk 3 of a.txt holds the most, "
        "69%; the part in chunk 3 of a.txt came back at rank 1. Chunks are too small for it, or cut in the wrong place."
    )
    spread = only(TENS, [15, 16], [Passage(A.id, 5, 45)])
    assert "No chunk holds at least 50% of the answer's 40 characters: 4 chunk edges fall inside it" in spread.sentence
    assert "came back" not in spread.sentence
    assert (spread.chunk, spread.share) == (1, 0.25)  # of chunks that hold equally much, the earlier


def test_r11_answer_beyond_the_models_limit():
    """R11: the chunk holds it, the model stops before; a chunk that is read is enough to look elsewhere."""
    pool = Pool((cut(A, (0, 50), (40, 100)), cut(B, (0, 100))))
    passage = Passage(A.id, 40, 50)
    unread = only(pool, [2, 1, 0], [passage], k=1, method="emb", read=as_offsets([44, 44, 100]))
    assert (unread.cause.name, unread.cause.loss, unread.chunk, unread.rank) == ("beyond-limit", "limit", 1, 2)
    assert unread.sentence == (
        "The answer stands in chunk 2 of a.txt, but of that chunk's 60 characters the embedding model reads only the "
        "first 4, and of the answer 40%."
    )
    half = only(pool, [2, 1, 0], [passage], k=1, method="emb", read=as_offsets([45, 44, 100]))
    assert half.cause.name == "just-below"
    some = only(pool, [2, 1, 0], [passage], k=1, theta=0.0, method="emb", read=as_offsets([41, 40, 100]))
    assert some.cause.name == "just-below"
    none = only(pool, [2, 1, 0], [passage], k=1, theta=0.0, method="emb", read=as_offsets([40, 40, 100]))
    assert none.cause.name == "beyond-limit"


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("bm25", "shares no word"),
        ("okapi", "shares no word"),
        ("emb", "has no vector"),
        ("hybrid", "none of the fused"),
    ],
)
def test_r11_not_found_at_all(method, said):
    """R11: a chunk that answers is not in the ranking."""
    found = only(TENS, [5, 6, 7], [Passage(A.id, 10, 20)], method=method)
    assert (found.cause.name, found.cause.loss, found.chunk, found.rank) == ("not-found", "ranking", 1, 0)
    assert found.sentence.startswith("chunk 2 of a.txt answers, but")
    assert said in found.sentence


def test_r11_ranked_just_below_k():
    """R11: from k + 1 to 2 k; what took its place is named."""
    found = only(TENS, [15, 5, 7, 1, 3], [Passage(A.id, 10, 20)])
    assert (found.cause.name, found.cause.loss, found.rank, found.ahead) == ("just-below", "ranking", 4, (15, 5))
    assert found.sentence == (
        "chunk 2 of a.txt answers, at rank 4 (score 3), just below k = 2: the last in the top 2 is chunk 6 of a.txt "
        "(score 7)."
    )


def test_r11_right_document_wrong_place_chunks_are_too_large():
    """R11, s4: below 2 k, with another chunk of the same document in the top k."""
    found = only(TENS, [15, 5, 7, 8, 1], [Passage(A.id, 10, 20)])
    assert (found.cause.name, found.cause.loss, found.rank) == ("too-large", "ranking", 5)
    assert "The right document is there, but the wrong place of it: chunk 6 of a.txt at rank 2." in found.sentence


def test_r11_outranked_by_other_documents():
    """R11: below 2 k, and nothing of its document in the top k; in a corpus of one document that says nothing."""
    found = only(TENS, [15, 16, 7, 8, 1], [Passage(A.id, 10, 20)])
    assert (found.cause.name, found.cause.loss) == ("outranked", "ranking")
    assert found.sentence == (
        "chunk 2 of a.txt answers, at rank 5 (score 1), beaten by 4 others: the last in the top 2 is chunk 7 of b.txt "
        "(score 7)."
    )
    alone = Pool(TENS.chunkings[:1])
    assert only(alone, [5, 6, 7, 8, 1], [Passage(A.id, 10, 20)]).cause.name == "outranked"


def test_r11_the_best_ranked_of_several_answers_is_told():
    """R11: overlapping chunks; and each passage of a query by itself, unjudged queries not at all."""
    pool = Pool((cut(A, (0, 30), (10, 40), (20, 50)), cut(B, (0, 100))))
    found = only(pool, [3, 2, 0, 1], [Passage(A.id, 20, 30)], k=1)
    assert (found.chunk, found.rank) == (2, 2)
    two = of(pool, [3, 2, 0, 1], [Passage(A.id, 20, 30), Passage(B.id, 0, 9), Passage(A.id, 60, 70)], k=1)
    assert [(one.query, one.passage, one.cause.name) for one in two] == [(0, 0, "just-below"), (0, 2, "in-no-chunk")]
    assert of(pool, [3], []) == []


def test_r11_names_in_sentences_are_plain_text():
    """R11: a document's name is repeated as it is; what shows it must escape it."""
    hostile = dataclasses.replace(A, name="<b>*x*</b>")
    assert "<b>*x*</b>" in only(Pool((cut(hostile, (0, 40)),)), [0], [Passage(A.id, 50, 60)]).sentence


def test_r11_unsound_arguments_are_refused():
    with pytest.raises(ValueError, match="k is 0"):
        of(TENS, [1], [Passage(A.id, 0, 5)], k=0)
    with pytest.raises(ValueError, match="There are 1 queries, 1 rankings and 0 judgements"):
        misses(TENS, Rankings.of([(as_offsets([]), np.zeros(0))]), [Query("x")], [], k=1, theta=0.5, method="bm25")


def test_r11_every_cause_says_what_it_means():
    assert {cause.loss for cause in CAUSES.values()} == {"cut", "limit", "ranking"}
    assert all(cause.definition.endswith(".") for cause in CAUSES.values())


# R17: losses


@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("method", ["bm25", "emb", "hybrid"])
def test_r17_losses_are_what_recall_and_ceiling_leave(method, k, theta):
    """R17: found is recall, the cut loses what the ceiling lacks, and with the rest they make 1."""
    corpus = sample_corpus()
    for chunker, size in (("fixed", 120), ("recursive", 400), ("markdown", 3_000)):
        pool = Pool(tuple(chunk(list(corpus.documents), chunker, size=size)))
        rankings = rank(pool, [query.text for query in corpus.queries], method)
        judgements = [judge(pool, query, theta) for query in corpus.queries]
        read = read_ends(pool) if method != "bm25" else None
        found = misses(pool, rankings, corpus.queries, judgements, k=k, theta=theta, method=method, read_ends=read)
        told = losses(found, corpus.queries)
        means = score(pool, rankings, corpus.queries, k, theta).means()
        assert told.found == pytest.approx(means["recall"])
        assert told.cut == pytest.approx(1 - means["ceiling"])
        assert sum(dataclasses.astuple(told)) == pytest.approx(1)
        assert told.limit == 0 or size == 3_000
        assert len({(one.query, one.passage) for one in found}) == len(found)


def test_r17_the_sample_shows_a_loss_of_each_kind():
    """R17: tiny chunks lose by the cut, whole documents by the model's limit, a paraphrase by BM25's words."""
    corpus = sample_corpus()
    texts = [query.text for query in corpus.queries]

    def names(chunker, size, method, theta, read):
        pool = Pool(tuple(chunk(list(corpus.documents), chunker, size=size)))
        judged = [judge(pool, query, theta) for query in corpus.queries]
        found = misses(
            pool, rank(pool, texts, method), corpus.queries, judged, k=2, theta=theta, method=method,
            read_ends=read_ends(pool) if read else None,
        )  # fmt: skip
        return {texts[one.query]: one.cause.name for one in found}

    assert "too-small" in names("recursive", 120, "bm25", 1.0, False).values()
    assert "beyond-limit" in names("recursive", 5_000, "emb", 0.5, True).values()
    assert names("recursive", 400, "bm25", 0.5, False)["Did toxic fumes make anyone ill?"] == "not-found"


def test_r17_nothing_judged_nothing_lost():
    told = losses([], [Query("x")])
    assert all(np.isnan(value) for value in dataclasses.astuple(told))


# What the model reads


def test_r18_where_the_model_stops_reading():
    """R18: 254 words of one piece each; the context is read first; what fits is read to its end."""
    text = "word " * 300
    document = Document.from_text(text)
    assert word_pieces().counts(["word " * 254], special=True).tolist() == [256]
    plain = Pool((cut(document, (0, 5 * 254), (5 * 254, 1_500), (0, 1_500), (5, 1_500)),))
    assert read_ends(plain).tolist() == [5 * 254, 1_500, 5 * 254, 5 + 5 * 254]
    with_context = dataclasses.replace(cut(document, (0, 1_500)), contexts=("two words",))
    assert read_ends(Pool((with_context,))).tolist() == [5 * 252]
    swamped = dataclasses.replace(cut(document, (0, 1_500)), contexts=("word " * 400,))
    assert read_ends(Pool((swamped,))).tolist() == [0]
    assert read_ends(plain, limit=12)[2] == 50
    known = load_embedder().counts(plain.indexed_texts())
    assert read_ends(plain, counts=known).tolist() == read_ends(plain).tolist()


def test_r18_chunks_that_are_no_slices():
    """R18: the sentence buffer's joined text is read to the same word of the document."""
    text = "Ab cd.   Ef gh.\n\n\nIj kl.  Mn op."
    made = chunk(Document.from_text(text), "sentence-buffer", size=100)
    assert made.texts() == ["Ab cd.Ef gh.Ij kl.Mn op."]
    pieces = word_pieces()
    for limit in range(3, 20):
        whole = int(pieces.starts(made.texts()[0])[limit - 2]) if limit - 2 < pieces.counts(made.texts())[0] else None
        unread = "" if whole is None else made.texts()[0][whole:]
        (end,) = read_ends(Pool((made,)), limit=limit).tolist()
        assert "".join(text[end:].split()) == "".join(unread.split())


@given(st.text(alphabet="ab .\u6771\u00e9\uac01\U0001f680\n", min_size=1, max_size=80), st.integers(3, 30))
def test_r18_what_is_read_fits_and_one_more_character_does_not(text, limit):
    """R18: by the tokenizer itself, on whole words."""
    pool = Pool((cut(Document.from_text(text), (0, len(text))),))
    (end,) = read_ends(pool, limit=limit).tolist()
    count = int(word_pieces().counts([text], special=True)[0])
    assert (end == len(text)) == (count <= limit) or not text[end:].strip()
    assert int((word_pieces().starts(text) < end).sum()) <= limit - 2
