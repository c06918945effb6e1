"""Settings that widgets show and code may set too: each value is kept apart from its widget.

A browser on a slow line still shows the old value when code has set another, and sends the old one along with the
user's next change, as if it were a choice of the user's. So a value that code sets is shown by a new widget, under a
new key; what comes from the one before counts only where the user has really changed it meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import streamlit as st


def get(name: str, default: Any = None) -> Any:
    """The value of a setting; ``default`` until the user or code has set it."""
    return st.session_state.get(name, default)


def put(**values: Any) -> None:
    """Set settings from code, at any time of a run; their widgets show it at the next."""
    for name, value in values.items():
        if name not in st.session_state or st.session_state[name] != value:
            key = _key(name)
            st.session_state[_before(name)] = (key, st.session_state.get(key))
            st.session_state[name] = value
            st.session_state[_counter(name)] = st.session_state.get(_counter(name), 0) + 1


def widget(name: str, then: Callable[[], None] | None = None, among: Container[Any] | None = None) -> dict[str, Any]:
    """Key and callback for the widget that shows a setting.

    ``then`` is called after the user has changed it. ``among`` holds the values that can be chosen: a select box
    whose labels have changed since the browser drew it sends one that is none of them, which is no choice.
    """
    return {"key": _key(name), "on_change": _take, "args": (name, _key(name), then, among)}


def _take(name: str, key: str, then: Callable[[], None] | None, among: Container[Any] | None) -> None:
    value = st.session_state[key]
    if among is not None and value not in among:
        return
    if key == _key(name):
        st.session_state[name] = value
    elif st.session_state[_before(name)][0] == key and st.session_state[_before(name)] != (key, value):
        put(**{name: value})
    else:
        return
    if then is not None:
        then()


def _key(name: str) -> str:
    return f"{name}__{st.session_state.get(_counter(name), 0)}"


def _counter(name: str) -> str:
    return f"{name} set by code"


def _before(name: str) -> str:
    return f"{name} shown before"
