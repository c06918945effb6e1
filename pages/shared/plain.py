"""Text that is not ours, for the places where Streamlit reads Markdown: labels, captions and messages."""

from __future__ import annotations

import re

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=])")


def plain(text: str) -> str:
    """The text, shown as it is: on one line, with every sign that Markdown or Streamlit could act on escaped.

    Without it a file's name or a query could become formatting, a formula, a link, or an image that the browser
    fetches from another machine.
    """
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
