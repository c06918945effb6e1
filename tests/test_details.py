"""What stands below the text on Chunks, and why answers were missed on Retrieval: as the core says it."""

from __future__ import annotations

import pytest

from ragchunk_core import chunk, evaluate
from ragchunk_core.cost import cost_table, measured_cost
from ragchunk_core.lint import lint
from ragchunk_core.samples import sample_corpus
from tests.page_driver import go, put, set_key, unescaped

SETTINGS = {"size": 400, "overlap": 50}


def markdown(app):
    return [unescaped(one) for one in app.markdown]


def test_v05_the_warnings_are_those_of_the_core(app):
    """V05: each with its sentence and a button for each of its chunks, which chooses it."""
    put(app, part="Warnings")
    app.run()
    found = lint(chunk(sample_corpus().documents[0], "recursive", **SETTINGS))
    assert found
    said = " ".join(markdown(app))
    for number, finding in enumerate(found):
        assert finding.sentence in said
        for index in finding.chunks[:12].tolist():
            assert app.button(key=f"warned_{number}_{index}").label == f"Chunk {index + 1:,}"
    last = int(found[0].chunks[-1])
    app.button(key=f"warned_0_{last}").click().run()
    put(app, part="Chunk")
    app.run()
    assert f"Chunk {last + 1} of" in " ".join(markdown(app))


def test_v07_the_code_is_offered_or_its_absence_explained(app):
    """V07: LangChain's code for the recursive chunker; a sentence for one that LangChain does not have."""
    put(app, part="Code")
    app.run()
    assert "RecursiveCharacterTextSplitter" in app.code[0].value
    put(app, chunker="markdown")
    app.run()
    assert "There is no LangChain code" in unescaped(app.info[0])


def test_v06_the_cost_table_is_the_cores(app):
    """V06: the chunker on screen first, as it cuts these documents; then windows."""
    put(app, part="Cost")
    app.run()
    shown = app.dataframe[-1].value
    chunkings = chunk(sample_corpus().documents, "recursive", **SETTINGS)
    assert shown["vectors"].tolist() == [measured_cost("", chunkings).vectors, *cost_table()["vectors"]]
    assert shown["vectors, MB"].tolist()[1:] == pytest.approx((cost_table()["vector_bytes"] / 1e6).tolist())


def test_v07_all_files_are_offered(app):
    put(app, part="Files")
    app.run()
    assert not app.exception
    assert f"All {sum(map(len, chunk(sample_corpus().documents, 'recursive', **SETTINGS)))} chunks" in " ".join(
        unescaped(one) for one in app.caption
    )


def test_r11_each_missed_answer_says_why(app):
    """R11, R17: a card for each passage that BM25 misses; found and lost shares are those of the metrics."""
    put(app, method="bm25", emb=False)
    go(app, "retrieval")
    set_key(app, "number_input", "k", 1)
    corpus = sample_corpus()
    expected = evaluate(corpus.documents, corpus.queries, [("recursive", SETTINGS)], ["bm25"], k=1)
    said = " ".join(unescaped(one) for one in app.caption)
    assert f"{expected['recall'][0]:.1%} of the answers found" in said
    assert f"{1 - expected['ceiling'][0]:.1%} lost to the cut" in said
    missed = [one for one in markdown(app) if one.startswith("**Missed: ")]
    assert len(missed) == 1  # the first query has one passage, and BM25 does not put it first
