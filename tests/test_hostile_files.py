"""Every file ends in a document or in one sentence, within the limits: real ones, and random changes of them.

``RAGCHUNK_MUTANTS`` sets how many changed files are read (400 without it), ``RAGCHUNK_MUTANT_SEED`` which.
"""

from __future__ import annotations

import os
import random
import re
import zipfile

import pytest

from ragchunk_core.documents import Limits, ReadOptions
from ragchunk_core.documents.many import read_many
from ragchunk_core.documents.reading_options import CleaningOptions, HtmlOptions, PdfOptions, TableOptions
from tests.office_files import OFFICE_FILES, archive, members_of

MUTANTS = int(os.environ.get("RAGCHUNK_MUTANTS", "400"))
SEED = int(os.environ.get("RAGCHUNK_MUTANT_SEED", "1"))
ENDINGS = {".pdf", ".html", ".md", ".txt"}
LARGE = 60_000 if MUTANTS <= 400 else 2_000_000  # bytes; larger files are read as they are, not changed
PIECES = [
    *(b"<", b">", b"&", b"\0", b"\xff", b"<table>", b"<td colspan=9999>", b"<svg>", b"<b>" * 500, b"&#x110000;"),
    *(b"<<", b">>", b" obj", b"stream\n", b"endstream", b"/Kids[1 0 R]", b"/Length 999999999", b"1 0 R", b"[" * 2000),
    *(b"/Filter/FlateDecode", b"-1", b"99999999999999999999", b"(", b"BT", b"\r", b"%%EOF", b"xref", b"\xef\xbb\xbf"),
]
EVERYTHING = ReadOptions(
    CleaningOptions(True, True, True, True, True),
    PdfOptions("pypdf", True, True, True, True),
    HtmlOptions(True),
    TableOptions(True),
)


def real_files(shared_data):
    """Name and bytes of every file of these folders, those too that no user would drop."""
    paths = [path for folder in ("pdf", "inputs", "html", "markdown") for path in (shared_data / folder).rglob("*")]
    return [(path.name, path.read_bytes()) for path in sorted(paths) if path.is_file()]


def changed(source, data, other):
    """One of the usual accidents and attacks, or a few of them."""
    made = bytearray(data)
    for _ in range(source.choice([1, 1, 2, 5, 20])):
        at = source.randrange(len(made) + 1)
        until = at + source.choice([1, 2, 8, 64, 512, 4096])
        match source.randrange(6):
            case 0:
                del made[at:until]
            case 1:
                made[at:at] = source.choice(PIECES)
            case 2:
                made[at:until] = made[at:until] * source.choice([2, 3, 50])
            case 3:
                del made[at or 1 :]
            case 4:
                start = source.randrange(len(other) + 1)
                made[at:until] = other[start : start + until - at]
            case _:
                for place in range(at, min(until, len(made))):
                    made[place] = made[place] ^ (1 << source.randrange(8))
        if not made:
            made = bytearray(source.choice(PIECES))
    return bytes(made)


def changed_archive(source, data, other):
    """An office file with one of its parts changed, in an archive that is whole."""
    members = members_of(data)
    name = source.choice(sorted(members))
    members[name] = changed(source, members[name], other)
    return archive(members, source.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED]))


def mutants(shared_data):
    """Changed files, always the same for a seed."""
    source = random.Random(SEED)
    files = [file for file in real_files(shared_data) if f".{file[0].rpartition('.')[2]}" in ENDINGS]
    real = [(name, data) for name, data in files if len(data) < LARGE]
    kinds = {ending: [file for file in real if file[0].endswith(ending)] for ending in sorted(ENDINGS - {".txt"})}
    office = [(f"a.{kind}", make()) for kind, make in OFFICE_FILES.items()]
    for number in range(MUTANTS):
        if number % 4 == 3:
            name, data = source.choice(office)
            change = source.choice([changed, changed_archive])
        else:
            name, data = source.choice(source.choice(list(kinds.values())))
            change = changed
        yield f"{number} {name}", change(source, data, source.choice(real)[1])


def read_all(files, options, limits=None):
    """What became of each file; fails where it is neither a document nor one sentence."""
    ends = {"document": 0, "refused": 0, "limit": 0}
    for outcome in read_many(files, options=options, limits=limits):
        assert (outcome.document is None) == bool(outcome.error or outcome.same_as), outcome
        if outcome.error:
            assert outcome.error.startswith(f"{outcome.name!r} "), outcome.error
            assert outcome.error.endswith("."), outcome.error
            assert len(re.findall(r"[.!?](?:\s|$)", outcome.error.replace(repr(outcome.name), ""))) == 1, outcome.error
            ends["limit" if re.search("takes longer|of memory|reader down", outcome.error) else "refused"] += 1
        elif outcome.document:
            outcome.document.text.encode("utf-8")
            assert "\0" not in outcome.document.text
            assert outcome.document.text
            assert list(outcome.document.page_starts) == sorted(outcome.document.page_starts)
            ends["document"] += 1
    return ends


@pytest.mark.parametrize(
    "options",
    [
        ReadOptions(),
        EVERYTHING,
        ReadOptions(pdf=PdfOptions("pdfium")),
        ReadOptions(pdf=PdfOptions("columns", outline=True)),
    ],
    ids=["plain", "everything", "pdfium", "columns"],
)
def test_every_real_file_ends_in_a_document_or_one_sentence(shared_data, options):
    """None of them needs more than the limits allow."""
    files = real_files(shared_data)
    assert len(files) > 200
    if options.pdf != PdfOptions() and options != EVERYTHING:
        files = [file for file in files if file[0].endswith(".pdf")]
    ends = read_all(files, options)
    print(f"{len(files)} files: {ends}")
    assert ends["limit"] == 0
    assert ends["document"] > len(files) * 0.6


def test_every_changed_file_ends_in_a_document_or_one_sentence(shared_data):
    files = list(mutants(shared_data))
    plain = read_all(files[::3], None)
    options = read_all(files[1::3], EVERYTHING)
    pdfium = read_all(files[2::3], ReadOptions(pdf=PdfOptions("columns", outline=True)))
    ends = {end: plain[end] + options[end] + pdfium[end] for end in plain}
    print(f"{MUTANTS} changed files: {ends}")
    assert ends["document"] > MUTANTS * 0.2
    assert ends["refused"] > 0


def test_files_that_would_take_the_machine_down_are_ended_by_a_limit():
    """With limits that are reached at once, whatever the kind of file."""
    few = Limits(memory=90_000_000, seconds=300)
    heavy = b"<p><i>x</i>" * 2_000_000
    [outcome] = read_many([("a.html", heavy)], limits=few)
    assert "needs more than 90 MB of memory" in outcome.error
