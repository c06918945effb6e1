"""R15, R18, R19: more text around a ranked chunk, the truncation ledger, and a title or path in front of each chunk."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragchunk_core import Document, Passage, Query, chunk, evaluate
from ragchunk_core.budgets import merged_lengths
from ragchunk_core.evaluation import rank, score
from ragchunk_core.judging import Pool
from ragchunk_core.prefixes import prefix_effect, prefixed
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.samples import sample_corpus
from ragchunk_core.small_to_big import score_returned, with_neighbours, with_parent, with_section
from ragchunk_core.truncation import ledger, read_ends

TEXT = "intro\n\n# A\n\none two.\n\nthree four.\n\n## B\n\nfive six.\n\n# C\n\nseven eight."


@pytest.fixture(scope="module")
def corpus():
    return sample_corpus()


@pytest.fixture(scope="module")
def pool(corpus):
    return Pool(tuple(chunk(list(corpus.documents), "recursive", size=150, overlap=30)))


@pytest.fixture(scope="module")
def ranked(corpus, pool):
    return rank(pool, [query.text for query in corpus.queries], "bm25")


def spans_of(returned):
    """For each ranked chunk, document and span of what is returned for it."""
    big = returned.pool
    return [(big.place(n)[0], int(big.starts[n]), int(big.ends[n])) for n in returned.stretch_of.tolist()]


@pytest.mark.parametrize("each_side", [0, 1, 3])
def test_r15_neighbours_are_those_of_the_same_document(pool, each_side):
    """R15: from the start of the n-th before to the end of the n-th after, by a loop over the chunks."""
    expected = []
    for document, made in enumerate(pool.chunkings):
        for index in range(len(made)):
            around = [made[n] for n in range(len(made)) if abs(n - index) <= each_side]
            expected.append((document, min(one.start for one in around), max(one.end for one in around)))
    assert spans_of(with_neighbours(pool, each_side)) == expected


def test_r15_a_section_is_the_text_under_its_heading():
    """R15: all sections that a chunk stands in; nothing of the one before for a blank line at its start."""
    document = Document.from_text(TEXT, kind="markdown")
    parts = {name: TEXT.index(name) for name in ("intro", "# A", "## B", "# C")}
    pool = Pool((chunk(document, "fixed", size=12),))
    for (_, start, end), made in zip(spans_of(with_section(pool)), pool.chunkings[0], strict=True):
        seen = made.text.strip()
        first = made.start + made.text.index(seen)
        before = [place for place in parts.values() if place <= first]
        after = [place for place in parts.values() if place >= first + len(seen)]
        assert (start, end) == (max(before), len(TEXT[: min(after, default=len(TEXT))].rstrip()))
    whole = Pool((chunk(Document.from_text("no heading here"), "fixed", size=4),))
    assert set(spans_of(with_section(whole))) == {(0, 0, 15)}


def test_r15_a_parent_is_the_larger_chunk_that_holds_most(corpus, pool):
    """R15: by a loop over all parents; the earlier of equal ones; other documents are refused."""
    parents = chunk(list(corpus.documents), "recursive", size=600)
    expected = []
    for document, (made, large) in enumerate(zip(pool.chunkings, parents, strict=True)):
        for one in made:
            held = [len(range(max(one.start, p.start), min(one.end, p.end))) for p in large]
            best = large[held.index(max(held))]
            expected.append((document, best.start, best.end))
    assert spans_of(with_parent(pool, parents)) == expected
    with pytest.raises(ValueError, match="chunks of the same documents, in the same order"):
        with_parent(pool, parents[::-1])
    small = chunk(Document.from_text("ab cd"), "fixed", size=1)
    none = chunk(Document.from_text("ab cd"), "recursive", size=2)  # the space is in none of these
    assert (0, 2, 3) in spans_of(with_parent(Pool((small,)), [none]))


def test_r15_each_stretch_is_returned_once_at_its_first_rank():
    """R15: chunks 0 to 5 in pairs under one parent; k counts what is returned."""
    document = Document.from_text("aabbcc")
    small, large = chunk(document, "fixed", size=1), chunk(document, "fixed", size=2)
    returned = with_parent(Pool((small,)), [large])
    ranked = Rankings((np.array([4, 1, 5, 0, 2]),), (np.array([9.0, 7.0, 6.0, 5.0, 1.0]),))
    big = returned.rankings(ranked)
    assert (big.ids[0].tolist(), big.scores[0].tolist()) == ([2, 0, 1], [9.0, 7.0, 1.0])
    query = Query("q", (Passage(document.id, 0, 2),))
    for k, recall in ((1, 0.0), (2, 1.0)):
        scores, merged = score_returned(returned, ranked, [query], k, theta=1.0)
        assert (scores.recall.tolist(), scores.context.tolist()) == ([recall], [2.0 * k])
        assert merged.tolist() == [2.0 * k]
    assert scores.reciprocal_rank.tolist() == [0.5]


def test_r15_no_neighbours_is_the_chunk_itself(corpus, pool, ranked):
    """R15: the same scores and context as without it, merged context too."""
    scores, merged = score_returned(with_neighbours(pool, 0), ranked, corpus.queries, 5, 0.5)
    expected = score(pool, ranked, corpus.queries, 5, 0.5)
    assert scores.means() == expected.means()
    assert merged.tolist() == merged_lengths(pool, ranked, expected.judged, 5).tolist()


def test_r15_more_text_answers_more_and_costs_more(corpus, pool, ranked):
    """R15, R16: each query's recall is as high or higher with neighbours; merged context is at most the plain sum."""
    before = score(pool, ranked, corpus.queries, 5, 0.5)
    for ways in (1, 2):
        scores, merged = score_returned(with_neighbours(pool, ways), ranked, corpus.queries, 5, 0.5)
        assert np.all(scores.recall >= before.recall)
        assert np.all(scores.context > before.context)
        assert np.all(merged <= scores.context)
        before = scores
    assert merged.sum() < scores.context.sum()


@pytest.mark.parametrize("wrong", [-1, 1.5, True])
def test_r15_neighbours_are_a_whole_number(pool, wrong):
    """R15: one sentence."""
    with pytest.raises(ValueError, match=f"each_side is {wrong!r}; it must be a whole number, 0 or more"):
        with_neighbours(pool, wrong)


# R19


def test_r19_the_prefix_is_the_title_or_the_path():
    """R19: by hand; a chunk that begins with the blank line before a heading belongs to that heading."""
    document = Document.from_text(TEXT, name="numbers.md", kind="markdown")
    made = chunk(document, "recursive", size=14, strip=False)
    by_text = dict(zip(made.texts(), prefixed(made, "path").contexts, strict=True))
    assert by_text == {
        "intro\n\n# A": "", "\n\none two.": "A", "\n\nthree four.": "A", "\n\n## B": "A › B",
        "\n\nfive six.": "A › B", "\n\n# C": "C", "\n\nseven eight.": "C",
    }  # fmt: skip
    assert set(prefixed(made, "title").contexts) == {"A"}
    plain = chunk(Document.from_text("no heading", name="notes.v2.txt"), "fixed", size=4)
    assert set(prefixed(plain, "title").contexts) == {"notes.v2"}
    moved = prefixed(made, "title")
    assert (moved.texts(), moved.starts.tolist()) == (made.texts(), made.starts.tolist())
    with pytest.raises(ValueError, match="The prefix is 'colour'; allowed are title, path"):
        prefixed(made, "colour")


def test_r19_the_path_is_what_the_markdown_chunker_puts_in_front(corpus):
    """R19: its own option on the same cut gives the same contexts and scores; without it is the plain cut."""
    settings = {"size": 200, "headings": "strip"}
    plain = chunk(list(corpus.documents), "markdown", **settings)
    theirs = chunk(list(corpus.documents), "markdown", context="path", **settings)
    assert [prefixed(one, "path").contexts for one in plain] == [one.contexts for one in theirs]
    made = prefix_effect(theirs, corpus.queries, "path", "bm25", k=3)
    for side, context in ((made.without, "none"), (made.with_prefix, "path")):
        rows = evaluate(
            corpus.documents, corpus.queries, [("markdown", {**settings, "context": context})], ["bm25"], k=3
        )
        assert side.means()["recall"] == rows["recall"][0]
        assert side.means()["mrr"] == rows["mrr"][0]
        assert side.means()["context"] == rows["context"][0]


def test_r19_the_two_sides_are_compared_query_by_query(shared_data):
    """R19: the difference, its p by SciPy's own permutation test, and Holm's correction for the two tests."""
    from ragchunk_core.chroma_data import read_chroma_folder

    corpus = read_chroma_folder(shared_data / "chroma")
    made = prefix_effect(chunk(list(corpus.documents), "recursive", size=300), corpus.queries, "title", "bm25")
    difference = made.with_prefix.reciprocal_rank - made.without.reciprocal_rank
    assert made.reciprocal_rank.difference.mean == pytest.approx(difference.mean())
    expected = stats.permutation_test(
        (difference[difference != 0],), np.sum, permutation_type="samples", n_resamples=9_999,
        rng=np.random.default_rng(5),
    ).pvalue  # fmt: skip
    assert made.reciprocal_rank.p == pytest.approx(expected, abs=0.03)
    smaller, larger = sorted([made.recall, made.reciprocal_rank], key=lambda one: one.p)
    assert smaller.adjusted == min(1.0, 2 * smaller.p)
    assert larger.adjusted == max(smaller.adjusted, larger.p)
    assert made.recall.first == "with the title"
    assert made.without.context.shape == made.with_prefix.context.shape == (472,)
    with pytest.raises(ValueError, match="No question has a marked passage"):
        prefix_effect(chunk(list(corpus.documents), "fixed"), (), "title", "bm25")


# R18


def test_r18_the_ledger_counts_what_is_never_read():
    """R18: by hand: three chunks of 10, of which 10, 4 and 0 characters are read."""
    document = Document.from_text("abcdefghij" * 3)
    pool = Pool((chunk(document, "fixed", size=10),))
    ends = np.array([10, 14, 20])
    queries = [
        Query("a", (Passage(document.id, 2, 8), Passage(document.id, 12, 18))),
        Query("b", (Passage(document.id, 10, 13), Passage(document.id, 22, 25), Passage(document.id, 5, 15))),
        Query("not judged"),
    ]
    made = ledger(pool, ends, queries, 0.5)
    assert (made.chunks, made.truncated, made.characters, made.unread) == (3, 2, 30, 16)
    # 2–8 read; 12–18: 2 of 6; 10–13 read; 22–25: none; 5–15: half of it in the first chunk, read whole there.
    assert (made.passages, made.passages_cut, made.passages_lost) == (5, 2, 2)
    assert ledger(pool, ends, queries, 0.0).passages_lost == 1
    assert "it never sees 16 of 30 characters (53.3%), and of 5 marked passages" in made.sentence()
    assert ledger(pool, pool.ends, queries, 0.5).sentence() == "The model reads all 3 chunks to their end."
    with pytest.raises(ValueError, match="There are 2 ends for 3 chunks"):
        ledger(pool, ends[:2], queries, 0.5)


def test_r18_what_the_ledger_loses_is_what_the_diagnosis_says(shared_data):
    """R18, R11: with MiniLM's 256 pieces, passages lost are the misses beyond the limit when nothing is ranked."""
    from ragchunk_core.causes import BEYOND_LIMIT, misses
    from ragchunk_core.chroma_data import read_chroma_folder
    from ragchunk_core.judging import judge

    corpus = read_chroma_folder(shared_data / "chroma")
    pool = Pool(tuple(chunk(list(corpus.documents[:2]), "recursive", size=3000)))
    ends = read_ends(pool)
    nothing = Rankings(*[tuple(np.array([], dtype=kind) for _ in corpus.queries) for kind in (np.int64, float)])
    judgements = [judge(pool, query, 0.5) for query in corpus.queries]
    found = misses(pool, nothing, corpus.queries, judgements, k=1, theta=0.5, method="emb", read_ends=ends)
    made = ledger(pool, ends, corpus.queries, 0.5)
    assert made.passages_lost == sum(miss.cause is BEYOND_LIMIT for miss in found) > 50
    assert made.passages == sum(len(numbers) > 0 for one in judgements for numbers in one.answers)
    assert made.truncated == np.count_nonzero(ends < pool.ends) > 50
