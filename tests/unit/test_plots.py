"""Pictures: texts as they are, ink that can be told from its ground, colours that differ in grey, marks that
say what they stand for."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.cbook import is_math_text
from matplotlib.colors import to_rgb
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.text import Text

from sim.cli import main
from sim.errors import InputError
from sim.inputs import documents
from sim.report import plots
from sim.studies.odds import odds
from sim.studies.sweep import Axis, Sweep, parse_axis, sweep
from sim.units import scenarios

ROOT = Path(__file__).parents[2]
TITLE = r"A wager of $5 against $6_x, or $\frac{"


def light(colour: Any) -> float:
    """Relative luminance, 0 black to 1 white (WCAG 2)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Any, other: Any) -> float:
    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


def grid(*axes: str, response: str = "all", **more: Any) -> Sweep:
    return sweep(
        documents.read(scenarios.DEFAULT),
        [parse_axis(axis) for axis in axes],
        response,
        "exact",
        1,
        1,
        **more,
    )


def texts(figure: Figure) -> list[str]:
    figure.canvas.draw()
    return [one.get_text() for one in figure.findobj(Text) if one.get_text() and one.get_visible()]


def title(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


@pytest.fixture(scope="module")
def one() -> Sweep:
    return grid("distance=2..5")


@pytest.fixture(scope="module")
def two() -> Sweep:
    return grid("distance=2..5", "target.morale=11..16")


def test_a_users_text_is_drawn_as_it_is_and_never_as_mathematics(tmp_path: Path) -> None:
    document = documents.read(scenarios.DEFAULT).changed(("title",), TITLE, "test")
    charge, _ = scenarios.check(document)
    assert charge is not None
    found = odds(charge, "all", "exact")
    cells = Sweep((Axis("target.name", ("$a$", "$b^")),), ((("$a$",), found), (("$b^",), found)))
    for figure in (plots.odds_figure(found), plots.sweep_figure(cells)):
        assert not [text for text in texts(figure) if is_math_text(text)]
        assert TITLE.replace("$", r"\$").split(" or ")[0] in title(figure)
        plots.save(figure, str(tmp_path / "a.png"))
    assert r"\$a\$" in texts(plots.sweep_figure(cells))


def test_letters_that_the_font_lacks_are_no_warning(tmp_path: Path) -> None:
    charge, _ = scenarios.check(documents.read(scenarios.DEFAULT).changed(("title",), "龍騎兵", "test"))
    assert charge is not None
    figure = plots.odds_figure(odds(charge, "stand", "exact"))
    assert "龍騎兵" in title(figure)
    assert plots.save(figure, str(tmp_path / "a.png")).read_bytes().startswith(b"\x89PNG")


def test_a_strange_way_of_drawing_is_told_in_one_line_before_the_work(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "sim.cli",
        "odds",
        "--method",
        "mc",
        "--runs",
        "1000000000",
        "--plot",
        str(tmp_path / "a.png"),
    ]
    environment = os.environ | {"MPLBACKEND": "crayon"}
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30, check=False
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert (
        result.stderr
        == "carre: MPLBACKEND must name a way of drawing that Matplotlib knows, such as agg, got 'crayon'\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_every_text_on_a_colour_can_be_told_from_it(two: Sweep) -> None:
    """WCAG asks for 4.5 to 1; black or white always reach it."""
    seen = 0
    for figure in (
        plots.sweep_figure(two),
        plots.sweep_figure(two, scale=(0.0, 1.0)),
        plots.odds_figure(odds(scenarios.load(scenarios.DEFAULT))),
    ):
        for text in figure.findobj(Text):
            box = text.get_bbox_patch()
            if box is not None and text.get_text():
                seen += 1
                assert contrast(text.get_color(), box.get_facecolor()[:3]) >= 4.5
    assert seen > 2 * len(two.cells)


@pytest.mark.parametrize("parts", [plots._TARGET, plots._CHARGER])
def test_neighbouring_parts_of_a_bar_differ_in_grey_and_by_hatch(parts: dict[str, tuple[str, str]]) -> None:
    looks = list(parts.values())
    for (colour, hatch), (other, other_hatch) in pairwise(looks):
        assert light(colour) > light(other)
        assert contrast(colour, other) > 1.3 or hatch != other_hatch
    assert len({light(colour) for colour, _ in looks}) == len(looks)


def test_responses_differ_by_marker_and_dashes_and_not_by_colour_alone() -> None:
    looks = list(plots._RESPONSES.values())
    assert len({marker for _, marker, _ in looks}) == len(looks)
    assert len({str(dashes) for _, _, dashes in looks}) == len(looks)


def test_heat_maps_grow_steadily_lighter_so_that_grey_tells_the_same(two: Sweep) -> None:
    figure = plots.sweep_figure(two)
    image = figure.axes[0].get_images()[0]
    shades = [light(image.cmap(step / 255)[:3]) for step in range(0, 256, 16)]
    assert shades == sorted(shades)


def drawn(figure: Figure) -> dict[str, ErrorbarContainer]:
    return {
        str(one.get_label()): one for one in figure.axes[0].containers if isinstance(one, ErrorbarContainer)
    }


def test_numbers_are_joined_and_categories_are_not(one: Sweep) -> None:
    assert all(bars.lines[0].get_linestyle() != "None" for bars in drawn(plots.sweep_figure(one)).values())
    for axis in (
        "target.formation=column,line",
        "night=true,false",
        "edition=2019,2017",
        "ruleset=prusse-1806,halle-1806",
    ):
        figure = plots.sweep_figure(grid(axis))
        assert all(bars.lines[0].get_linestyle() == "None" for bars in drawn(figure).values()), axis
        assert len(
            {float(np.asarray(bars.lines[0].get_xdata())[0]) for bars in drawn(figure).values()}
        ) == len(drawn(figure))  # side by side


def test_what_is_forbidden_leaves_a_gap(one: Sweep) -> None:
    square = drawn(plots.sweep_figure(one))["carre@4"].lines[0]
    assert [bool(value == value) for value in np.asarray(square.get_ydata())] == [False, False, True, True]


def test_numbers_stand_where_they_belong_and_rolls_evenly_as_on_the_ladder() -> None:
    assert plots._places(Axis("distance", (2, 4, 9))) == ([2.0, 4.0, 9.0], True)
    assert plots._places(Axis("target.morale", (26, 31, 32))) == ([0.0, 1.0, 2.0], True)
    assert plots._places(Axis("distance", (4, 2))) == ([0.0, 1.0], False)


def test_the_scale_follows_the_data_or_is_the_one_asked_for(one: Sweep, two: Sweep) -> None:
    def height(figure: Figure) -> tuple[float | None, float | None]:
        return figure.axes[0].get_ylim()

    def shading(figure: Figure) -> tuple[float | None, float | None]:
        return figure.axes[0].get_images()[0].get_clim()

    every = [float(row.tally.p("bounced")) for _, cell in one.cells for row in cell.allowed]
    best = [float(cell.best.tally.p("bounced")) for _, cell in two.cells if cell.allowed]
    for found, ends, values in ((one, height, every), (two, shading, best)):
        low, high = ends(plots.sweep_figure(found, "bounced"))
        assert low is not None
        assert high is not None
        assert 0 <= min(values) - low < 0.1
        assert 0 <= high - max(values) < 0.1
        assert ends(plots.sweep_figure(found, "bounced", (0.0, 1.0))) == pytest.approx((0, 1), abs=0.03)
        assert ends(plots.sweep_figure(found, "bounced", (0.1, 0.4))) == pytest.approx((0.1, 0.4), abs=0.01)


@pytest.mark.parametrize("text", ["dat", "10", "40..10", "-5..20", "0..101", "a..b", ".."])
def test_a_scale_that_cannot_be_is_refused(
    text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(
        InputError, match=r"--scale must be data, full, or FROM..TO in per cent such as 0..40"
    ):
        plots.parse_scale(text)
    assert (
        main(["sweep", "--vary", "distance=2,3", "--plot", str(tmp_path / "a.png"), f"--scale={text}"]) == 2
    )
    assert capsys.readouterr().err.count("\n") == 1


def test_titles_say_which_event_response_aim_and_rule_sets(one: Sweep, two: Sweep) -> None:
    rules = one.cells[0][1].charge.played_by
    assert title(plots.sweep_figure(two, "bounced")).startswith(
        "Dragoons against musketeers, 1806: P(bounced) under the best response"
    )
    assert "by the aim broken" in title(plots.sweep_figure(two))
    for figure in (plots.sweep_figure(one), plots.sweep_figure(two), plots.odds_figure(one.cells[0][1])):
        assert rules in title(figure)
        assert "exact odds" in title(figure)
    assert "if the target does stand" in title(plots.sweep_figure(grid("distance=2,3", response="stand")))
    assert "if the target does stand" in title(
        plots.sweep_figure(grid("distance=2,3", "night=true,false", response="stand"))
    )
    both = title(plots.sweep_figure(grid("ruleset=prusse-1806,halle-1806")))
    assert "prusse-1806" in both
    assert "halle-1806" in both


def test_the_best_responses_are_marked_in_words(one: Sweep) -> None:
    figure = plots.odds_figure(one.cells[-1][1])
    labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert [label for label in labels if label.startswith("best: ")] == ["best: carre@4"]
    assert "best for the defender" in texts(plots.sweep_figure(one))


def test_another_event_is_drawn_first(one: Sweep) -> None:
    found = one.cells[-1][1]
    figure = plots.odds_figure(found, "clean success")
    bars = next(one for one in figure.axes[0].containers if isinstance(one, BarContainer))
    assert [bar.get_width() for bar in bars] == [float(row.tally.p("clean success")) for row in found.allowed]


def test_the_greatest_sweep_still_makes_a_picture(one: Sweep, tmp_path: Path) -> None:
    found = replace(one.cells[0][1])
    for axes in (
        (Axis("distance", tuple(range(2000))), Axis("night", (True,))),
        (Axis("distance", tuple(range(2000))),),
    ):
        values = [(n, True)[: len(axes)] for n in range(2000)]
        path = plots.save(
            plots.sweep_figure(Sweep(axes, tuple((value, found) for value in values))),
            str(tmp_path / "a.png"),
        )
        assert path.stat().st_size < 2_000_000


@pytest.mark.parametrize(("p", "exact", "text"), [
    (0.0, True, "0"), (1.0, True, "100"), (0.004, True, "<1"), (0.996, True, ">99"), (0.0, False, "<1"), (1.0, False, ">99"), (0.434, False, "43"),
])  # fmt: skip
def test_whole_per_cents_are_0_and_100_only_where_certain(p: float, exact: bool, text: str) -> None:
    assert plots._whole(p, exact) == text


def test_neighbours_in_a_heat_map_that_differ_by_tenths_alone_are_told_apart() -> None:
    assert plots._alike([[0.501, 0.503], [0.7, 0.8]])
    assert plots._alike([[0.501, 0.7], [0.503, 0.8]])
    assert not plots._alike([[0.501, 0.7], [0.8, 0.503]])
    assert not plots._alike([[0.5, 0.5, float("nan")]])
    assert [plots._whole(p, True, tenths=True) for p in (0, 0.0001, 0.501, 1)] == ["0", "<1", "50.1", "100"]


# -- settings of others, and long texts ---------------------------------------------------------------


def test_texts_are_drawn_without_tex_whatever_the_settings_say(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\n", encoding="utf-8")
    command = [sys.executable, "-m", "sim.cli", "odds", "--plot", str(tmp_path / "z.png")]
    found = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"MATPLOTLIBRC": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, f"wrote {tmp_path / 'z.png'}\n")


@pytest.mark.parametrize("date", ["x", "9" * 30, "1.5"])
@pytest.mark.parametrize("suffix", ["svg", "pdf"])
def test_a_date_that_is_none_is_told_in_one_line(
    suffix: str,
    date: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    assert main(["odds", "--plot", str(tmp_path / f"z.{suffix}")]) == 2
    assert capsys.readouterr() == (
        "",
        f"carre: SOURCE_DATE_EPOCH must be a time in seconds since 1970, got '{date}'\n",
    )


LONG = "a rather long name " * 10


@pytest.mark.parametrize(
    "axes",
    [
        [f"target.name={LONG},b"],
        [f"target.name={LONG},b", "distance=5,6"],
        ["distance=5,6", f"target.name={LONG},b"],
    ],
)
def test_a_long_label_is_shortened(axes: list[str], tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    figure = plots.sweep_figure(grid(*axes, response="stand"))
    plots.save(figure, str(tmp_path / "z.png"))
    assert [str(one.message) for one in recwarn] == []
    assert any(one.startswith("a rather long name") and one.endswith("…") for one in texts(figure))
    assert not any("name " * 2 in one or LONG.strip() in one for one in texts(figure))
