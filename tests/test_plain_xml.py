"""D12: what is told of XML without a parser is what a parser tells, or nothing."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pytest

from ragchunk_core.documents.plain_xml import depth_of, extent_of

PLAIN = ["", "x", "/", "a&gt;b", "&lt;b", "\u00e9", " \n"]
# What looks like tags to whoever does not parse.
MISLEADING = ["/>", ">", "<!-- <b> -->", "<![CDATA[<b/>]]>", "<?p <b?>"]
VALUES = ["", ' a="1"', ' a="/"', ' a="x/y" ', " a='&lt;'"]
MISLEADING_VALUES = [" a='/>'", ' a=">"']


def xml(source, depth, misleading):
    """A random element."""
    words, values = PLAIN + MISLEADING * misleading, VALUES + MISLEADING_VALUES * misleading
    tag = source.choice(["a", "b-c", "c", "row"])
    count = source.randrange(4) if depth else 0
    inside = "".join(source.choice(words) + xml(source, depth - 1, misleading) for _ in range(count))
    inside += source.choice(words)
    return f"<{tag}{source.choice(values)}>{inside}</{tag}>" if inside else f"<{tag}{source.choice(values)}/>"


def levels(parsed):
    return 1 + max(map(levels, parsed), default=0)


@pytest.mark.parametrize("misleading", [False, True])
def test_d12_the_depth_is_that_of_the_parsed_tree_or_is_not_told(misleading):
    source = random.Random(3)
    told = 0
    for _ in range(1000):
        head = source.choice(["", '<?xml version="1.0"?>', "<?xml version='1.0' encoding='UTF-8'?>\n"])
        data = (head + xml(source, source.randrange(6), misleading)).encode()
        found = depth_of(data)
        assert found in (None, levels(ElementTree.fromstring(data)))
        told += found is not None
    assert 0 < told < 1000 if misleading else told == 1000


@pytest.mark.parametrize(
    ("data", "depth"),
    [
        (b"<a/>", 1),
        (b"<a><b/><b><c>x</c></b><d/></a>\n", 3),
        (b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><a b="x/y"><c d="1" /></a>', 2),
        (b"<a>" * 500 + b"</a>" * 500, 500),
        (b"<a>/></a>", None),
        (b'<a b="/>"><c/></a>', None),
        (b"<a><!-- --></a>", None),
        (b"<a/><?p?>", None),
        ("<a/>".encode("utf-16"), None),
        (b'<?xml version="1.0" encoding="cp037"?><a/>', None),
        (b"<a/><", None),
        (b"><", None),
    ],
)
def test_d12_only_plain_xml_is_told_about(data, depth):
    assert depth_of(data) == depth


SHEET = b"<worksheet><sheetData>%b</sheetData></worksheet>"


@pytest.mark.parametrize(
    ("rows", "extent"),
    [
        (b"", (0, [])),
        (b'<row r="7"/>', (7, [])),
        (b'<row r="1"><c r="A1"/><c r="XFD1" t="s"><v>0</v></c></row><row r="9"><c r="A9"/></row>', (9, ["A", "XFD"])),
        (b'<row r="1"><c r="B5000"/></row>', (5000, ["B"])),
        (b'<row r="1"/>' * 3, (3, [])),
        # A cell or a row that is written otherwise is looked at by the parser.
        (b'<row r="1"><c s="1" r="XFD1"/></row>', None),
        (b'<row r="1"><c\nr="XFD1"/></row>', None),
        (b"<row r='1'><c r=\"A1\"/></row>", None),
        (b'<row><c r="A1"/></row>', None),
        (b'<row r="1"><c/></row>', None),
        (b'<row r="1"><x:c r="XFD1"/></row>', None),
        (b'<x:row r="1048576"/>', None),
        (b'<row r="1"><c r="&#65;1"/></row>', None),
        (b'<row r="1"><c r="A1"/><!-- <c r="B1"/> --></row>', None),
    ],
)  # fmt: skip
def test_d12_how_far_a_sheet_reaches_is_told_where_every_cell_says_its_place(rows, extent):
    found = extent_of(SHEET % rows)
    assert (found and (found[0], sorted(found[1]))) == extent
