"""Going about the pages through Streamlit's AppTest; the fixture ``app`` gives it."""

from __future__ import annotations

import re


def go(app, page):
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, app.exception
    return app


def key_of(app, name):
    """The present key of the widget that shows a setting."""
    counter = f"{name} set by code"
    return f"{name}__{app.session_state[counter] if counter in app.session_state else 0}"  # noqa: SIM401 - has no get


def put(app, **values):
    """Set settings as code does."""
    for name, value in values.items():
        number = int(key_of(app, name).rsplit("__", 1)[1])
        app.session_state[name] = value
        app.session_state[f"{name} set by code"] = number + 1


def set_key(app, kind, name, value):
    key = name if name == "preset" else key_of(app, name)
    getattr(app, kind)(key=key).set_value(value).run()
    assert not app.exception, app.exception
    return app


def labels(frame):
    """The chunkers' labels, which stand in a column of badges."""
    return [badges[0] for badges in frame["chunker"]]


def unescaped(element):
    """What a message says once its Markdown escapes are read."""
    return re.sub(r"\\(.)", r"\1", element.value)


def opened(app, key):
    """Open a popover, whose widgets are drawn only then."""
    app.session_state[key] = True
    app.run()
    return app
