"""Words that matter before or after a full stop, for the sentence rules (C06): lower case, without that stop."""

from __future__ import annotations


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


ABBREVIATIONS = _words(
    # titles and names
    "mr mrs ms messrs dr prof st ste mt ft rev hon pres gov sen rep gen col maj capt cmdr lt sgt cpl adm supt insp",
    "fr sr jr mme mlle m mm sra srta lic hr fra sig",
    # parts of works, numbers
    "art arts sec secs ch chap para fig figs eq eqs ref refs vol vols no nos nr pp p pt tab n° nº ed eds trans",
    # Latin and other connectives
    "vs v viz cf e.g eg i.e ie esp approx ca al z.b bzw d.h usw vgl u.a abb bspw ggf str",
    # organisations, places, streets
    "univ dept dist est inc ltd co corp bros ave blvd rd",
    # months and days
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun",
)
"""Stand before a name, a number or more of the sentence, so a capital may follow them inside a sentence."""

ALSO_LAST = _words("inc ltd co corp bros al jr sr est dept univ usw no sat sun mar")
"""Of these, the ones that end sentences too: one of ``STARTERS`` after them begins a new sentence."""

STARTERS = _words(
    "the a an this that these those he she it we they you i there here in on at for from with but and or so if when",
    "while after before as however what where why how who did do does is are was were please",
)
"""Words that, with a capital, begin a sentence rather than a name."""

PREPOSITIONS = _words("at by on in around about before after until till from since between")
"""Words that open an adverbial such as "At 5 a.m." which is no sentence by itself."""

NAMES_OF_TIME = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august",
    "september october november december est edt cst cdt mst mdt pst pdt gmt utc bst cet eastern central mountain",
    "pacific",
)
"""Capitalised words that go on after "6 p.m."."""

ORDINALS_FOLLOW = _words(
    "januar jänner februar feber märz april mai juni juli august september oktober november dezember jahrhundert",
    "jahrhunderts jahrtausend",
)
"""German nouns before which "12." is "twelfth"."""

NUMBERED = _words(
    "page pages chapter section figure table step part version number no vol volume line room day week grade level",
    "phase type class rule case of in to and or than from by at on is was were are for about only over under nearly",
)
"""Words that a number belongs to, so that "2." after them opens no item of a list."""
