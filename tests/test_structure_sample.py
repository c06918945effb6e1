"""C15, C16, C17: what cutting along structure changes, on a page with long tables, a program and a CSV file."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ragchunk_core import chunk
from ragchunk_core.evaluation import rank, score
from ragchunk_core.intervals import paired_comparisons
from ragchunk_core.judging import Pool
from ragchunk_core.samples import structure_corpus
from ragchunk_core.settings import PRESETS

METHODS = ["bm25", "emb", "hybrid"]
SETTINGS = PRESETS["structure"].settings


@cache
def corpus():
    return structure_corpus()


@cache
def measured(chunker, method, **options):
    """Scores at the preset's settings, and the mean length of what five chunks bring with their contexts."""
    pool = Pool(tuple(chunk(list(corpus().documents), chunker, size=SETTINGS.size, **options)))
    rankings = rank(pool, [query.text for query in corpus().queries], method)
    lengths = np.array([len(text) for one in pool.chunkings for text in one.indexed_texts()])
    pasted = float(np.mean([lengths[ids[: SETTINGS.k]].sum() for ids in rankings.ids]))
    return score(pool, rankings, corpus().queries, SETTINGS.k, SETTINGS.theta), pasted


def of(name):
    """Which queries are about one document."""
    (wanted,) = [document.id for document in corpus().documents if document.name == name]
    return [place for place, query in enumerate(corpus().queries) if query.passages[0].document == wanted]


def test_the_sample_has_three_kinds_of_documents_and_twenty_judged_queries():
    assert [document.name for document in corpus().documents] == ["countries.md", "dispatcher.py", "tickets.csv"]
    assert len(corpus().queries) == 20
    assert [len(of(document.name)) for document in corpus().documents] == [9, 6, 5]


@pytest.mark.parametrize("method", METHODS)
def test_no_cut_makes_an_answer_impossible(method):
    """Ceiling 1 for both: the difference lies in what is found."""
    assert measured("recursive", method)[0].ceiling.mean() == 1
    assert measured("structure", method)[0].ceiling.mean() == 1


@pytest.mark.parametrize("method", METHODS)
def test_c15_rows_that_know_their_header_are_found(method):
    """C15: all nine answers on the page with tables in the top five; recursive finds at most six."""
    rows = of("countries.md")
    assert measured("structure", method)[0].recall[rows].sum() == 9
    assert measured("recursive", method)[0].recall[rows].sum() <= 6
    assert measured("structure", method, context="none")[0].recall[rows].sum() <= 7  # it is the context that does it


@pytest.mark.parametrize("method", METHODS)
def test_more_is_found_for_no_more_context(method):
    """The chunks are shorter, and with the contexts in front they cost within 4 % of what recursive costs."""
    ours, theirs = measured("structure", method), measured("recursive", method)
    assert ours[0].recall.mean() >= theirs[0].recall.mean() + 0.15 - 1e-9
    assert ours[0].context.mean() < theirs[0].context.mean()
    assert abs(ours[1] / theirs[1] - 1) < 0.04


def test_code_and_records_show_no_difference():
    """C16, C17: on the program and the CSV file neither finds more under hybrid, and BM25 finds one less in code."""
    for name in ("dispatcher.py", "tickets.csv"):
        ours, theirs = (measured(chunker, "hybrid")[0].recall[of(name)] for chunker in ("structure", "recursive"))
        assert ours.sum() == theirs.sum()
    code = of("dispatcher.py")
    assert (
        measured("structure", "bm25")[0].recall[code].sum() == measured("recursive", "bm25")[0].recall[code].sum() - 1
    )


@pytest.mark.parametrize("method", METHODS)
def test_twenty_queries_establish_nothing(method):
    """The difference in recall over all is 0.15 to 0.20, and a paired test on twenty queries cannot tell it from 0."""
    recalls = {name: measured(name, method)[0].recall for name in ("structure", "recursive")}
    (compared,) = paired_comparisons(recalls)
    assert not compared.established
    assert compared.needed > 20


@pytest.mark.parametrize(("name", "chunker"), [("dispatcher.py", "code"), ("tickets.csv", "records")])
def test_structure_cuts_files_of_code_and_data_as_the_chunkers_for_them_do(name, chunker):
    """C15, C16, C17: one chunker for all kinds of files, and an option to leave that."""
    (document,) = [one for one in corpus().documents if one.name == name]
    ours, right = chunk(document, "structure"), chunk(document, chunker)
    assert (ours.starts.tolist(), ours.ends.tolist()) == (right.starts.tolist(), right.ends.tolist())
    assert ours.contexts == right.contexts
    assert chunk(document, "structure", files=False).starts.tolist() != right.starts.tolist()
