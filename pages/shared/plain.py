"""Text that is not ours, for the places where Streamlit reads Markdown: labels, captions and messages."""

from __future__ import annotations

import re

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=])")


# Streamlit puts icons and emoji for these after Markdown has read the escapes; a word joiner, which has no width,
# keeps the sign apart from the name.
_SHORTCODE = re.compile(r":(?=[\w/+-]+:)")
JOINER = "\u2060"


def plain(text: str) -> str:
    """The text, shown as it is: on one line, with every sign that Markdown or Streamlit could act on escaped.

    Without it a file's name or a query could become formatting, a formula, a link, or an image that the browser
    fetches from another machine.
    """
    apart = _SHORTCODE.sub(":" + JOINER, " ".join(text.split()))
    return _MARKDOWN.sub(r"\\\1", apart)
