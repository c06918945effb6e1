"""V07: the code that is shown makes the same chunks; it is run here as it stands, on a file of that name."""

from __future__ import annotations

from contextlib import chdir

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.code_samples import LIBRARIES, code_sample
from ragchunk_core.samples import sample_corpus, structure_corpus
from ragchunk_core.units.vocabularies import load
from tests.test_recursive_random import ALPHABETS, LITERALS, PATTERNS

ONE_LINE = (
    "The lamp was lit at dusk. Keepers wound the clockwork by hand! Was it heavy? It was. A lens bends light. "
    "Prisms reflect it whole. Invoices are due on Monday. Overdue ones stop new messages. They never stop old ones."
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder to run code in; tiktoken's vocabularies are loaded before, for the code asks for them by name."""
    for name in ("cl100k_base", "o200k_base"):
        load(name)
    return tmp_path_factory.mktemp("code")


def run(code, text, folder):
    """What the code leaves in ``chunks`` when the file holds this text."""
    (folder / "document.txt").write_bytes(text.encode("utf-8"))
    space = {"__name__": "sample"}
    with chdir(folder):
        exec(compile(code, "sample", "exec"), space)
    return space["chunks"]


def assert_same(made, library, folder):
    sample = code_sample([made], library)
    assert sample.reason == ""
    assert run(sample.code, made.document.text, folder) == made.texts()


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize("document", range(3))
def test_v07_this_cores_code_makes_the_same_chunks(chunker, document, folder):
    """V07: every chunker, with its usual options."""
    made = chunk(sample_corpus().documents[document], chunker, size=90, overlap=17, unit="words")
    assert_same(made, "ragchunk_core", folder)


@pytest.mark.parametrize(
    ("chunker", "options"),
    [
        ("recursive", {"separators": ("\n", 'a"b', "'", "\\", ""), "keep": "end", "strip": False}),
        ("markdown", {"level": 1, "context": "path", "headings": "strip"}),
        ("sentence", {"carry": 0, "long": "cut", "tail": 50}),
        ("semantic", {"threshold": "interquartile", "amount": 0.5, "maximum": 200}),
        ("fixed", {"graphemes": True}),
    ],
)
def test_v07_this_cores_code_carries_the_options(chunker, options, folder):
    """V07: options of every kind, and a size in tokens."""
    made = chunk(sample_corpus().documents[0], chunker, size=120, overlap=11, unit="cl100k", **options)
    plain = chunk(sample_corpus().documents[0], chunker, size=120, overlap=11, unit="cl100k")
    assert_same(made, "ragchunk_core", folder)
    assert made.texts() != plain.texts() or chunker == "fixed"


@pytest.mark.parametrize("document", structure_corpus().documents, ids=lambda one: one.name)
@pytest.mark.parametrize("chunker", ["structure", "code", "records"])
def test_v07_this_cores_code_names_the_document_where_its_ending_counts(document, chunker, folder):
    """V07: a program, a CSV file and a Markdown page under the chunkers that go by the ending of the name."""
    assert_same(chunk(document, chunker, size=200), "ragchunk_core", folder)


def test_v07_the_code_reads_like_code():
    """V07: nothing that is a default is written out."""
    made = chunk(Document.from_text("a b c"), "recursive", size=400, overlap=50, strip=False)
    assert code_sample([made], "ragchunk_core").code == (
        "from ragchunk_core import Document, chunk\n\n"
        'with open("document.txt", encoding="utf-8", newline="") as file:\n    text = file.read()\n\n'
        "chunking = chunk(\n    Document.from_text(text),\n    'recursive',\n    size=400,\n    overlap=50,\n"
        "    unit='chars',\n    strip=False,\n)\nchunks = chunking.texts()\n"
    )


# LangChain and LlamaIndex

UNITS_COUNTED = ["chars", "words", "cl100k", "o200k", "chars4", "chars38", "tokens", "wordpieces"]


@pytest.mark.parametrize("library", ["langchain", "llama-index"])
@pytest.mark.parametrize("unit", UNITS_COUNTED)
def test_v07_recursive_by_other_libraries(unit, library, folder):
    """V07: on the sample, in every unit."""
    for document in sample_corpus().documents:
        assert_same(chunk(document, "recursive", size=80, overlap=20, unit=unit), library, folder)


@given(data=st.data())
def test_v07_recursive_with_any_options_by_langchain(data, folder):
    """V07: separators, expressions, kept where, stripped or not: what code is given for is equal, the rest is told."""
    text = "".join(data.draw(st.lists(st.sampled_from(data.draw(st.sampled_from(ALPHABETS))), max_size=40)))
    regex = data.draw(st.booleans())
    size = data.draw(st.integers(1, 14))
    separators = data.draw(st.sampled_from(LITERALS) if not regex else st.lists(st.sampled_from(PATTERNS), min_size=1))
    made = chunk(
        Document.from_text(text), "recursive", size=size, overlap=data.draw(st.integers(0, size - 1)),
        unit=data.draw(st.sampled_from(["chars", "words", "cl100k"])), separators=tuple(separators), regex=regex,
        keep=data.draw(st.sampled_from(["start", "end", "none"])), strip=data.draw(st.booleans()),
    )  # fmt: skip
    if regex and made.options.keep == "none":
        assert "langchain#39569" in code_sample([made], "langchain").reason
    else:
        assert_same(made, "langchain", folder)


@pytest.mark.parametrize("library", ["langchain", "llama-index"])
@pytest.mark.parametrize(("size", "overlap"), [(400, 50), (60, 0), (7, 6), (100_000, 10)])
@pytest.mark.parametrize("unit", ["chars", "cl100k", "o200k"])
def test_v07_windows_by_other_libraries(unit, size, overlap, library, folder):
    """V07: windows of characters and of exact tokens; the sample's English is cut at whole characters."""
    for document in (
        sample_corpus().documents[:2] if size > 7 or unit == "chars" else [Document.from_text(ONE_LINE * 3)]
    ):
        assert_same(chunk(document, "fixed", size=size, overlap=overlap, unit=unit), library, folder)


@given(
    text=st.text(alphabet="a b\n\r\t 東é🚀👩\u200d", max_size=60),
    size=st.integers(1, 12),
    share=st.floats(0, 0.99),
    unit=st.sampled_from(["chars", "cl100k", "o200k"]),
)
def test_v07_windows_of_any_text(text, size, share, unit, folder):
    """V07: code where the chunks are equal; where a token is part of a character, the reason, and there they differ."""
    made = chunk(Document.from_text(text), "fixed", size=size, overlap=int(size * share), unit=unit)
    sample = code_sample([made], "langchain")
    if sample.code:
        assert run(sample.code, text, folder) == made.texts()
    else:
        from langchain_text_splitters import TokenTextSplitter

        assert "replacement character" in sample.reason
        splitter = TokenTextSplitter(
            encoding_name=f"{unit}_base", chunk_size=size, chunk_overlap=made.overlap, disallowed_special=()
        )
        assert splitter.split_text(text) != made.texts()


@settings(max_examples=60)
@given(
    text=st.text(alphabet="ab \n\t\x00\u2028é", max_size=40),
    size=st.integers(1, 9),
    chunker=st.sampled_from(["fixed", "recursive"]),
    strip=st.booleans(),
)
def test_v07_llama_index_changes_nothing_of_a_chunk(text, size, chunker, strip, folder):
    """V07: chunks of white space alone, control characters, an empty text."""
    options = {"strip": strip} if chunker == "recursive" else {}
    assert_same(chunk(Document.from_text(text), chunker, size=size, **options), "llama-index", folder)


def test_v07_special_tokens_in_the_text_are_text(folder):
    """V07, U03: the code does not stop at ``<|endoftext|>``."""
    document = Document.from_text("Before <|endoftext|> and after. " * 9)
    for chunker in ("fixed", "recursive"):
        assert_same(chunk(document, chunker, size=10, overlap=2, unit="cl100k"), "langchain", folder)


@pytest.mark.parametrize("library", ["langchain", "llama-index"])
@pytest.mark.parametrize(
    "options",
    [
        {"amount": 60.0},
        {"threshold": "interquartile", "amount": 0.5, "buffer": 0},
        {"threshold": "gradient", "amount": 70.0},
        {"threshold": "standard_deviation", "amount": 0.8, "minimum": 60},
        {},
    ],
)
def test_v07_semantic_by_other_libraries(options, library, folder):
    """V07: the same vectors, the same cuts, where one space stands between the sentences."""
    made = chunk(Document.from_text(ONE_LINE), "semantic", rule="langchain", **options)
    assert len(made) > 1
    assert_same(made, library, folder)


# Where there is none

COUNTERPARTS = ("recursive", "fixed", "semantic")


@pytest.mark.parametrize("library", ["langchain", "llama-index"])
@pytest.mark.parametrize(
    ("chunker", "settings", "said"),
    [
        ("recursive", {"tail": 5}, "short last chunk"),
        ("recursive", {"graphemes": True}, "displayed characters whole"),
        ("recursive", {"regex": True, "keep": "none"}, "langchain#39569"),
        ("recursive", {"regex": True, "separators": (r"(\d)\.", "")}, "langchain#12832"),
        ("fixed", {"unit": "words"}, "no windows of words"),
        ("fixed", {"unit": "tokens"}, "no windows of tokens (≈ cl100k)"),
        ("semantic", {}, "sentences by another rule"),
        ("semantic", {"rule": "langchain", "maximum": 90}, "no largest length"),
        ("semantic", {"rule": "langchain", "chunks": 2}, "the number of chunks that is asked for"),
        ("semantic", {"rule": "langchain"}, "one space in place of the white space"),
        *((name, {}, f"the chunker “{CHUNKERS[name].label}” ") for name in CHUNKERS if name not in COUNTERPARTS),
    ],
)  # fmt: skip
def test_v07_why_there_is_no_code(chunker, settings, said, library):
    """V07: one sentence, and no code."""
    made = chunk(Document.from_text("One. Two.\n\nThree is 3.5 long. Four."), chunker, **settings)
    sample = code_sample([made], library)
    assert sample.code == ""
    assert said in sample.reason
    assert sample.reason.startswith(f"There is no {LIBRARIES[library]} code for these chunks: ")
    assert sample.reason.endswith(".")
    assert code_sample([made], "ragchunk_core").code


def test_v07_all_documents_must_be_cut_alike():
    """V07: one text that LangChain would garble is enough for no code; chunkings of two settings are refused."""
    sound, garbled = (
        chunk(Document.from_text(t), "fixed", size=1, unit="cl100k") for t in ("plain", "\u6771\U0001f469")
    )
    assert code_sample([sound], "langchain").code
    assert "replacement character" in code_sample([sound, garbled], "langchain").reason
    for several in ([], [sound, chunk(sound.document, "fixed", size=2, unit="cl100k")]):
        with pytest.raises(ValueError, match="must be of one setting"):
            code_sample(several, "langchain")
    with pytest.raises(
        ValueError, match="The library is 'haystack'; allowed are ragchunk_core, langchain, llama-index"
    ):
        code_sample([sound], "haystack")


def test_v07_another_model_stands_in_the_code():
    """V07: the model's name, where it is not the default, and only for chunkers that embed."""
    made = chunk(Document.from_text("One. Two. Three."), "semantic", rule="langchain")
    assert "load_embedder('my/model').encode" in code_sample([made], "ragchunk_core", model="my/model").code
    assert "load_embedder('my/model').encode(texts)" in code_sample([made], "langchain", model="my/model").code
    assert "load_embedder" not in code_sample([chunk(made.document, "fixed")], "ragchunk_core", model="my/model").code
