"""The command line: ``python -m ragchunk_core COMMAND``. An error is one sentence on stderr and exit code 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ragchunk_core.alternatives_command import add_alternatives
from ragchunk_core.chroma_command import add_chroma_table
from ragchunk_core.commands import add_commands
from ragchunk_core.report_command import add_report
from ragchunk_core.sweep_command import add_sweep

_DESCRIPTION = (
    "Cut documents into chunks and measure retrieval, without a screen. Exit code 0: done; 1: a floor of --fail-under "
    "was missed; 2: an error, told in one sentence."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit code."""
    parser = argparse.ArgumentParser(prog="python -m ragchunk_core", description=_DESCRIPTION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_commands(commands)
    add_sweep(commands)
    add_alternatives(commands)
    add_report(commands)
    add_chroma_table(commands)
    chosen = parser.parse_args(arguments)
    try:
        code: int = chosen.run(chosen)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
