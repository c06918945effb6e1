"""D04: HTML becomes the text that a reader sees, with headings, lists, tables and code as Markdown lines."""

from __future__ import annotations

import html
import json
import random
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.documents import Limits, ReadError, ReadOptions, read
from ragchunk_core.documents.reading_options import HtmlOptions
from ragchunk_core.headings import commonmark_headings

# Pages that inscriptis (lxml) and the HTML standard see as different trees: what stands loose in a table
# moves in front of it, its pieces joined as they are.
OTHER_TREE = {"invalid-table3", "tr-only-table"}
# inscriptis lays table cells side by side, so lines of one cell are not one after another in its text.
SIDE_BY_SIDE = {
    "br-in-table",
    "nested-table-alignment",
    "nested-table-alignment-css",
    "table-in-table",
    "table-itemize",
    "table-pre",
}


def text_of(page, name="a.html"):
    return read(page.encode() if isinstance(page, str) else page, name).text


def text_or_refusal(page):
    try:
        return text_of(page)
    except ReadError as refused:
        return str(refused)


def words(text):
    return re.findall(r"\w+", text)


def html_cases(shared_data):
    with (shared_data / "cases.jsonl").open(encoding="utf-8") as lines:
        return {found["id"]: found for line in lines if (found := json.loads(line))["id"].startswith("htm-")}


def test_d04_faults_of_other_html_splitters_are_not_ours(shared_data):
    """Cases htm-01 to htm-14."""
    cases = html_cases(shared_data)
    assert len(cases) == 9

    def page(name):
        return text_of(cases[name]["input"])

    def right(name):
        return cases[name]["right"]

    assert right("htm-01")["text"] in page("htm-01")
    pieces = chunk(Document.from_text(page("htm-02"), kind="markdown"), "markdown", size=1000)
    assert [list(piece.path) for piece in pieces] == right("htm-02")["paths"]
    assert page("htm-05").splitlines()[0] == f"# {right('htm-05')['heading']}"
    assert [heading.title for heading in commonmark_headings(page("htm-06"))] == right("htm-06")["headings"]
    assert words(page("htm-06")) == words(" ".join(right("htm-06")["must_contain"]))
    assert right("htm-07")["text_contains"] in page("htm-07")
    assert right("htm-09")["text"] in page("htm-09")
    with pytest.raises(ReadError):
        page("htm-10")
    escaped = cases["htm-13"]["input"].removesuffix(" (bytes)")
    assert text_of(escaped.encode().decode("unicode_escape").encode("latin-1")) == right("htm-13")["text"]
    assert words(page("htm-14"))[1:] == right("htm-14")["order"]


def test_d04_words_and_their_order_are_those_of_inscriptis(shared_data):
    """Of the 38 pairs 30 hold in words and order, 6 in words alone and 2 not, for the reasons named above."""
    order, alone = 0, 0
    for path in sorted((shared_data / "html" / "inscriptis").glob("*.html")):
        oracle = path.with_suffix(".txt")
        if not oracle.exists() or path.stem in OTHER_TREE:
            continue
        bullets = re.compile(r"^ *[o*+] ", re.MULTILINE)
        expected = words(bullets.sub("", oracle.read_text(encoding="utf-8")))
        found = words(read(path.read_bytes(), path.name).text)
        if path.stem in SIDE_BY_SIDE:
            assert found != expected, path.stem
            assert sorted(found) == sorted(expected), path.stem
            alone += 1
        else:
            assert found == expected, path.stem
            order += 1
    assert (order, alone, len(OTHER_TREE)) == (30, 6, 2)


def test_d04_every_named_entity_is_decoded_as_in_the_standard(shared_data):
    path = shared_data / "html" / "html5lib_entities" / "namedEntities.test"
    tests = json.loads(path.read_text(encoding="utf-8"))["tests"]
    assert len(tests) == 4210
    page = "".join(f"<pre>x{test['input']} y</pre>" for test in tests)
    expected = "\n\n".join(f"```\nx{test['output'][0][1]} y\n```" for test in tests)
    assert text_of(page) == expected


def test_d04_character_references_are_decoded_as_in_the_standard(shared_data):
    path = shared_data / "html" / "html5lib_entities" / "entities.test"
    tests = json.loads(path.read_text(encoding="utf-8"))["tests"]
    texts = [test for test in tests if [part[0] for part in test["output"]] == ["Character"]]
    assert len(texts) == 71
    for test in texts:
        assert text_of(f"<pre>x{test['input']} y</pre>") == f"```\nx{test['output'][0][1]} y\n```"


def encoding_tests(shared_data):
    for name in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"]:
        content = (shared_data / "html" / "html5lib_encoding" / name).read_bytes()
        for found in re.finditer(rb"#data\n(.*?)\n#encoding\n([^\n]+)(?=\n|\Z)", content, re.DOTALL):
            yield found[1], found[2].decode().strip().lower()


def test_d04_the_charset_is_the_one_that_html5lib_expects(shared_data):
    """All 82 tests: a page gives the text that it gives as UTF-8 with a mark, which outranks ``<meta>``."""
    tests = list(encoding_tests(shared_data))
    assert len(tests) == 82
    telling = 0
    for data, encoding in tests:
        probe = {"euc-jp": "テスト文書", "iso-8859-2": "žluťoučký kůň"}.get(encoding, "café – “naïve”")
        codec = {"windows-1252": "cp1252", "utf-8": "utf-8-sig"}.get(encoding, encoding)
        page = data + f"<p>{probe}".encode(codec).removeprefix(b"\xef\xbb\xbf")
        expected = text_or_refusal(b"\xef\xbb\xbf" + page.decode(codec, "replace").encode())
        assert text_or_refusal(page) == expected, data
        telling += probe in expected
    assert telling >= 70


def test_d03_the_big5_text_of_html5lib_is_read_whole(shared_data):
    data = (shared_data / "html" / "html5lib_encoding" / "test_big5.txt").read_bytes()
    for name in ("a.txt", "a.md", "a.html"):
        document = read(data, name)
        assert (document.encoding, document.text.split()) == ("Big5", data.decode("big5").split())


def test_d04_a_page_without_a_charset_is_utf8_then_windows_1252():
    assert text_of("<p>“Größe” – 3 €".encode()) == "“Größe” – 3 €"
    document = read("<p>“Größe” – 3 €".encode("cp1252"), "a.html")
    assert document.text == "“Größe” – 3 €"
    assert "windows-1252" in document.notes[0]
    assert read("<meta charset=latin1><p>é".encode("cp1252"), "a.html").notes == (
        "Read as windows-1252, as the page says.",
    )
    assert text_of("<p>Größe 3 €".encode("utf-16")) == "Größe 3 €"
    assert text_of("<p>plain English page".encode("utf-16-le")) == "plain English page"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<h1>A</h1><h2>B <i>c</i></h2><h6>D</h6>", "# A\n\n## B c\n\n###### D"),
        ("<h1>A<br>B</h1>", "# A B"),
        ("<h2></h2><h3> </h3><h4><img alt=Logo></h4>x", "#### Logo\n\nx"),
        ("<h2>T<p>a<p>b</h2>c", "## T\n\na\n\nb\n\nc"),
        ("<h2><div>T</div><p>a</p></h2>", "## T\n\na"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ul><li>a</ul><ul><li>b</ul><div><ul><li>c</ul></div>", "- a\n- b\n- c"),
        ("<menu><li>a</menu><ul><li><li> <li>b</ul>", "- a\n- b"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ol start=5><li>a<li>b</ol>", "5. a\n6. b"),
        ("<p>a<br>b <br> c<p>d", "a\nb\nc\n\nd"),
        ("<p>a</p>\n\n\n<p></p><div> </div><p>b", "a\n\nb"),
        ("<p>one\n  two\tthree", "one two three"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<dl><dt>T<dd>D</dl>", "T\n\nD"),
        ("<pre>a  \n\n\n  b\t</pre>c", "```\na  \n\n\n  b\t\n```\n\nc"),
        ('<pre><code class="language-py">x = 1\n</code></pre>', "```py\nx = 1\n```"),
        ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
        ("<p>call <code>f_1(*x)</code> <kbd>Ctrl</kbd>", "call f_1(*x) Ctrl"),
        ("<b>bold</b> <em>it</em> <s>s</s> x<sup>2</sup>", "bold it s x2"),
        ('<a href="http://a.b/c">word</a> <a href="http://a.b/c">http://a.b/c</a>', "word http://a.b/c"),
        ('<p>a<img src=x.png alt="A pump">b<img src=y.png>', "aA pumpb"),
        ("<p>snake_case *x* [y](z) #1 \\ < & `q` 1. - +", "snake_case *x* [y](z) #1 \\ < & `q` 1. - +"),
        ("<p>&lt;b&gt;&nbsp;&amp;amp;&#128512;", "<b>\u00a0&amp;😀"),
        ("a<!-- no -->b<![CDATA[no]]>", "ab"),
        ("<select><option>a<option>b</select><button>c</button><button>d</button>", "a b c d"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("<details><summary>S</summary>b</details><noscript>n</noscript>", "S\n\nb\n\nn"),
    ],
)
def test_d04_blocks_and_words_become_these_lines(page, text):
    assert text_of(page) == text


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>no</script>",
        "<style>no{}</style>",
        "<template><p>no</template>",
        "<p hidden>no",
        "<div hidden><h1>no</h1><p>no</div>",
        '<div style="color:red; DISPLAY : none">no<p style="display:block">no</p></div>',
        '<p style="display:none !important">no',
        "<iframe>no</iframe><noframes>no</noframes><object>no</object><video>no</video><canvas>no</canvas>",
        "<dialog>no</dialog><datalist><option>no</datalist>",
        "<svg><title>no</title><style>no</style></svg>",
        "<math><annotation>no</annotation></math>",
        '<input type=hidden value=no><meta content="no"><!-- no -->',
    ],
)
def test_d04_what_no_browser_shows_is_dropped(hidden):
    page = f"<html><head><title>no</title></head><body><p>before</p>{hidden}</p><p>after</p>"
    assert text_of(page) == "before\n\nafter"


@pytest.mark.parametrize(
    "shown",
    [
        "<p aria-hidden=true>yes",
        '<p style="display:none; display:block">yes',
        "<dialog open>yes</dialog>",
        "<p style='content:\"display:none\"'>yes",
        "<svg><text>yes</text></svg>",
    ],
)
def test_d04_what_a_browser_shows_stays(shown):
    assert text_of(shown) == "yes"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("<table><tr><td>a<td>b|c<tr><td>d</table>", "| a | b|c |\n| --- | --- |\n| d |"),
        ("<table><tr><td>a<tr><td>b<td>c</table>", "| a | |\n| --- | --- |\n| b | c |"),
        (
            "<table><tr><th colspan=2>a<th>b<tr><td>1<td>2<td>3</table>",
            "| a | | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |",
        ),
        (
            "<table><tr><th rowspan=2>a<th>b<tr><td>1<tr><td>2<td>3</table>",
            "| a | b |\n| --- | --- |\n| | 1 |\n| 2 | 3 |",
        ),
        (
            "<table><tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d</table>",
            "| a | b |\n| --- | --- |\n| | c |\n| | d |",
        ),
        (
            "<table><tr><th>a<th>b<tr><td>x<p>y<br>z<td><ul><li>1<li>2</ul></table>",
            "| a | b |\n| --- | --- |\n| x y z | - 1 - 2 |",
        ),
        ("<table><caption>C</caption><tr><td>a<td>b</table>", "C\n\n| a | b |\n| --- | --- |"),
        ("<table><tr><td> <td></table>x<table></table>", "x"),
        (
            "<table><tr><td><b>a</b> <i>b<sub>2</sub></i><td><code>x  y</code><tr><td><a>l</a><td><q>z</q></table>",
            '| a b2 | x y |\n| --- | --- |\n| l | "z" |',
        ),
        # Words in a cell are no code block of their own because the table stands in one.
        (
            "<pre><table><tr><td>a<td><span>y  z</span><tr><td>c<td><b>d</b></table>",
            "```\n| a | y z |\n| --- | --- |\n| c | d |\n```",
        ),
    ],
)
def test_d04_tables_of_data_are_pipe_lines(page, text):
    assert text_of(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<table><tr><td><h2>T</h2><p>a</table>", "## T\n\na"),
        ("<table><tr><td>nav<td><h2>T</h2><p>a</table>", "nav\n\n## T\n\na"),
        ("<table><tr><td><ul><li>a</ul><td>b</table>", "- a\n\nb"),
        ("<table><tr><td><pre>x\n y</pre><td>b</table>", "```\nx\n y\n```\n\nb"),
        ("<table><tr><td><table><tr><td>1<td>2</table><td>b</table>", "| 1 | 2 |\n| --- | --- |\n\nb"),
        ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"),
        ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
    ],
)
def test_d04_tables_that_lay_out_a_page_are_blocks(page, text):
    assert text_of(page) == text


@pytest.mark.parametrize("page", ["<title>only</title>", "<script>x</script>", "<p> </p>", "<!-- x -->", "<div>"])
def test_d04_a_page_without_visible_text_is_refused(page):
    with pytest.raises(ReadError, match=r"^'a\.html' has no visible text; .*\.$"):
        text_of(page)


def test_d04_html_is_told_by_its_ending_and_keeps_the_files_name():
    for name in ["a.html", "b.HTM"]:
        document = read(b"<title>Title</title><p>text", name)
        assert (document.kind, document.name, document.text) == ("html", name, "text")
        assert document.page_starts == ()


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 10_000 + "x",
        "<b>" * 10_000 + "x",
        "<ul><li>x" * 10_000,
        "<table><tr><td>" * 10_000 + "x",
        "<table><tr><td>x<td>" * 5_000,
        "<blockquote>x" * 10_000,
        "<h1>x<b><p>" * 5_000,
        "<p style='display:none'>" * 10_000 + "</p>x",
        "<table><tr>" + "<td>x" * 3000 + "<tr><td colspan=3000>y<td rowspan=65534>z" * 3000,
        "<" * 100_000 + "x",
        "x" + "&" * 100_000,
        "<p>```" * 20_000,
        "x<svg><caption><td><table><caption><svg><td>",
    ],
    ids=["div", "b", "li", "tables", "cells", "quote", "h1", "hidden", "spans", "lt", "amp", "fence", "svg"],
)
def test_d04_no_page_is_too_deep_or_takes_long(page):
    start = time.process_time()
    assert text_of(page)
    assert time.process_time() - start < 5


def test_d04_a_page_that_unfolds_past_the_limit_is_refused():
    with pytest.raises(ReadError, match=r"^'a\.html' unfolds to more than 100 characters; no more are allowed\.$"):
        read(b"<p>" + b"x" * 101, "a.html", limits=Limits(text=100))


ARTICLE = """<h1>Pump maintenance</h1><p>The pump must be checked every week, because its seals wear out faster than
the housing does, and a leak is found late.</p><h2>Seals</h2><p>Seals are made of rubber, which hardens in the cold;
when they do, replace them, and write the date on the card.</p><ul><li>Loosen the four bolts, crosswise.<li>Lift the
cover.</ul><table><tr><th>Part<th>Months</tr><tr><td>Seal<td>6</tr></table>"""
AROUND = """<header><a href=/>Home</a></header><nav><ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul></nav>
{}<aside><h3>Related</h3><ul><li><a href=/x>Valves</a></ul></aside><footer>© ACME <a href=/p>Privacy</a></footer>"""


@pytest.mark.parametrize("around", ["<article>{}</article>", "<main>{}</main>", '<div class="text">{}</div>'])
def test_d04_main_content_alone_is_that_of_the_page_without_its_surroundings(around):
    alone = ReadOptions(html=HtmlOptions(main=True))
    page = AROUND.format(around.format(ARTICLE))
    document = read(page.encode(), "a.html", options=alone)
    assert document.text == text_of(ARTICLE)
    assert re.fullmatch(r"Main content: \d+ of \d+ characters left out\.", document.notes[-1])
    everything = text_of(page)
    assert document.text in everything
    assert all(word in everything for word in ("Home", "Two", "Valves", "Privacy"))


def test_d04_a_page_where_nothing_stands_out_is_read_whole():
    alone = ReadOptions(html=HtmlOptions(main=True))
    document = read(b"<nav>a</nav><p>short</p>", "a.html", options=alone)
    assert document.text == "a\n\nshort"
    assert document.notes == ("Main content: none stands out, so the whole page was read.",)
    scrap = b"<div><p>A scrap of prose, with a comma, is no article.</p></div><ul><li>a<li>b</ul>"
    assert read(scrap, "a.html", options=alone).text.endswith("- a\n- b")


PIECES = st.sampled_from([*"ab é漢😀\u00a0\ufeff\n\t#*_-+.`~|>\\[]()!&<>:;\"'01=", "- ", "1. ", "```", "&amp;", "---"])


@given(st.lists(PIECES, min_size=1, max_size=12).map("".join), st.sampled_from(["p", "b", "li", "code", "td"]))
def test_d04_no_character_of_the_text_is_changed_or_escaped(text, tag):
    shown = re.sub("[ \t\n]+", " ", text).strip(" ")
    page = f"<meta charset=utf-8>x<p>k <{tag}>{html.escape(text)}</{tag}>"
    expected = f"x\n\nk {shown}" if tag != "p" else f"x\n\nk\n\n{shown}"
    assert " ".join(text_of(page).split()) == " ".join(expected.split())
    if shown.strip():
        assert shown in text_of(f"<{tag}>{html.escape(text)}</{tag}>")


def test_d04_broken_pages_are_text_or_a_clear_refusal(shared_data):
    source = random.Random(7)
    pages = [path.read_bytes() for path in (shared_data / "html" / "inscriptis").glob("*.html")]
    tags = [b"<table>", b"<tr>", b"<td colspan=3>", b"</table>", b"<svg>", b"<h1>", b"<li>", b"<pre>", b"\0"]
    for _ in range(500):
        page = bytearray(source.choice(pages)[:3000])
        for _ in range(source.randint(1, 20)):
            place = source.randrange(len(page) + 1)
            if source.random() < 0.6:
                page[place:place] = source.choice(tags)
            else:
                del page[place : place + source.randint(1, 200)]
        try:
            text = read(bytes(page) or b"x", "a.html").text
        except ReadError as refused:
            assert str(refused).startswith("'a.html' ")  # noqa: PT017
            continue
        fence = r"(?ms)^[ >]*(?:(?:-|\d+[.)]) +)*(`{3,}).*?(?:^[ >]*\1|\Z)"
        assert not re.search(r" $|\n\n\n", re.sub(fence, "code", text), re.MULTILINE)
