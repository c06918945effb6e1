"""Why these libraries read: each beside its rivals on pages, texts and PDF files whose words are known, in one run.

    python -m tests.benchmarks.reading_rivals

It needs the project's test data (``RAGCHUNK_SHARED_DATA`` or ``../shared/data``) and takes two minutes. Rivals are
told to leave links and emphasis out where they can, so that nobody is blamed for an address. "Ours" is
``documents.read``.

* HTML: pages of inscriptis with its text: words the same, and in the same order (sorted and unsorted, without bullets);
  reported faults (``cases.jsonl``): the text that each report says is right; deep pages: whether the one word in them
  is found within 30 seconds, in a process of its own; MB/s of all these pages.
* Encodings: passages of XQuAD, whole and their first 60 characters, in eleven encodings that name themselves nowhere:
  how many are decoded as they were.
* PDF: texts known from elsewhere than a PDF reader that are read word for word; files of the test data from which some
  text comes; pages per second of CPU time over those that all read.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import re
import time
from collections.abc import Callable
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ragchunk_core.documents import ReadOptions, read
from ragchunk_core.documents.reading_options import PdfOptions
from tests.benchmarks.reading_speed import DATA, bare_detection
from tests.test_encodings import LEGACY
from tests.test_pdf_options import oracles, said

SECONDS = 30
LIBRARIES = ("turbohtml", "markdownify", "html-to-markdown", "html2text", "charset-normalizer", "pypdf", "pdfplumber")
DEEP = {
    "1,000 div": "<div>" * 1_000 + "deepest",
    "20,000 b": "<b>" * 20_000 + "deepest",
    "2,000 tables": "<table><tr><td>" * 2_000 + "deepest",
    "10,000 lists": "<ul><li>" * 10_000 + "deepest",
}
Convert = Callable[[bytes], str]


def ours(data: bytes) -> str:
    return read(data, "a.html").text


def turbohtml(data: bytes) -> str:
    from turbohtml import Markdown, parse

    options = Markdown(inline=Markdown.Inline(ignore_emphasis=True), links=Markdown.Links(ignore=True))
    return str(parse(data).to_markdown(options))


def markdownify(data: bytes) -> str:
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    made = MarkdownConverter(strip=["a", "b", "strong", "i", "em"])
    return str(made.convert_soup(BeautifulSoup(data, "html.parser")))


def html_to_markdown(data: bytes) -> str:
    from html_to_markdown import ConversionOptions, convert

    return str(convert(data.decode("utf-8", "replace"), ConversionOptions(strip_tags=["a"])).content)


def html2text(data: bytes) -> str:
    from html2text import HTML2Text

    made = HTML2Text(bodywidth=0)
    made.ignore_links = made.ignore_emphasis = True
    return str(made.handle(data.decode("utf-8", "replace")))


HTML: dict[str, Convert] = {
    "ours": ours,
    "turbohtml, bare": turbohtml,
    "markdownify": markdownify,
    "html-to-markdown": html_to_markdown,
    "html2text": html2text,
}


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def attempt(convert: Convert, page: bytes) -> str:
    """The text, or nothing where the library ends in an error."""
    try:
        return convert(page)
    except Exception:
        return ""


def inscriptis() -> list[tuple[bytes, list[str]]]:
    """Pages with the words of their text."""
    folder = DATA / "html" / "inscriptis"
    bullets = re.compile(r"^ *[o*+] ", re.MULTILINE)
    return [
        (path.read_bytes(), words(bullets.sub("", path.with_suffix(".txt").read_text(encoding="utf-8"))))
        for path in sorted(folder.glob("*.html"))
        if path.with_suffix(".txt").exists()
    ]


def faults() -> list[tuple[str, bytes, Callable[[str], bool]]]:
    """Reported pages, by id, with what is to be so of their text; the empty page and one on chunks are left out."""
    lines = (DATA / "cases.jsonl").read_text(encoding="utf-8").split("\n")
    found = []
    for case in map(json.loads, filter(None, lines)):
        right = case["right"]
        if not case["id"].startswith("htm-") or not case["input"] or "paths" in right:
            continue
        page = case["input"].encode()
        if case["settings"].get("bytes"):
            page = case["input"].removesuffix(" (bytes)").encode().decode("unicode_escape").encode("latin-1")
        if "must_contain" in right:
            expected = words(" ".join(right["must_contain"]))
            found.append((case["id"], page, lambda text, e=expected: words(text) == e))
        elif "order" in right:
            found.append((case["id"], page, lambda text, e=right["order"]: [w for w in words(text) if w in e] == e))
        else:
            part = next(iter(right.values()))
            found.append((case["id"], page, lambda text, part=part: part in text))
    return found


def deep(convert: Convert, page: bytes) -> str:
    """What comes of a deep page, in a process that may be ended."""

    def run(end: Connection) -> None:
        try:
            end.send("read" if "deepest" in convert(page) else "lost")
        except BaseException as error:
            end.send(type(error).__name__)

    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=run, args=(there,))
    start = time.monotonic()
    process.start()
    there.close()
    try:
        found = str(here.recv()) if here.poll(SECONDS) else "ended"
        seconds = time.monotonic() - start
        return f"{found}, {seconds:.0f} s" if seconds > 1 else found
    except EOFError:
        return "crash"
    finally:
        process.kill()
        process.join()


def cpu(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def html() -> None:
    pairs, cases = inscriptis(), faults()
    size = sum(len(page) for page, _ in pairs) / 1e6
    print(f"{'HTML':18}{'words':>9}{'in order':>9}{'faults':>9}{'MB/s':>8}  " + "".join(f"{name:>16}" for name in DEEP))
    for name, convert in HTML.items():
        found = [(words(attempt(convert, page)), expected) for page, expected in pairs]
        same = sum(sorted(text) == sorted(expected) for text, expected in found)
        order = sum(text == expected for text, expected in found)
        held = sum(holds(attempt(convert, page)) for _, page, holds in cases)
        seconds = min(cpu(lambda convert=convert: [attempt(convert, page) for page, _ in pairs]) for _ in range(5))
        ends = "".join(f"{deep(convert, page.encode()):>16}" for page in DEEP.values())
        of = len(pairs)
        print(
            f"{name:18}{f'{same}/{of}':>9}{f'{order}/{of}':>9}{f'{held}/{len(cases)}':>9}{size / seconds:>8.1f}  {ends}"
        )


def encodings() -> None:
    readers = {"ours": lambda data: read(data, "a.txt").text, "charset-normalizer": bare_detection}
    print()
    for label, most in (("whole", None), ("first 60 characters", 60)):
        right, count = dict.fromkeys(readers, 0), 0
        for language, codecs in LEGACY.items():
            data = json.loads((DATA / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
            passages = [paragraph["context"][:most] for article in data for paragraph in article["paragraphs"]][:80]
            for codec in codecs:
                texts = [passage.encode(codec, "ignore").decode(codec) for passage in passages]
                texts = [text for text in texts if not text.isascii()]
                count += len(texts)
                for name, reader in readers.items():
                    right[name] += sum(attempt(reader, text.encode(codec)) == text for text in texts)
        found = ", ".join(f"{name} {number}" for name, number in right.items())
        print(f"Encodings, {count} passages, {label}, right: {found}")


def pdfplumber(data: bytes) -> list[str]:
    import io

    import pdfplumber as library

    with library.open(io.BytesIO(data)) as file:
        return [page.extract_text() for page in file.pages]


def pdf_by(engine: str) -> Callable[[bytes], list[str]]:
    return lambda data: [read(data, "a.pdf", options=ReadOptions(pdf=PdfOptions(engine))).text]


def pdf() -> None:
    readers = {f"ours, {engine}": pdf_by(engine) for engine in ("pypdf", "pdfium", "columns")} | {
        "pdfplumber": pdfplumber
    }
    known, paths = oracles(DATA), sorted((DATA / "pdf").glob("*.pdf"))
    timed = [DATA / "pdf" / name for name in ("dmca_us_gov.pdf", "tracemonkey_a11y.pdf", "multicolumn.pdf")]
    pages = sum(len(read(path.read_bytes(), path.name).page_starts) for path in timed)
    logging.getLogger("pdfminer").setLevel(logging.CRITICAL)
    print(f"\n{'PDF':18}{'word for word':>15}{'with text':>11}{'pages/s':>9}")
    for name, reader in readers.items():

        def text(path: Path, reader: Callable[[bytes], list[str]] = reader) -> str:
            return attempt(lambda data: "\n\n".join(reader(data)), path.read_bytes())

        exact = sum(said(expected) in said(text(DATA / "pdf" / file)) for file, expected in known.items())
        some = sum(bool(text(path).strip()) for path in paths)
        seconds = cpu(lambda text=text: [text(path) for path in timed])
        print(f"{name:18}{f'{exact}/{len(known)}':>15}{f'{some}/{len(paths)}':>11}{pages / seconds:>9.1f}")


def main() -> None:
    """Print three tables."""
    print(", ".join(f"{name} {version(name)}" for name in LIBRARIES))
    html()
    encodings()
    pdf()


if __name__ == "__main__":
    main()
