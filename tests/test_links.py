"""S01: settings as link parameters and back; S02: all presets."""

from __future__ import annotations

import dataclasses
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import chunk
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.links import link_parameters, link_query, option_name, parse_link
from ragchunk_core.options import options_of
from ragchunk_core.retrievers import METHODS
from ragchunk_core.samples import sample_corpus
from ragchunk_core.settings import PRESETS, Settings
from ragchunk_core.units import UNITS

# The example values of the playground's table of parameters, and what each sets.
S1_TABLE = {
    "size": ("400", {"size": 400}),
    "overlap": ("50", {"overlap": 50}),
    "unit": ("tokens", {"unit": "tokens"}),
    "on": ("recursive,markdown", {"on": ("recursive", "markdown")}),
    "ov": ("1", {}),  # the default
    "level": ("2", {"options": {"markdown": {"level": 2}}}),
    "mdsplit": ("1", {}),  # the default
    "ctx": ("1", {"options": {"markdown": {"context": "path"}}}),
    "seps": ('["\\n\\n","\\n"," ",""]', {}),  # the default
    "sem": ("percentile", {}),  # the default
    "amt": ("90", {"options": {"semantic": {"amount": 90.0}}}),
    "k": ("5", {"k": 5}),
    "theta": ("1", {"theta": 1.0}),
    "an": ("standard", {"analyzer": "standard"}),
    "rrfk": ("60", {"rrf_k": 60}),
    "emb": ("1", {"emb": True}),
    "method": ("hybrid", {"method": "hybrid"}),
    "chunker": ("markdown", {"chunker": "markdown"}),
    "doc": ("0", {"doc": 0}),
    "q": ("2", {"q": 2}),
}


def values_of(rule, default):
    """Every kind of value that an option allows."""
    if rule.choices:
        return st.sampled_from(list(rule.choices))
    if isinstance(default, bool):
        return st.booleans()
    if isinstance(default, int):
        return st.integers(int(rule.minimum), int(rule.maximum))
    if isinstance(default, float):
        return st.floats(rule.minimum, rule.maximum)
    return st.lists(st.text(max_size=5), min_size=1, max_size=5).map(tuple)


@st.composite
def chosen_options(draw):
    """Some options of some chunkers, none at its default."""
    made = {}
    for name, chunker in CHUNKERS.items():
        usual, own = chunker.options(), {}
        for option, rule in options_of(usual).items():
            if draw(st.integers(0, 3)) == 0:
                value = draw(values_of(rule, getattr(usual, option)))
                if value != getattr(usual, option):
                    own[option] = value
        if own:
            made[name] = own
    return made


ALL_SETTINGS = st.builds(
    Settings,
    corpus=st.sampled_from(["sample", "worked-example", "structure", "custom"]),
    size=st.integers(1, 100_000),
    unit=st.sampled_from(list(UNITS)),
    overlap=st.integers(0, 99_999),
    overlap_percent=st.booleans(),
    on=st.lists(st.sampled_from(list(CHUNKERS)), unique=True).map(tuple),
    chunker=st.sampled_from(list(CHUNKERS)),
    k=st.integers(1, 100),
    theta=st.floats(0, 1),
    analyzer=st.sampled_from(["english", "standard"]),
    rrf_k=st.integers(1, 1000),
    method=st.sampled_from(["all", *METHODS]),
    emb=st.booleans(),
    doc=st.integers(0, 999_999),
    q=st.integers(0, 999_999),
    options=chosen_options(),
)


@given(settings=ALL_SETTINGS)
def test_s01_settings_to_link_and_back(settings):
    """S01: every setting survives the link, as parameters and as the text of an address; nothing is refused."""
    for link in (link_parameters(settings), link_query(settings), "?" + link_query(settings)):
        read = parse_link(link)
        assert read.settings == settings
        assert read.notices == ()


@given(settings=ALL_SETTINGS, order=st.randoms(use_true_random=False))
def test_s01_link_to_settings_and_back(settings, order):
    """S01: a link in any order comes back as the same parameters."""
    pairs = list(link_parameters(settings).items())
    order.shuffle(pairs)
    assert link_parameters(parse_link(urlencode(pairs)).settings) == dict(pairs)


def test_s01_every_field_of_the_settings_has_a_parameter():
    """S01: a setting changed by itself changes the link; none is forgotten when one is added."""
    changed = {
        "corpus": "custom", "size": 7, "unit": "words", "overlap": 3, "overlap_percent": True, "on": ("fixed",),
        "chunker": "fixed", "k": 9, "theta": 0.25, "analyzer": "standard", "rrf_k": 10, "method": "emb", "emb": False,
        "doc": 2, "q": 4, "options": {"sentence": {"carry": 0}},
    }  # fmt: skip
    assert set(changed) == {field.name for field in dataclasses.fields(Settings)}
    links = [link_query(dataclasses.replace(Settings(), **{name: value})) for name, value in changed.items()]
    assert all(link.count("=") == 1 for link in links)
    assert len(set(links)) == len(changed)


@pytest.mark.parametrize("name", S1_TABLE)
def test_s01_the_playgrounds_examples_set_what_they_say(name):
    """S01: the names and values of s1's table."""
    value, sets = S1_TABLE[name]
    read = parse_link({name: value})
    assert read.settings == dataclasses.replace(Settings(), **sets)
    assert read.notices == ()


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        ("ctx", "path", "1"), ("ctx", "continuation", "continuation"), ("mdsplit", "0", "0"), ("theta", "0", "0"),
        ("theta", "1.0", "1"), ("sem", "interquartile", "interquartile"), ("unit", "cl100k", "cl100k"),
        ("seps", '["a", "\u3002"]', '["a","\\u3002"]'), ("emb", "false", "0"), ("recursive.regex", "true", "1"),
    ],
)  # fmt: skip
def test_s01_values_are_written_as_the_playground_writes_them(name, value, written):
    """S01: 0 and 1 for off and on, whole numbers without a point, lists as JSON."""
    assert link_parameters(parse_link({name: value}).settings) == {name: written}


def test_s01_other_parameters_override_the_example():
    """S01: the playground's own link, and an option set back to its default."""
    read = parse_link("?example=sample&size=250&overlap=0&k=1").settings
    assert read == Settings(size=250, overlap=0, k=1)
    tiny = parse_link("k=3&example=tiny-chunks").settings
    assert tiny == dataclasses.replace(PRESETS["tiny-chunks"].settings, k=3)
    assert parse_link("example=markdown-context&ctx=0").settings.options == {}
    assert parse_link("example=semantic&sem=interquartile").settings.options == {
        "semantic": {"threshold": "interquartile"}
    }


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("size=0", "The link's size is '0'; it must be a whole number from 1 to 100000. It was left out."),
        ("size=4e2", "size is '4e2'"),
        ("size=%EF%BC%94", "size is '４'"),
        ("size=", "size is ''"),
        ("overlap=-1", "from 0 to 99999"),
        ("ovpct=yes", "it must be 1 or 0"),
        ("unit=furlongs", "unit is 'furlongs'; allowed are chars"),
        ("on=chonkie", "on is 'chonkie'; allowed are fixed"),
        ("k=101", "from 1 to 100"),
        ("theta=1.5", "from 0 to 1"),
        ("theta=nan", "theta is 'nan'"),
        ("an=french", "allowed are english, standard"),
        ("rrfk=0", "from 1 to 1000"),
        ("method=magic", "allowed are all, bm25"),
        ("emb=2", "emb is '2'"),
        ("chunker=none", "chunker is 'none'"),
        ("doc=-1", "doc is '-1'"),
        ("q=x", "q is 'x'"),
        ("ov=21", "from 0 to 20"),
        ("level=7", "from 1 to 6"),
        ("mdsplit=x", "mdsplit is 'x'"),
        ("ctx=2", "allowed are none, path, continuation"),
        ("seps=[", "a list of strings as JSON"),
        ("seps=[1]", "a list of strings as JSON"),
        ("seps=[]", "from 1 to 100 entries"),
        ("seps=" + "[" * 5_000, "a list of strings as JSON"),
        ("sem=mode", "sem is 'mode'; allowed are percentile"),
        ("amt=101", "from 0.0 to 100.0"),
        ("corpus=theirs", "allowed are sample, worked-example, structure, custom"),
        ("example=nothing", "The link's example is 'nothing'; allowed are sample"),
        ("fixed.tail=-1", "from 0 to 100000"),
        ("colour=red", "The link's parameter 'colour' is unknown and was left out."),
        ("model=https://x.example", "'model' is unknown"),
    ],
)  # fmt: skip
def test_s01_a_bad_value_is_left_out_with_a_sentence(link, said):
    """S01: one sentence that names the parameter, its value and what is allowed; the rest of the link counts."""
    read = parse_link(link + "&rrfk=7" if not link.startswith("rrfk") else link)
    assert len(read.notices) == 1
    assert said in read.notices[0]
    assert len(read.notices[0]) < 400
    assert read.settings == (Settings() if link.startswith("rrfk") else Settings(rrf_k=7))


def test_s01_a_list_keeps_its_known_chunkers():
    """S01: of a list of chunkers the unknown ones are left out, each known one counts once."""
    read = parse_link("on=markdown,nope,fixed,markdown")
    assert read.settings.on == ("markdown", "fixed")
    assert read.notices == ("The link's on names no chunker with 'nope'; the others were taken.",)


@given(st.dictionaries(st.text(max_size=9) | st.sampled_from([*S1_TABLE, "example"]), st.text(max_size=30), max_size=6))
def test_s01_no_link_is_an_error(parameters):
    """S01: whatever stands in a link, settings come out that make a link of their own."""
    read = parse_link(parameters)
    assert parse_link(link_parameters(read.settings)).settings == read.settings


def test_s01_own_documents_are_never_in_a_link():
    """S01: a link over own documents says only that; the speech that is not ours to ship opens as an own document."""
    assert link_query(Settings(corpus="custom")) == "corpus=custom"
    read = parse_link("corpus=sotu")
    assert read.settings == Settings(corpus="custom")
    assert "state_of_the_union.txt" in read.notices[0]


def test_s01_option_names_are_told_apart():
    """S01: no two options share a parameter."""
    names = [option_name(c, o) for c, chunker in CHUNKERS.items() for o in options_of(chunker.options)]
    assert len(set(names)) == len(names)


# S02: the presets, as s1 and s3 list them.

S02 = {
    "sample": ("retrieval", {}),
    "tiny-chunks": ("retrieval", {"size": 120, "theta": 1.0}),
    "big-chunks": ("retrieval", {"size": 1500}),
    "no-overlap": ("chunks", {"size": 60, "overlap": 0, "unit": "tokens", "on": ("fixed",)}),
    "tokens": ("chunks", {"size": 128, "overlap": 16, "unit": "tokens", "on": ("fixed",)}),
    "markdown-context": ("retrieval", {"on": ("recursive", "markdown"), "options": {"markdown": {"context": "path"}}}),
    "langchain-docs": ("chunks", {"size": 100, "overlap": 20, "on": ("recursive",), "corpus": "custom"}),
    "semantic": ("distances", {"on": ("semantic",), "options": {"semantic": {"amount": 80.0}}, "doc": 1}),
    "worked-example": ("chunks", {"size": 300, "corpus": "worked-example"}),
    "structure": ("retrieval", {"overlap": 0, "on": ("recursive", "structure"), "corpus": "structure"}),
    "preview-words": ("chunks", {"size": 6, "overlap": 2, "unit": "words", "on": ("fixed",)}),
}  # fmt: skip


@pytest.mark.parametrize("name", S02)
def test_s02_presets(name):
    """S02: eleven names, each with its numbers; what is shown is on; a link to it carries all of it."""
    assert set(S02) == set(PRESETS)
    preset = PRESETS[name]
    page, sets = S02[name]
    assert preset.page == page
    assert {field: getattr(preset.settings, field) for field in sets} == sets
    assert preset.settings.chunker in preset.settings.on
    assert parse_link(link_query(preset.settings)).settings == preset.settings == parse_link(f"example={name}").settings


def test_s02_the_semantic_preset_shows_the_essay():
    """S02: the document of that number is the essay on lighthouse optics."""
    assert sample_corpus().documents[PRESETS["semantic"].settings.doc].name == "lighthouse-optics.txt"


def test_s02_no_overlap_cuts_words():
    """S02: what its help says can be seen: some cut falls between two letters."""
    settings = PRESETS["no-overlap"].settings
    sizes = {"size": settings.size, "overlap": settings.overlap, "unit": settings.unit}
    made = chunk(list(sample_corpus().documents), "fixed", **sizes)
    cuts = [(one.document.text, at) for one in made for at in one.ends[:-1].tolist()]
    assert sum(text[at - 1].isalpha() and text[at].isalpha() for text, at in cuts) >= 1
