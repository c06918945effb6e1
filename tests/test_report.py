"""S04: the report is one sound HTML file that names no other, and text in it stays text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from turbohtml import parse

from ragchunk_core.report import Chart, versions_here
from tests.report_case import HOSTILE, sample_report


class Seen(HTMLParser):
    """Every start tag with its attributes, the text outside of scripts, and each script's text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text, self.scripts, self.open = [], "", [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag  # every element is closed, in order

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif not self.open or self.open[-1] != "style":
            self.text += data


@pytest.fixture(scope="module")
def html():
    return sample_report()


@pytest.fixture(scope="module")
def seen(html):
    return Seen(html)


def test_s04_nothing_outside_is_named(html, seen):
    """S04: no element loads or leads anywhere, no style imports."""
    assert not [tag for tag in seen.tags if {"src", "href", "action", "data", "srcset", "poster"} & set(tag[1])]
    assert {tag for tag, _ in seen.tags} <= {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "section", "dl", "div", "dt", "dd",
        "table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "script", "details", "summary",
        "ol", "li", "strong", "em",
    }  # fmt: skip
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
    assert "@import" not in style
    assert "url(" not in style
    assert "://" not in style
    assert "prefers-color-scheme: dark" in style


def test_s04_hostile_text_stays_text(html, seen):
    """S04: a document's name, a query, a setting, a title, a note, an axis: none becomes an element or a script."""
    assert not seen.open
    assert len(seen.scripts) == 4  # two charts' data, plotly.js, the drawing
    assert "window.broken" not in "".join(seen.scripts[2:])
    shown = HOSTILE.replace("\udce9", "?")
    assert seen.text.count(shown) > 20
    labels = [attributes["aria-label"] for _, attributes in seen.tags if "aria-label" in attributes]
    assert "Histogram " + shown in labels
    for data in seen.scripts[:2]:
        assert "<" not in data
        assert set(json.loads(data)) == {"data", "layout"}
    assert html.encode("utf-8")


def test_s04_a_browsers_parser_sees_the_same(html, seen):
    """S04: a parser that repairs as browsers do has nothing to repair: the same elements in the same order."""
    tree = parse(re.sub(r"(<script>).{100000,}?(</script>)", r"\1\2", html, flags=re.DOTALL))
    assert [element.tag for element in tree.select("*")] == [tag for tag, _ in seen.tags]


def test_s04_only_its_own_scripts_may_run(html, seen):
    """S04: the policy forbids every request, and names the hashes of the two scripts."""
    policy = next(a["content"] for t, a in seen.tags if a.get("http-equiv") == "Content-Security-Policy")
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in seen.scripts[2:]]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}' 'sha256-{hashes[1]}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    assert html.index("Content-Security-Policy") < html.index("<script")
    assert html.count("plotly.js v") == 1  # inlined once


def test_s04_tables_hold_the_figures(seen):
    """S04: settings, comparison, metrics with the best recall marked, losses, misses with their reasons, versions."""
    text = " ".join(seen.text.split())
    for said in (
        "Settings",
        "30 November 2026",
        "overlap tax",
        "ceiling",
        "BM25",
        "lost by the cut",
        "Versions",
        "numpy",
    ):
        assert said in text
    assert sum("best" in a.get("class", "") for t, a in seen.tags if t == "td") >= 1
    assert sum(t == "table" for t, _ in seen.tags) == 3
    assert sum(t == "details" for t, _ in seen.tags) == 2
    assert "Nothing was missed." in text
    assert re.search(r"Recursive, BM25: \d+ missed", text)
    assert "shares no word with the query" in text
    for tag, attributes in seen.tags:
        assert tag != "th" or attributes["scope"] in ("col", "row")


def test_s04_without_results_there_is_still_a_report():
    """S04: no charts, no queries, no rows; numbers that are not there are dashes."""
    row = dict.fromkeys(("mean", "median", "smallest", "largest", "size_used"), float("nan"))
    row |= {"chunker": "fixed", "chunks": 0, "duplicated": 0.0, "covered": 0.0, "tokens": 0, "overlap_tax": -7}
    bare = Seen(sample_report(charts=[], scored=[], missed={}, queries=[], compared=[row], notes=[], versions={}))
    assert bare.scripts == []
    assert bare.text.count("–") == 5
    assert "script-src 'none'" in bare.tags[3][1]["content"]


class Plain:
    """A figure whose JSON is written without any care."""

    def to_json(self):
        return json.dumps({"data": [], "layout": {"title": HOSTILE[:-1]}})


def test_s04_a_figures_json_cannot_end_its_element():
    """S04: however the figure writes its JSON, it is one script element that reads as the same."""
    bare = Seen(sample_report(charts=[Chart("t", "a", Plain())]))
    assert len(bare.scripts) == 3
    assert json.loads(bare.scripts[0])["layout"]["title"] == HOSTILE[:-1]


def test_s04_a_script_that_would_end_its_element_is_refused():
    for text in ("a </SCRIPT> b", "<!-- b"):
        with pytest.raises(ValueError, match="plotly_js holds"):
            sample_report(plotly_js=text, charts=[Chart("t", "a", Plain())])


def test_s04_versions_are_those_installed():
    import numpy

    found = versions_here()
    assert found["numpy"] == numpy.__version__
    assert next(iter(found)) == "Python"
