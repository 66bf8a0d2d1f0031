"""A battle looked at after each half, and drawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace as changed
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sim
from sim.errors import ImpossibleStateError, InputError
from sim.report.moments import Replay, replay
from sim.report.replay import frames, replay_json, replay_lines, save_gif
from sim.studies.engine import play
from sim.studies.record import IN_ROUT, Record
from sim.units import battlefiles
from tests.unit.conftest import Result

Carre = Callable[..., Result]

RUN, SEED = 0, 1


@pytest.fixture(scope="module")
def found() -> Replay:
    return replay(battlefiles.load("mirror"), RUN, SEED)


@pytest.fixture(scope="module")
def record(found: Replay) -> Record:
    """The same run, as a batch plays it."""
    return play(found.scenario, SEED, RUN, 1)


def test_there_is_a_moment_at_the_start_and_one_a_half(found: Replay) -> None:
    assert [(one.turn, one.half) for one in found.moments] == [
        (0, 0),
        *((turn, half) for turn in range(1, 11) for half in (1, 2)),
    ]
    assert [one.side for one in found.moments[:3]] == [None, 0, 1]
    assert (found.moments[0].clock, found.moments[0].lost, found.moments[0].news) == ("9:00", (0, 0), ())


def test_a_replay_is_the_run_that_a_batch_plays(found: Replay, record: Record) -> None:
    """After each turn: losses by side, levels, the result as it stands, who is on the map."""
    ends = [one for one in found.moments if one.half == 2]
    sides = np.array(found.scenario.side_of)
    for turn, moment in enumerate(ends):
        lost = record.lost[turn, :, 0]
        assert moment.lost == (lost[sides == 0].sum(), lost[sides == 1].sum())
        assert moment.levels == tuple(record.levels[turn, :, 0])
        assert moment.stands == found.scenario.ladder[int(record.standing[turn, 0])].result
        units = [one for one in moment.counters if one.formation >= 0]
        assert len(units) == (record.fate[turn, :, 0] <= IN_ROUT).sum()
        assert sum(one.state == IN_ROUT for one in units) == (record.fate[turn, :, 0] == IN_ROUT).sum()


def test_news_name_every_rout_and_every_loss_of_a_unit(found: Replay, record: Record) -> None:
    told: dict[str, list[str]] = {}
    for moment in found.moments:
        for one in moment.news:
            told.setdefault(one.what, []).extend(one.whom)
    names = [unit.name for unit in found.scenario.units]
    assert set(told["rout"]) == {name for n, name in enumerate(names) if record.routs[n, 0]}
    end = record.fate[-1, :, 0]
    for what, fate in (("eliminated", 3), ("surrendered", 4), ("routed off", 6)):
        assert sorted(told.get(what, [])) == sorted(name for n, name in enumerate(names) if end[n] == fate)
    levels = [one for one in told["morale level"] if one.startswith("East division")]
    assert levels[-1] == f"East division {record.levels[-1, 1, 0]}"


def test_only_what_changes_differs_between_frames(found: Replay) -> None:
    """One size; the legend and the title are the same in all, and so are frames of the same moment."""
    made = list(frames(changed(found, moments=(*found.moments[:3], found.moments[0]))))
    assert len({frame.shape for frame in made}) == 1
    title = slice(0, 30)
    legend = slice(-100, None)
    for frame in made[1:]:
        assert np.array_equal(frame[title, :900], made[0][title, :900])
        assert np.array_equal(frame[legend, :1000], made[0][legend, :1000])
    assert np.array_equal(made[0], made[3])
    assert not np.array_equal(made[0], made[2])


def test_a_gif_has_a_frame_a_moment(found: Replay, tmp_path: Path) -> None:
    short = changed(found, moments=found.moments[:4])
    with Image.open(save_gif(short, tmp_path / "film.gif")) as film:
        assert getattr(film, "n_frames", 1) == 4
        assert film.info["loop"] == 0


def test_the_text_and_the_object_tell_the_same(found: Replay) -> None:
    text, told = "\n".join(replay_lines(found)), json.loads(json.dumps(replay_json(found)))
    assert len(told["moments"]) == 21
    for one in told["moments"][1:]:
        assert f"{one['clock']}, turn {one['turn']}: after the {one['side']} half" in text
        for news in one["news"]:
            assert f"{news['side']}: {news['what']}: {', '.join(news['whom'])}" in text
    assert len(found.to_frame()) == 21


def test_a_command_answers_and_writes_pictures(carre: Carre, here: Path) -> None:
    result = carre("replay", "raszyn-pontoon-1809", "--set", "turns.to=18:00", "--frames", "film")
    assert result.code == 0
    assert result.err.endswith("wrote 3 pictures in film\n")
    assert [path.name for path in sorted(Path("film").iterdir())] == [
        "000-turn-00-half-0.png",
        "001-turn-01-half-1.png",
        "002-turn-01-half-2.png",
    ]
    assert max(map(len, result.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("nosuch",), "there is no scenario 'nosuch'"),
        (("mirror", "--gif", "film.png"), "must name a file ending in .gif, got 'film.png'"),
        (("mirror", "--gif", "no/film.gif"), "there is no folder 'no'"),
        (("mirror", "--frames", "a-file/film"), "a-file/film: the folder cannot be made"),
        (("mirror", "--run", "-1"), "--run: must be an integer from 0"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line(
    carre: Carre, here: Path, options: tuple[str, ...], said: str
) -> None:
    Path("a-file").touch()
    result = carre("replay", *options)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert result.err.count("\n") == 1


def test_arguments_are_named_as_in_python() -> None:
    with pytest.raises(InputError, match="run must be"):
        sim.replay("mirror", run=-1)


def _fails(battle: object) -> None:
    raise AssertionError("a unit stands nowhere")


def test_a_fault_of_the_program_names_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.battle.battle.Battle.run", _fails)
    with pytest.raises(ImpossibleStateError, match="run 3 of seed 2 met an impossible state"):
        replay(battlefiles.load("mirror"), 3, 2)
