"""English sentences that open with a word whose meaning stands in the sentence before."""

from __future__ import annotations

import re

LONGEST = 200
"""Characters of a sentence that are looked at."""

_LEAD = r"[\s\"'“‘„«(\[*_>•\-–]*"
_VERB = (
    r"(?:is|are|was|were|isn['’]t|aren['’]t|means?|meant|makes?|made|has|have|had|does|do|did|can|could|will|would|"
    r"should|may|might|must|also|only|alone|happens?|happened|works?|worked|leads?|led|allows?|requires?|applies|apply|"
    r"ensures?|gives?|gave|shows?|showed|takes?|took|lets?|keeps?|kept|costs?|helps?|causes?|caused|explains?|includes?|"
    r"becomes?|became|goes|comes?|came|needs?|seems?|depends?|results?|prevents?|saves?|changes?|changed)"
)
# "It is known that …", "It takes an hour to …": there the word stands for what follows, and nothing is lost.
_EXPLETIVE = re.compile(
    rf"{_LEAD}it(?:\s+(?:is|was|will\s+be|would\s+be|has\s+been|may\s+be|might\s+be|can\s+be|seems|seemed|appears|"
    r"turns\s+out|takes|took|costs|pays|helps|follows|remains|happens|does\s+not\s+matter)\b|['’]s\b)"
    r"[^.;:!?]*\b(?:to|that|who|which|whether|if|when|where|why|how|because|[a-z]+ing)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    rf"""{_LEAD}(?:
      (?: it | its | it['’](?:s|ll|d) | itself | he | she | him | his | her | hers | they | them | their | theirs
        | they['’](?:re|ve|ll|d) | (?:s?he)['’](?:s|ll|d) ) \b
    | (?: this | that | these | those ) (?: \s+ {_VERB} \b | ['’]s\b | , )
    | such\b (?!\s+as\b)
    | the\s+ (?: former | latter ) \b
    | (?: however | therefore | thus | hence | moreover | furthermore | nevertheless | nonetheless | consequently
        | accordingly | otherwise | additionally | conversely | likewise | but | and | or | nor | yet | also | then ) \b
    | so\b (?! \s+(?:that|far|long|much|many|called)\b | -)
    | instead\b (?!\s+of\b) | as\s+a\s+result\b (?!\s+of\b) | in\s+addition\b (?!\s+to\b)
    | (?: besides | similarly | meanwhile | still ) ,
    | for\s+(?: example | instance | (?:this|that)\s+reason ) \b | on\s+the\s+other\s+hand\b
    | (?: after | because\s+of | despite | in\s+spite\s+of ) \s+ (?: this | that ) (?= [\s,]* , )
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def lost_subject(sentence: str) -> bool:
    """Whether the sentence opens with a pronoun, a bare demonstrative or a connective that points back.

    "This runbook is …" names its subject and does not; nor does "It is known that …".
    """
    return _POINTS_BACK.match(sentence) is not None and _EXPLETIVE.match(sentence) is None
