"""C17: JSON, JSON Lines and CSV are cut between records only."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.csv_records import fields, rows, sniffed
from ragchunk_core.json_records import items, top_values
from ragchunk_core.units import UNITS

cells = st.text(st.sampled_from('ab ,;\t|"\n\r\ufeffé🚀'), max_size=6)
tables = st.lists(st.lists(cells, min_size=2, max_size=4), min_size=1, max_size=12)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=4)),
    max_leaves=20,
)


def cut(text, name, size, **options):
    return chunk(Document.from_text(text, name=name), "records", size=size, **options)


def read_csv(text, delimiter):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def assert_kept(made, text, size):
    """Nothing but white space is lost or repeated, and chunk and context together fit."""
    assert (made.starts[1:] >= made.ends[:-1]).all()
    assert "".join("".join(made.texts()).split()) == "".join(text.split())
    assert all(len(indexed) <= size for indexed in made.indexed_texts())


@given(tables, st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from([0, 1, 3]))
def test_c17_rows_and_fields_are_those_of_the_csv_module(table, delimiter, end, quoting):
    """C17: each row's slice reads as the very row, each field's slice as the very field, none lost."""
    out = io.StringIO()
    if quoting == 3:  # nothing is quoted: a quote inside a field is text
        table = [[cell.translate({ord(c): "x" for c in ",;\t|\n\r"}).lstrip('"') for cell in row] for row in table]
        out.write("".join(delimiter.join(row) + end for row in table))
    else:
        csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(table)
    text = out.getvalue()
    right = [row for row in read_csv(text, delimiter) if row]
    spans = rows(text, delimiter)
    if text.startswith("\ufeff"):  # a byte-order mark is part of the first field there
        return
    assert [read_csv(text[start:stop], delimiter)[0] for start, stop in spans] == right
    for (start, stop), row in zip(spans, right, strict=True):
        pieces = [text[a:b] for a, b in fields(text, start, stop, delimiter)]
        assert [(read_csv(piece, delimiter) or [[""]])[0][0] if piece else "" for piece in pieces] == row


@given(tables, st.integers(20, 80))
def test_c17_csv_chunks_hold_whole_rows_with_the_header_in_front(table, size):
    """C17: read with its header each chunk gives its rows; all together give the table."""
    table = [[cell.strip("\ufeff\r\n \t") + "x" for cell in row] for row in table]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(table)
    text = out.getvalue()
    made = cut(text, "t.csv", size)
    assert_kept(made, text, size)
    spans = rows(text, ",")
    if all(stop - start <= size for start, stop in spans):
        assert [row for one in made for row in read_csv(one.text, ",")] == read_csv(text, ",")
    longest = max([stop - start for start, stop in spans[1:]], default=0)
    if longest + spans[0][1] + 1 <= size and 2 * (spans[0][1] + 1) <= size:
        assert all(one.context == text[: spans[0][1]] for one in list(made)[1:])


@given(st.lists(values, max_size=8), st.sampled_from([None, 1]), st.booleans())
def test_c17_records_of_json_are_those_of_the_json_module(records, indent, ascii_only):
    """C17: each element's slice loads as the very element, each member's as the member, each line's as its value."""
    text = json.dumps(records, indent=indent, ensure_ascii=ascii_only)
    found, end = items(text, 0)
    assert [json.loads(text[one.start : one.end]) for one in found] == records
    assert end == len(text)
    members = {str(number): value for number, value in enumerate(records)}
    text = "\n " + json.dumps(members, indent=indent, ensure_ascii=ascii_only)
    found, _ = items(text, 2)
    assert json.loads("{" + ",".join(text[one.start : one.end] for one in found) + "}") == members
    text = "\n".join(json.dumps(record, indent=indent) for record in records)
    assert [json.loads(text[one.start : one.end]) for one in top_values(text)] == records


@given(st.one_of(values, st.lists(values, max_size=8)), st.sampled_from([None, 1]), st.integers(1, 80))
def test_c17_json_is_kept_within_the_size(value, indent, size):
    """C17: whatever the nesting."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    assert_kept(cut(text, "t.json", size), text, size)


def test_c17_records_are_packed_and_never_cut_while_they_fit():
    """C17: arrays, an object's members and JSON Lines; every chunk is a run of whole records."""
    records = [{"id": number, "text": "x" * (number % 50)} for number in range(200)]
    for text, name in (
        (json.dumps(records), "a.json"),
        (json.dumps({str(record["id"]): record for record in records}), "a.json"),
        ("\n".join(map(json.dumps, records)), "a.jsonl"),
    ):
        made = cut(text, name, 300)
        assert all(sum(json.dumps(record) in one.text for one in made) == 1 for record in records)
        assert made.lengths[:-1].min() > 300 - 90  # the longest record is shorter: no more would have fit


def test_c17_a_record_over_the_size_is_opened_with_keys_and_name_in_front():
    """C17: the path of keys, and the record's first member."""
    text = json.dumps({"orders": [{"id": 7, "lines": ["word " * 12] * 6, "my key": {"a b": ["word " * 12] * 4}}]})
    made = cut(text, "a.json", 200)
    assert {one.context for one in made} >= {'"id": 7\norders[0].lines', '"id": 7\norders[0]["my key"]["a b"]'}
    assert ("orders", "[0]", "my key", "a b") in made.paths
    assert '"id": 7' not in "".join(one.context for one in cut(text, "a.json", 200, context="path"))
    assert not any(one.context for one in cut(text, "a.json", 200, context="none"))


def test_c17_a_row_over_the_size_is_opened_by_its_fields():
    """C17: header and first field in front; commas and line ends inside quotes are text."""
    text = 'id,title,body\n1,a,b\n2,"a, b","' + "line\n" * 30 + '"\n3,c,d\n'
    made = cut(text, "a.csv", 100)
    assert made.texts()[0] == "id,title,body\n1,a,b"
    assert made.texts()[-1] == "3,c,d"
    assert {one.context for one in list(made)[1:-1]} == {"id,title,body", "id,title,body\n2"}


@pytest.mark.parametrize(
    ("name", "text", "line", "what"),
    [
        ("a.json", '[{"a": 1},\n{"a": 2\n]', 3, "Expecting ',' delimiter"),
        ("a.json", '{"a": 1,\n"b" 2}', 2, "Expecting ':' delimiter"),
        ("a.json", "[1, 2\n", 2, "Expecting ',' or ']'"),
        ("a.json", "words", 1, "Expecting value"),
        ("a.json", '["a\nb"]', 1, "Invalid control character at"),
        ("a.jsonl", '{"a": 1}\n{"a": 2}\n{"a": \n', 4, "Expecting value"),
        ("a.json", "[" * 100_000, 1, "Nested too deeply"),
        ("a.csv", 'a,b\n1,2\n3,"x\n4,5\n', 3, "a quoted field that begins here is never closed"),
    ],
)
def test_c17_a_broken_file_is_refused_with_its_line(name, text, line, what):
    """C17: line and reason; JSON's are the standard library's."""
    with pytest.raises(ValueError, match=rf"Records: '{name}' is no whole \w+ text, line {line}: ") as error:
        cut(text, name, 400)
    assert what in str(error.value)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2\n2,5;3", ";"),
        ("a\tb\nx, y\tz", "\t"),
        ("a|b\n1|2", "|"),
        ('a,b\n"1,5",2\n', ","),
        ("Plain words.\n\nAnd more, of them.", None),
        ("", None),
    ],
)
def test_c17_the_delimiter_is_found(text, delimiter):
    """C17: the one that gives all rows the same number of fields."""
    assert sniffed(text) == delimiter


def test_c17_text_that_holds_no_records_is_cut_at_lines():
    """C17: with no name and no option that says otherwise nothing is refused."""
    made = cut("{not json\nSecond line.\nThird line.", "note.txt", 25)
    assert made.texts() == ["{not json\nSecond line.", "Third line."]


@pytest.mark.parametrize("unit", ["words", "cl100k", "chars4", "wordpieces"])
def test_c17_the_size_holds_with_the_context_in_any_unit(unit):
    """C17: counted on what is indexed."""
    text = "id;name;note\n" + "".join(f"{n};name {n};{'word ' * (n % 40)}\n" for n in range(200))
    made = cut(text, "a.csv", 40, unit=unit)
    assert all(UNITS[unit].count(indexed) <= 40 for indexed in made.indexed_texts())


def test_c17_a_long_value_is_told_by_its_keys_in_every_piece():
    """C17: also where it is cut, the path of keys and the record's first member are in front."""
    text = json.dumps([{"id": 1, "text": "long " * 30, "end": 3}])
    made = cut(text, "a.json", 60)
    assert [one.context for one in made] == ["", '"id": 1\n[0]', *['"id": 1\n[0].text'] * 3, '"id": 1\n[0]']
    assert max(map(len, made.indexed_texts())) <= 60
    assert "".join("".join(made.texts()).split()) == "".join(text.split())
