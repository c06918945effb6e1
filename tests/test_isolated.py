"""Reading in a process of its own: limits hold, one bad file costs nobody else, and many files report one by one."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import pytest

from ragchunk_core import Document
from ragchunk_core.documents import CancelledError, Limits, PasswordError, ReadError, ReadOptions, isolated, read
from ragchunk_core.documents.isolated import read_isolated
from ragchunk_core.documents.many import read_many
from ragchunk_core.documents.reading_options import CleaningOptions
from tests.test_pdf import pages, shows

ROOT = Path(__file__).resolve().parent.parent
PAGE = b"<h1>Title</h1><p>Words \xe2\x82\xac.<ul><li>one</ul>"
LONG = Limits(seconds=300)
# Some seconds of work for any machine: pages of many short strings, each placed for itself.
SLOW = pages(
    *[b"BT /F 12 Tf " + b"".join(b"1 0 0 1 %d %d Tm (ab) Tj " % (x % 97, x) for x in range(9_000)) + b"ET"] * 40
)


def outcome(reading, data, name):
    """A document, or the kind and words of the refusal."""
    try:
        return reading(data, name)
    except ReadError as refused:
        return type(refused), str(refused)


def deep(count: int) -> bytes:
    """A page whose tree takes far more memory than its bytes."""
    return b"<p><i>x</i>" * count


def test_d10_a_process_of_its_own_gives_what_reading_here_gives(shared_data):
    """Text, pages, notes, encoding and name, whatever the kind."""
    files = [(PAGE, "../a b.html"), (b"caf\xe9 \x93x\x94", "a.txt"), (b"<meta charset=latin1><p>\xe9", "a.htm")]
    files += [(path.read_bytes(), path.name) for path in sorted((shared_data / "inputs").glob("pdf_[eh]*.pdf"))]
    ends = [(outcome(read, data, name), outcome(read_isolated, data, name)) for data, name in files]
    assert all(here == there for here, there in ends)
    assert {type(here) for here, _ in ends} == {Document, tuple}


def test_d10_password_encoding_options_and_limits_reach_the_process(shared_data):
    locked = (shared_data / "pdf" / "crazyones-encrypted-256.pdf").read_bytes()
    with pytest.raises(PasswordError):
        read_isolated(locked, "a.pdf")
    assert "crazy ones" in read_isolated(locked, "a.pdf", password="password").text
    assert read_isolated(b"<p>Gr\x94\xe1e", "a.html", encoding="IBM850").text == "Größe"
    options = ReadOptions(cleaning=CleaningOptions(no_break=True))
    assert read_isolated(b"<p>a&nbsp;b", "a.html", options=options).text == "a b"
    with pytest.raises(ReadError, match=r"^'a\.html' unfolds to more than 10 characters; no more are allowed\.$"):
        read_isolated(b"<p>12345678901", "a.html", limits=Limits(text=10))


def test_the_reading_process_loads_no_screen_and_no_model():
    code = (
        "import sys, ragchunk_core.documents.worker, ragchunk_core.documents.many\n"
        "print([name for name in ('streamlit', 'torch', 'pandas', 'transformers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_file_that_takes_too_long_is_given_up_with_one_sentence():
    start = time.monotonic()
    with pytest.raises(ReadError, match=r"^'a\.pdf' takes longer than 0\.5 seconds to read .*\.$"):
        read_isolated(SLOW, "a.pdf", limits=Limits(seconds=0.5))
    assert time.monotonic() - start < 60  # the process was killed, not waited for
    assert read_isolated(PAGE, "a.html", limits=LONG).text == read(PAGE, "a.html").text


def test_a_file_that_needs_too_much_memory_is_given_up_with_one_sentence():
    isolated._POOL.close()  # a process that has read much has less left
    few = Limits(memory=120_000_000, seconds=300)
    assert read_isolated(deep(1_000), "a.html", limits=few).text
    with pytest.raises(ReadError, match=r"^'a\.html' needs more than 120 MB of memory to be read .*\.$"):
        read_isolated(deep(1_000_000), "a.html", limits=few)
    bomb = pages(b"").replace(zlib.compress(b""), zlib.compress(b"(" * 10_000_000))
    with pytest.raises(ReadError, match=r"^'a\.pdf' "):
        read_isolated(bomb, "a.pdf", limits=few)
    assert read_isolated(deep(1_000), "a.html", limits=few).text


def test_a_process_that_is_gone_costs_only_its_own_file():
    """Killed from outside, as a crash or the system would: idle, and in the middle of a file."""
    before = read_isolated(PAGE, "a.html")
    for process in isolated._POOL._idle:
        process.kill()
    assert read_isolated(PAGE, "a.html") == before
    started = []
    made = isolated._Process

    def remembered():
        started.append(made())
        return started[-1]

    isolated._POOL.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolated, "_Process", remembered)
        threading.Timer(1.5, lambda: started[0].kill()).start()
        with pytest.raises(ReadError, match=r"^'a\.pdf' brought its reader down .*; it was not read\.$"):
            read_isolated(SLOW, "a.pdf", limits=LONG)
    assert read_isolated(PAGE, "a.html") == before


def test_the_reading_processes_end_with_the_app():
    """Even where the app is killed: they see that their input has ended."""
    code = (
        "import os, sys\n"
        "from ragchunk_core.documents import isolated\n"
        "isolated.read_isolated(b'<p>x', 'a.html')\n"
        "print(isolated._POOL._idle[0]._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    end = time.monotonic() + 30
    while running(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not running(pid)


def running(pid):
    """Whether there is such a process, one that has ended and was not waited for apart."""
    status = Path(f"/proc/{pid}/stat")
    with contextlib.suppress(OSError):
        return status.read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def test_a_machine_that_starts_no_process_says_so(monkeypatch):
    isolated._POOL.close()
    monkeypatch.setattr(isolated, "_COMMAND", ("-c", "pass"))
    with pytest.raises(ReadError, match=r"^'a\.html' was not read: this machine starts no reading process"):
        read_isolated(PAGE, "a.html")


def test_killing_a_file_of_one_session_leaves_the_others_alone():
    """Good files of other threads are read while bad ones are killed again and again."""
    refused, texts = [], []

    def bad():
        for _ in range(3):
            with pytest.raises(ReadError, match="takes longer"):
                read_isolated(SLOW, "bad.pdf", limits=Limits(seconds=0.2))
            refused.append(1)

    def good():
        texts.extend(read_isolated(PAGE, "good.html", limits=LONG).text for _ in range(40))

    threads = [threading.Thread(target=target) for target in (bad, good, good, good)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 3
    assert texts == [read(PAGE, "good.html").text] * 120


def test_reading_can_be_cancelled():
    asked = []
    with pytest.raises(CancelledError, match=r"^'a\.pdf' was not read: cancelled\.$"):
        read_isolated(SLOW, "a.pdf", limits=LONG, cancelled=lambda: bool(asked.append(1)) or len(asked) > 2)


def test_limits_are_set_by_the_environment_and_shown():
    assert Limits.from_environment({}) == Limits()
    set_to = {"RAGCHUNK_READ_SECONDS": "2.5", "RAGCHUNK_READ_PAGES": "7", "OTHER": "x"}
    assert Limits.from_environment(set_to) == Limits(seconds=2.5, pages=7)
    for name, value in [("SECONDS", "soon"), ("PAGES", "1.5"), ("PAGES", "0"), ("SECONDS", "nan"), ("MEMORY", "-1")]:
        with pytest.raises(ValueError, match=r"must be a (whole )?number above 0\.$"):
            Limits.from_environment({f"RAGCHUNK_READ_{name}": value})
    lines = Limits().lines()
    assert "at most 20.0 seconds that one file may take" in lines
    assert len(lines) == 9


def test_d03_each_of_many_files_ends_in_a_document_or_a_sentence(shared_data):
    locked = (shared_data / "inputs" / "pdf_enc_user.pdf").read_bytes()
    files = [
        ("a.txt", b"alpha"),
        ("b.pdf", b"%PDF-1.7 broken"),
        ("c.html", lambda: b"<p>gamma"),
        ("again.md", b"alpha"),
        ("locked.pdf", locked),
        ("x/known.txt", b"known"),
        ("d.xyz", b"x"),
        ("e.txt", b"caf\x82"),
        ("gone.txt", lambda: (_ for _ in ()).throw(FileNotFoundError("gone"))),
    ]
    known = {Document.from_text("known").id: "there.txt"}
    outcomes = list(read_many(files, known=known, encodings={"e.txt": "IBM850"}))
    assert [one.place for one in outcomes] == list(range(9))
    assert [one.name for one in outcomes] == [
        "a.txt", "b.pdf", "c.html", "again.md", "locked.pdf", "known.txt", "d.xyz", "e.txt", "gone.txt",
    ]  # fmt: skip
    texts = [one.document.text if one.document else None for one in outcomes]
    assert texts == ["alpha", None, "gamma", None, None, None, None, "café", None]
    assert [one.same_as for one in outcomes] == ["", "", "", "a.txt", "", "there.txt", "", "", ""]
    assert [bool(one.error) for one in outcomes] == [False, True, False, False, True, False, True, False, True]
    assert [one.place for one in outcomes if one.needs_password] == [4]
    assert outcomes[-1].error == "'gone.txt' could not be read (FileNotFoundError)."
    assert not any(one.cancelled for one in outcomes)


def test_d03_two_hundred_files_report_one_by_one_and_a_bad_one_loses_none():
    files = [(f"{n}.html", b"<p>page %d" % n) if n % 10 else (f"{n}.pdf", b"%PDF-1.7 no") for n in range(200)]
    places = []
    for made in read_many(files):
        places.append(made.place)
        assert (made.document is None) == (made.place % 10 == 0) == bool(made.error)
        assert made.document is None or made.document.text == f"page {made.place}"
    assert places == list(range(200))


def test_d03_cancelling_keeps_what_was_read_and_tells_the_rest():
    files = [(f"{n}.html", b"<p>page %d" % n) for n in range(3)] + [("slow.pdf", SLOW)] + [("z.txt", b"z")] * 30
    seen = []
    for made in read_many(files, limits=LONG, cancelled=lambda: len(seen) >= 3):
        seen.append(made)  # noqa: PERF402
    assert [one.document.text for one in seen[:3]] == ["page 0", "page 1", "page 2"]
    assert seen[3].cancelled
    assert seen[3].error == "'slow.pdf' was not read: cancelled."
    assert len(seen) == 34
    assert seen[-1].cancelled
    assert seen[-1].error == "'z.txt' was not read: cancelled."


def test_d03_leaving_the_iteration_gives_up_what_is_being_read(monkeypatch):
    """As when the page is run anew: nothing is waited for."""
    killed = []
    kill = isolated._Process.kill
    monkeypatch.setattr(isolated._Process, "kill", lambda process: killed.append(1) or kill(process))
    reading = read_many([("a.html", PAGE), *[("slow.pdf", SLOW)] * 5], limits=LONG)
    assert next(reading).document is not None
    assert not killed
    reading.close()
    assert killed


def test_d03_what_is_asked_while_waiting_may_raise():
    """As Streamlit's calls do once the page is to be run anew."""

    def asked():
        raise InterruptedError("run anew")

    start = time.monotonic()
    with pytest.raises(InterruptedError, match="run anew"):
        list(read_many([("slow.pdf", SLOW)] * 3, limits=LONG, cancelled=asked))
    assert time.monotonic() - start < 60
    assert read_isolated(PAGE, "a.html", limits=LONG).text


def test_d03_a_text_of_50_mb_and_a_pdf_of_500_pages_are_read():
    text = ("Ein Satz mit Umlauten: äöü. " * 40 + "\n").encode()
    large = text * (50_000_000 // len(text))
    book = pages(*(shows(f"Page {number}") for number in range(1, 501)))
    big, long = read_many([("large.txt", large), ("book.pdf", book)])
    assert big.document is not None
    assert big.document.text.encode() == large
    assert long.document is not None
    assert len(long.document.page_starts) == 500
    assert [long.document.page_of(long.document.text.index(f"Page {n}\n")) for n in (1, 250, 499)] == [1, 250, 499]


def test_d03_large_files_report_one_by_one_and_stop_when_asked(shared_data):
    """50 MB of text, a broken file, a PDF of 500 heavy pages that is given up in the middle, and what is behind it."""
    text = (shared_data / "sotu" / "state_of_the_union.txt").read_bytes()
    large = text * (50_000_000 // len(text))
    marks = b"BT /F 12 Tf " + b"".join(b"1 0 0 1 %d %d Tm (ab) Tj " % (x % 97, x) for x in range(2_000)) + b"ET"
    files = [("large.md", large), ("no.pdf", b"%PDF-1.7 no"), ("book.pdf", pages(*[marks] * 500)), ("again.md", large)]
    seen, start = [], time.monotonic()
    for one in read_many(files, limits=LONG, cancelled=lambda: len(seen) == 2):
        seen.append(one)  # noqa: PERF402
    assert time.monotonic() - start < 60  # the book alone takes longer than a file may
    assert [one.place for one in seen] == [0, 1, 2, 3]
    assert seen[0].document is not None
    assert len(seen[0].document.text.encode()) == len(large) > 49_000_000
    assert seen[1].error.startswith("'no.pdf' is broken or no PDF; ")
    assert seen[2].error == "'book.pdf' was not read: cancelled."
    assert [one.cancelled for one in seen[:3]] == [False, False, True]
    assert seen[3].same_as == "large.md" or seen[3].cancelled
