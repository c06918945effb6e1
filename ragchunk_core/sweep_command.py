"""``sweep``: a grid of settings without a screen (S03, R12)."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.command_floors import floor_of, missed_floors
from ragchunk_core.command_inputs import (
    TABLE_FORMATS,
    Given,
    chunker_spec,
    format_of,
    read_given,
    write_table,
)
from ragchunk_core.retrievers import METHODS
from ragchunk_core.sweep_grid import Grid
from ragchunk_core.units import UNITS

if TYPE_CHECKING:
    from ragchunk_core.sweep import Step
    from ragchunk_core.sweep_work import Result

_EPILOG = """\
A sweep cuts the documents in every way that the lists allow, ranks the chunks for every question, and writes a row a
setting: recall with its bootstrap interval, MRR, nDCG, context, precision, chunks and index size. stderr shows how far
it is, and at the end which setting has the best recall, and what is cheaper and not shown to be worse.

examples:
  sweep project.json --sizes 200,400,800 --overlaps 0,15%
  sweep questions/ --chunkers fixed,recursive,markdown --sizes 200,400 --methods bm25,emb --store sweep.sqlite
  sweep project.json --chunkers markdown --option '{"chunker": "markdown"}' --option 'markdown context=path'
  sweep questions/ --sizes 200,400 --fail-under recall@5=0.8 --out table.csv
  sweep questions/ --sizes 200,400 --scheduler tcp://10.0.0.5:8786

With --store, a sweep that was stopped (Ctrl+C, a crash) goes on where it was: the same command again.
With --fail-under, the exit code is 1 when not one setting reaches the floor: in a sweep the best one counts.
"""


def add_sweep(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser's."""
    parser = commands.add_parser(
        "sweep",
        help="measure every setting of a grid, and say which to take",
        description="Measure every setting of a grid, and say which to take.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="files; or one exported project, question folder or SQuAD file")
    add("--corpus", help="which corpus of a project file")
    add("--questions", metavar="FILE", help="questions and passages: JSON, JSON Lines, CSV or Parquet")
    add("--chunkers", metavar="A,B", help=f"default: the project's, or recursive; names: {', '.join(CHUNKERS)}")
    add("--sizes", metavar="N,N", help="largest lengths of a chunk (default: the project's, or 400)")
    add("--overlaps", metavar="N,N%", help="in units, or percentages of the size (default: the project's, or 50)")
    add("--units", metavar="A,B", help=f"default: the project's, or chars; names: {', '.join(UNITS)}")
    add("--methods", metavar="A,B", default="bm25", help=f"default: bm25; names: {', '.join(METHODS)}")
    add(
        "--option",
        action="append",
        default=[],
        metavar="SPEC",
        help="a chunker with options to try, as in 'markdown context=path'; several times; they take the place of "
        "its defaults, which its bare name brings back",
    )
    add("-k", "--k", type=int, help="chunks that count as retrieved (default: the project's, or 5)")
    add("--theta", type=float, help="share of a passage that a chunk must cover (default: the project's, or 0.5)")
    add("--cost", default="characters", metavar="COLUMN", help="what is saved by the cheaper settings: characters "
        "(default), index_bytes or chunks")  # fmt: skip
    add("--pareto", action="store_true", help="write only the Pareto front: recall against context and index size")
    add("--store", metavar="FILE", help="SQLite file that keeps results and vectors; made where it is not there")
    add("--vector-cache", metavar="FILE", help="another SQLite file for the vectors (default: that of --store)")
    add("--workers", type=int, metavar="N", help="processes of this machine (default: one a processor where it pays)")
    add(
        "--scheduler", metavar="ADDRESS", help="Dask cluster to run on, such as tcp://10.0.0.5:8786 (needs distributed)"
    )
    add(
        "--fail-under",
        action="append",
        default=[],
        metavar="METRIC[@K]=FLOOR",
        help="end with exit code 1 when no setting reaches the floor, as in recall@5=0.8; several times",
    )
    add("--format", choices=TABLE_FORMATS, help="default: by the ending of --out")
    add("--out", metavar="FILE", help="default: standard output, as text")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Sweep, write the table, and say what to take."""
    from ragchunk_core.sweep import in_grid_order, sweep, sweep_table
    from ragchunk_core.sweep_choice import COSTS, pareto_front, recommend

    floors = [floor_of(one) for one in chosen.fail_under]
    if any(metric == "map" for metric, _, _ in floors):
        raise ValueError("--fail-under names map, which a sweep does not measure: it looks no deeper than 100 chunks.")
    asked = {k for _, k, _ in floors if k is not None} | ({chosen.k} if chosen.k is not None else set())
    if len(asked) > 1:
        raise ValueError(f"k is {' and '.join(map(str, sorted(asked)))}; one run has one k, so give one.")
    if chosen.cost not in COSTS:
        raise ValueError(f"--cost is {chosen.cost!r}; allowed are {', '.join(COSTS)}.")
    written = format_of(chosen.format, chosen.out, TABLE_FORMATS)
    given = read_given(chosen.paths, chosen.corpus, chosen.questions)
    grid = grid_of(chosen, given)
    if grid.left_out:
        print(f"{grid.left_out} combinations left out: their overlap is not below their size.", file=sys.stderr)
    results: list[Result] = []
    with ExitStack() as stack:
        steps = sweep(
            given.corpus.documents,
            given.corpus.queries,
            grid,
            k=asked.pop() if asked else given.settings.k,
            theta=given.settings.theta if chosen.theta is None else chosen.theta,
            analyzer=given.settings.analyzer,
            rrf_k=given.settings.rrf_k,
            **_how(chosen, stack),
        )
        try:
            for step in steps:
                results += step.results
                for failure in step.failures:
                    print(f"\n{failure.setting.label}: {failure.reason}", file=sys.stderr)
                _tell(step)
        except KeyboardInterrupt:
            print(file=sys.stderr)
            kept = "kept; the same command goes on there" if chosen.store else "lost; with --store they are kept"
            raise ValueError(
                f"Stopped after {len(results)} of {len(grid.settings)} settings: they are {kept}."
            ) from None
    print(file=sys.stderr)
    if not results:
        raise ValueError("Not one setting could be measured.")
    results = in_grid_order(results, grid)
    table = sweep_table(results)
    write_table(pareto_front(table) if chosen.pareto else table, written, chosen.out)
    print(recommend(results, cost=chosen.cost).sentence(), file=sys.stderr)
    missed = [said for floor in floors for said in missed_floors(table.nlargest(1, floor[0]), *floor)]
    for said in missed:
        print(f"The best of {len(table)}: {said}", file=sys.stderr)
    return 1 if missed else 0


def grid_of(chosen: argparse.Namespace, given: Given) -> Grid:
    """The grid that the lists make; what is not given is taken from the project."""
    settings = given.settings
    overlap = f"{settings.overlap}%" if settings.overlap_percent else settings.overlap
    options: dict[str, list[dict[str, Any]]] = {
        name: [dict(values)] for name, values in settings.options.items() if values
    }
    named: dict[str, list[dict[str, Any]]] = {}
    for words in chosen.option:
        name, values = chunker_spec(words)
        if wrong := [one for one in values if one in ("size", "overlap", "unit", "ceiling")]:
            raise ValueError(f"--option is {words!r}; {wrong[0]} is no option of a chunker.")
        named.setdefault(name, []).append(values)
    sizes = _listed(chosen.sizes) or [str(settings.size)]
    if wrong := [one for one in sizes if not one.isdecimal()]:
        raise ValueError(f"--sizes is {chosen.sizes!r}; {wrong[0]!r} must be a whole number, 1 or more.")
    overlaps = [int(one) if one.isdecimal() else one for one in _listed(chosen.overlaps)]
    on = list(settings.on) if given.is_project else ["recursive"]
    return Grid(
        chunkers=_listed(chosen.chunkers) or on,
        sizes=[int(one) for one in sizes],
        overlaps=overlaps or [overlap],
        units=_listed(chosen.units) or [settings.unit],
        methods=_listed(chosen.methods),
        options={**options, **named},
    )


def _listed(written: str | None) -> list[str]:
    return [one.strip() for one in written.split(",") if one.strip()] if written else []


def _how(chosen: argparse.Namespace, stack: ExitStack) -> dict[str, Any]:
    """Executor, store and vector cache."""
    from ragchunk_core.sweep_store import SweepStore

    how: dict[str, Any] = {"workers": chosen.workers}
    if chosen.store:
        how["store"] = store = SweepStore(chosen.store)
        stack.callback(store.close)
    if chosen.scheduler:
        from ragchunk_core.sweep_cluster import scheduler

        if chosen.vector_cache or chosen.workers:
            raise ValueError("--vector-cache and --workers are for this machine; with --scheduler give neither.")
        how["executor"], how["send"] = stack.enter_context(scheduler(chosen.scheduler))
    else:
        how["vectors"] = chosen.vector_cache or chosen.store
    return how


def _tell(step: Step) -> None:
    """One line that is written over by the next."""
    said = f"{step.done:,} of {step.total:,} settings"
    if step.seconds_left is not None and step.done < step.total:
        minutes, seconds = divmod(round(step.seconds_left), 60)
        said += f", about {f'{minutes} min ' if minutes else ''}{seconds} s left"
    if step.embedded:
        said += f"; {step.embedded[0]:,} of {step.embedded[1]:,} texts embedded"
    print(f"\r{said:<78}", end="", file=sys.stderr, flush=True)
