"""What commands do with files, paths and options before they play anything: where a path points, what is
refused, and how it is told."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

import sim
from sim.errors import InputError
from sim.inputs import documents
from sim.rulesets import catalogue, chain, kinds, shipped
from sim.studies.odds import Odds
from sim.studies.sweep import parse_axis, sweep
from sim.units import chargefields, scenarios
from tests.unit.conftest import Result
from tests.unit.test_files import ACROSS, CHARGE, FIELDS, FOOT, added

Form = Literal["NFC", "NFD"]
Run = Callable[..., Result]
FEW = ["--response", "stand", "--method", "mc", "--runs", "10"]
MINE = "extends: prusse-1806\nruleset: {name}\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def two(here: Path) -> Path:
    """A rule set of one name in the working directory and another beside the charge in `dir`."""
    write(here / "mine.yaml", MINE.format(name="of the working directory"))
    write(here / "dir/mine.yaml", MINE.format(name="of the charge"))
    write(here / "dir/charge.yaml", CHARGE)
    write(here / "dir/own.yaml", CHARGE.replace("prusse-1806", "mine.yaml"))
    return here


# -- paths --------------------------------------------------------------------------------------------


def played(result: Result) -> str:
    assert result.code == 0, result.err
    return str(result.json["ruleset"])


@pytest.mark.parametrize("path", ["./mine.yaml", "mine.yaml"])
@pytest.mark.parametrize("charge", ["dir/charge.yaml", "dir/own.yaml"])
def test_a_rule_set_given_as_an_option_is_looked_for_in_the_working_directory(
    two: Path, path: str, charge: str, carre: Run
) -> None:
    for option in (["--ruleset", path], ["--set", f"ruleset={path}"]):
        assert played(carre("odds", charge, *option, *FEW, "--json")) == "of the working directory"
    assert (
        carre("compare", charge, "--with", path, *FEW, "--json").json["second"]["ruleset"]
        == "of the working directory"
    )
    assert (
        carre("compare", charge, "--with", f"ruleset={path}", *FEW, "--json").json["second"]["ruleset"]
        == "of the working directory"
    )
    assert (
        "of the working directory"
        in carre("sweep", charge, "--vary", f"ruleset={path},dir/mine.yaml", *FEW).out
    )


def test_a_rule_set_named_in_a_charge_is_looked_for_beside_the_charge(
    two: Path, carre: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert played(carre("odds", "dir/own.yaml", *FEW, "--json")) == "of the charge"
    monkeypatch.chdir(two / "dir")
    assert played(carre("odds", "own.yaml", *FEW, "--json")) == "of the charge"
    assert played(carre("odds", "../dir/own.yaml", *FEW, "--json")) == "of the charge"


def test_a_rule_set_in_the_working_directory_does_not_stand_in_for_one_that_is_missing_beside_the_charge(
    two: Path, carre: Run
) -> None:
    (two / "dir/mine.yaml").unlink()
    result = carre("odds", "dir/own.yaml")
    assert result.code == 2
    assert result.err == "carre: dir/own.yaml:1:10: dir/mine.yaml: there is no such file\n"
    assert carre("lint", "dir/own.yaml").code == 2


def test_what_a_rule_set_extends_is_looked_for_beside_it(two: Path, carre: Run) -> None:
    write(two / "dir/child.yaml", "extends: mine.yaml\nruleset: child\nset: {trample: first}\n")
    assert "extends: mine.yaml" in (two / "dir/child.yaml").read_text()
    (two / "mine.yaml").unlink()
    assert carre("lint", "dir/child.yaml").code == 0
    assert played(carre("odds", "dir/charge.yaml", "--ruleset", "dir/child.yaml", *FEW, "--json")) == "child"
    assert carre("diff", "dir/child.yaml", "dir/mine.yaml").code == 0
    write(two / "dir/orphan.yaml", "extends: other.yaml\nruleset: orphan\n")
    write(two / "other.yaml", MINE.format(name="other"))
    assert "there is no file 'other.yaml'" in carre("lint", "dir/orphan.yaml").out


def test_a_name_of_ours_is_ours_whatever_files_there_are(two: Path, carre: Run) -> None:
    """A file of the same name is named by its path."""
    for path in ("halle-1806", "halle-1806.yaml", "base.yaml", "dir/halle-1806.yaml"):
        write(two / path, MINE.format(name="file"))
    ours, file = "halle-1806", "file"
    assert played(carre("odds", "--ruleset", "halle-1806", *FEW, "--json")) == ours
    assert carre("compare", "--with", "halle-1806", *FEW, "--json").json["second"]["ruleset"] == ours
    assert "halle-1806: rule set, 0 errors" in carre("lint", "halle-1806").out
    assert carre("diff", "halle-1806", "halle-1806.yaml", "--json").json["second"]["ruleset"] == file
    for path in ("./halle-1806", "halle-1806.yaml", "./halle-1806.yaml"):
        assert played(carre("odds", "--ruleset", path, *FEW, "--json")) == file
    assert carre("compare", "--with", "./halle-1806", *FEW, "--json").json["second"]["ruleset"] == file
    write(two / "child.yaml", "extends: base\nruleset: child\n")
    assert (
        "'nations'" in carre("lint", "child.yaml").out
    )  # over our base, not over the file beside it, which has nations
    write(two / "dir/charge.yaml", CHARGE.replace("prusse-1806", "halle-1806"))
    assert played(carre("odds", "dir/charge.yaml", *FEW, "--json")) == ours


def test_a_bare_name_of_a_file_is_answered_with_its_path(two: Path, carre: Run) -> None:
    assert "there is no rule set 'mine'. Did you mean 'mine.yaml'?" in carre("odds", "--ruleset", "mine").err


def test_tables_pictures_and_new_files_go_to_the_working_directory(two: Path, ok: Run) -> None:
    (two / "sub").mkdir()
    ok("odds", "dir/charge.yaml", *FEW, "--out", "a.csv", "--plot", "sub/a.png")
    ok("new", "charge", "fresh")
    assert all((two / path).is_file() for path in ("a.csv", "sub/a.png", "fresh.yaml"))


def test_changed_files_are_read_again_in_one_session(two: Path) -> None:
    """Also with the time stamp and size that they had before, and when only a file that they extend has
    changed."""
    write(two / "child.yaml", "extends: mine.yaml\nruleset: child\n")
    charge = write(two / "charge.yaml", CHARGE.replace("prusse-1806", "child.yaml"))
    assert scenarios.load(charge).switches["trample"] == "first"
    for path, before, after in (
        (two / "mine.yaml", "ruleset: of the working directory\n", "ruleset: m\nset: {trample: recalled}\n#"),
        (charge, "morale: 31", "morale: 32"),
        (two / "child.yaml", "ruleset: child", "ruleset: other"),
    ):
        stamp = path.stat()
        write(path, path.read_text().replace(before, after))
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    read = scenarios.load(charge)
    assert (read.switches["trample"], read.target[0].morale, read.ruleset.name) == ("recalled", 32, "other")


# -- one thing said in two ways -----------------------------------------------------------------------

TWO_WAYS = {
    "distance and path": (
        added("path: [0, 0, 0]", "6\n", ""),
        "'distance' must not stand beside 'path', which says it too, got 6",
    ),
    "terrain twice": (
        added("ground: [{step: 2, terrain: clear}, {step: 2, terrain: garden}]", "", ""),
        "'ground[1]' must tell of another hex than 'ground[0]', which tells what is there already",
    ),
    "the same terrain twice": (
        added("ground: [{step: 2, terrain: clear}, {step: 2, terrain: clear}]", "", ""),
        "'ground[1]' must tell of another hex",
    ),
    "a hexside twice": (
        added(
            "ground: [{step: 3, hexside: stream}, {step: 1, hexside: stream}, {step: 3, hexside: slope}]",
            "",
            "",
        ),
        "'ground[2]' must tell of another hexside than 'ground[0]'",
    ),
}


@pytest.mark.parametrize(("fault", "says"), TWO_WAYS.values(), ids=TWO_WAYS)
def test_what_is_said_in_two_ways_is_refused(fault: object, says: str) -> None:
    text = CHARGE.replace(fault.old, fault.new, 1)  # type: ignore[attr-defined]
    _, problems = scenarios.check(documents.parse(text, "x.yaml"))
    assert len(problems.errors) == 1
    assert says in problems.errors[0]


def test_a_hex_and_a_hexside_of_one_step_are_two_things() -> None:
    charge, problems = scenarios.check(
        documents.parse(
            f"{CHARGE}ground: [{{step: 2, terrain: clear}}, {{step: 2, hexside: stream}}]\n", "x.yaml"
        )
    )
    assert charge is not None, problems.errors


def test_a_hex_that_the_path_enters_twice_has_one_terrain() -> None:
    """A full turn: the seventh step enters the hex of the first again."""
    turns = CHARGE.replace("distance: 6", "path: [0, 1, 1, 1, 1, 1, 1, 0, 0]")
    ground = "ground: [{step: 1, terrain: clear}, {step: 7, terrain: garden}]\n"
    charge, problems = scenarios.check(documents.parse(turns, "x.yaml"))
    assert charge is not None, problems.errors
    trail = charge.attacks[0].trail
    assert trail[1][0] == trail[7][0]
    _, problems = scenarios.check(documents.parse(turns + ground, "x.yaml"))
    assert ["'ground[1]' must tell of another hex than 'ground[0]'" in one for one in problems.errors] == [
        True
    ]


def test_an_option_takes_the_place_of_the_file_s_other_way(here: Path) -> None:
    straight = write(here / "straight.yaml", CHARGE)
    turning = write(here / "turning.yaml", CHARGE.replace("distance: 6", "path: [0, 1, 0, 0]"))
    assert scenarios.load(straight, ["path=[0, 1, 0]"]).path == (0, 1, 0)
    assert scenarios.load(turning, ["distance=3"]).path == (0, 0)
    assert [cell.charge.path for _, cell in swept(turning, "distance=2,3")] == [(0,), (0, 0)]


def swept(path: Path, *axes: str) -> tuple[tuple[tuple[object, ...], Odds], ...]:
    return sweep(documents.read(path), [parse_axis(text) for text in axes], "stand", "mc", 10, 1).cells


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["odds", "--set", "target.morale=26", "--set", "target.morale=31"],
         "--set target.morale=31: 'target.morale' is set by --set target.morale=26 already"),
        (["odds", "--set", "target.morale=26", "--set", "target={nation: Prussian}"],
         "--set target={nation: Prussian}: 'target.morale' is set by --set target.morale=26 already"),
        (["odds", "--set", "distance=5", "--set", "path=[0, 0]"], "--set path=[0, 0]: 'distance' is set by --set distance=5 already"),
        (["odds", "--set", "edition=2019", "--edition", "2017"], "--edition: 'edition' is set by --set edition=2019 already"),
        (["odds", "--set", "ruleset=halle-1806", "--ruleset", "prusse-1806"], "--ruleset: 'ruleset' is set by --set ruleset=halle-1806 already"),
        (["odds", "--set", "plan.square=press", "--plan", "square=break-off"],
         "--plan square=break-off: 'plan.square' is set by --set plan.square=press already"),
        (["sweep", "--set", "distance=5", "--vary", "distance=3,4"], "--vary distance=3: 'distance' is set by --set distance=5 already"),
        (["sweep", "--vary", "distance=4", "--vary", "path=[0]"], "'distance' is set by --vary distance=4 already"),
        (["compare", "--with", "distance=4", "--with", "distance=5"], "--with distance=5: 'distance' is set by --with distance=4 already"),
        (["compare", "--with", "halle-1806", "--with", "prusse-1806"], "--with prusse-1806: 'ruleset' is set by --with halle-1806 already"),
        (["sweep", "--vary", "distance=3,4,3"], "--vary distance must take each value once, got 3 twice"),
        (["sweep", "--vary", "distance=3,[4"], "--vary distance=3,[4: '[4' must be a YAML value"),
        (["sweep", "--vary", "target..morale=26"], "--vary target..morale=26: 'target..morale' must name a field"),
        (["odds", "--set", "target..morale=26"], "--set target..morale=26: 'target..morale' must name a field"),
        (["odds", "--set", "switches={trample: first, trample: first}"], "--set switches={trample: first, trample: first}: "),
        (["compare", "--with", "a.yaml", "--with", "b.yaml"], "--with must name one charge file, got a.yaml and b.yaml"),
    ],
)  # fmt: skip
def test_options_that_contradict_each_other_are_refused(
    arguments: list[str], says: str, here: Path, carre: Run
) -> None:
    write(here / "a.yaml", CHARGE)
    write(here / "b.yaml", CHARGE)
    result = carre(*arguments)
    assert result.code == 2
    assert says in result.err


def test_options_may_repeat_themselves_and_a_variant_may_change_what_it_is_compared_with(
    here: Path, ok: Run
) -> None:
    ok("odds", "--set", "target.morale=26", "--set", "target.morale=26", *FEW)
    ok("odds", "--set", f"target={FOOT}", "--set", "target.morale=26", *FEW)
    ok("compare", "--set", "target.morale=26", "--with", "target.morale=31", *FEW)
    write(here / "other.yaml", CHARGE.replace("increments: 8", "increments: 7"))
    both = ok("compare", "--with", "target.morale=26", "--with", "other.yaml", *FEW, "--json").json
    alone = ok("odds", "other.yaml", "--set", "target.morale=26", *FEW, "--json").json
    assert both["outcomes"][0]["after"] == alone["outcomes"][0]["p"]  # a change before the file counts too


# -- a regiment that has lost increments --------------------------------------------------------------


def test_increments_changed_alone_are_losses_and_the_printed_strength_stays(here: Path) -> None:
    """Eight increments with melee 30: four of them are half a regiment, not a small regiment as strong as a
    large one."""
    path = write(here / "charge.yaml", CHARGE)
    for charge in (
        scenarios.load(path, ["charger.increments=4"]),
        swept(path, "charger.increments=4,5")[0][1].charge,
    ):
        assert (charge.charger[0].increments, charge.charger[0].printed) == (4, 8)
    assert scenarios.load(path, ["target.increments=3"]).target[0].printed == 7
    assert scenarios.load(path, ["charger.increments=4", "charger.printed=4"]).charger[0].printed == 4
    assert scenarios.load(path, ["charger.printed=12", "charger.increments=12"]).charger[0].printed == 12
    guns = write(here / "guns.yaml", CHARGE.replace("  morale: 31\n", "  morale: 31\n  battery: {}\n"))
    assert (
        scenarios.load(guns, ["target.battery.increments=2"]).target[-1].printed == 3
    )  # the default battery's
    wrong = write(here / "wrong.yaml", CHARGE.replace("increments: 8", "increments: 99"))
    assert scenarios.load(wrong, ["charger.increments=4"]).charger[0].printed == 4  # 99 was no strength
    printed = write(here / "printed.yaml", CHARGE.replace("increments: 8", "increments: 6\n  printed: 9"))
    assert scenarios.load(printed, ["charger.increments=4"]).charger[0].printed == 9


def test_a_sweep_over_increments_is_not_flat(here: Path) -> None:
    cells = sweep(
        documents.read(write(here / "c.yaml", CHARGE)),
        [parse_axis("charger.increments=3..8")],
        "stand",
        "exact",
        1,
        1,
    ).cells
    chances = [found["stand"].tally.p("charge succeeds") for _, found in cells]
    assert chances == sorted(chances)
    assert chances[0] < chances[-1]
    both = [parse_axis("charger.increments=3"), parse_axis("charger.printed=8")]
    (explicit,) = sweep(documents.read(here / "c.yaml"), both, "stand", "exact", 1, 1).cells
    assert explicit[1]["stand"].tally.p("charge succeeds") == chances[0]


def test_more_increments_than_the_file_s_say_what_else_to_change(here: Path) -> None:
    path = write(here / "charge.yaml", CHARGE)
    with pytest.raises(InputError) as caught:
        scenarios.load(path, ["charger.increments=9"])
    told = (
        "'charger.increments' must be at most 8, those of the file, for which its values are printed "
        "(for another size change 'printed' too), got 9"
    )
    assert str(caught.value) == f"--set charger.increments=9: {told}"


# -- refused before any work --------------------------------------------------------------------------


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be played."""
    for name in ("sim.studies.odds.odds", "sim.studies.sweep.odds"):
        monkeypatch.setattr(name, lambda *rest, **more: pytest.fail("played before everything was checked"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sweep", "--vary", "distance=2..30"], "--vary distance=25: 'distance' must be an integer from 1 to 24, got 25"),
        (["sweep", "--vary", "target.morale=21,26", "--vary", "target.formation=line,lin"], "--vary target.formation=lin: "),
        (["sweep", "--vary", "ruleset=halle-1806,halle"], "--vary ruleset=halle: there is no rule set 'halle'"),
        (["sweep", "--vary", "target.state=good,routed"], "'target.formation' must be column or general order for a routed unit"),
        (["sweep", "--vary", "distance=2..4", "--response", "react"], "--response must be one that infantry has"),
        (["sweep", "--vary", "distance=2", "--vary", "night=true", "--vary", "edition=2017", "--plot", "a.png"],
         "--plot draws one or two --vary fields, got 3; write more with --out"),
        (["sweep", "--vary", "distance=2..4", "--plot", "a.xlsx"], "--plot: must name a file ending in .png, .svg, .pdf"),
        (["sweep", "--vary", "distance=2..4", "--out", "."], "--out: must name a file ending in .csv, .parquet"),
        (["odds", "--out", "folder.csv"], "--out: must be a file that can be written, got 'folder.csv': it is a directory"),
        (["odds", "--plot", "folder.csv/../folder.png"], "got 'folder.csv/../folder.png': it is a directory"),
        (["odds", "--out", "new/a.csv"], "--out: must be a file that can be written, got 'new/a.csv': there is no folder 'new'"),
        (["odds", "--plot", "new/sub/a.png"], "got 'new/sub/a.png': there is no folder 'new/sub'"),
        (["new", "charge", "new/mine"], "new/mine.yaml: the file cannot be written: there is no folder 'new'"),
        (["odds", "--plot", "file/a.png"], "got 'file/a.png': 'file' is not a directory"),
        (["odds", "--out", "x" * 300 + ".csv"], ": File name too long"),
        (["odds", "--out", "a\0.csv"], "embedded null byte"),
        (["odds", "--out", ".csv"], "--out: must name a file ending in .csv, .parquet, got '.csv'"),
        (["odds", "--plot", "sub/.png"], "--plot: must name a file ending in .png, .svg, .pdf, got 'sub/.png'"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_before_any_work(
    arguments: list[str], says: str, here: Path, idle: None, carre: Run
) -> None:
    (here / "folder.csv").mkdir()
    (here / "folder.png").mkdir()
    (here / "file").touch()
    result = carre(*arguments)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert says in result.err


def test_files_that_may_not_be_written_are_refused_before_any_work(
    here: Path, idle: None, carre: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`os.access` is asked; the user of the tests may be allowed everything."""
    (here / "old.csv").touch()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "got 'old.csv': it may not be changed" in carre("odds", "--out", "old.csv").err
    assert "got 'a.png': nothing may be written in '.'" in carre("odds", "--plot", "a.png").err


# -- files that are not what they should be -----------------------------------------------------------


def test_a_charge_with_both_main_keys_misspelt_is_no_rule_set(here: Path, carre: Run) -> None:
    write(here / "charge.yaml", CHARGE.replace("charger:", "chargr:").replace("target:", "traget:"))
    out = carre("lint", "charge.yaml").out
    assert "charge.yaml: charge, " in out
    assert "'chargr' is not a known field. Did you mean 'charger'?" in out
    assert "'traget' is not a known field. Did you mean 'target'?" in out


def test_a_file_is_known_for_a_charge_by_the_names_that_a_charge_file_has() -> None:
    assert set(chargefields.CHARGE.fields) == kinds.CHARGE_FIELDS


@pytest.mark.parametrize("name", [*shipped.names(), "base"])
def test_shipped_rule_sets_are_rule_sets_also_without_what_says_so_most_clearly(name: str) -> None:
    data = dict(documents.read(chain.locate(name)).data)
    assert kinds.kind_of(data) == kinds.RULE_SET
    for clear in ("extends", "partial", "nations"):
        data.pop(clear, None)
    assert kinds.kind_of(data) == kinds.RULE_SET


def test_a_file_of_the_other_kind_is_told_as_that(here: Path, carre: Run) -> None:
    write(here / "charge.yaml", CHARGE)
    write(here / "rules.yaml", MINE.format(name="rules"))
    assert carre("odds", "rules.yaml").err == (
        "carre: rules.yaml:1:1: must be a charge file, but looks like a rule set (play a charge by "
        "it with --ruleset)\n"
    )
    assert (
        carre("odds", "--ruleset", "charge.yaml").err
        == "carre: --ruleset: charge.yaml: must be a rule set, but looks like a charge file\n"
    )
    assert (
        carre("diff", "charge.yaml", "halle-1806").err
        == "carre: charge.yaml: must be a rule set, but looks like a charge file\n"
    )


def pipe(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 34)


NOT_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, "there is no such file"),
    "a directory": (Path.mkdir, "must be a file, but is a directory"),
    "a pipe": (pipe, "must be a file, but is a pipe, a socket or a device"),
    "a device": (
        lambda path: path.symlink_to("/dev/zero"),
        "must be a file, but is a pipe, a socket or a device",
    ),
    "a link to itself": (loop, "the file cannot be read (Too many levels of symbolic links)"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "there is no such file"),
    "huge": (sparse, "must be at most 4,000,000 bytes, got more"),
    "empty": (Path.touch, "must hold a YAML mapping, but the file is empty"),
}


@pytest.mark.parametrize(("make", "says"), NOT_FILES.values(), ids=NOT_FILES)
@pytest.mark.parametrize(
    "arguments",
    [["odds", "x.yaml"], ["lint", "x.yaml"], ["odds", "--ruleset", "x.yaml"], ["diff", "x.yaml", "halle-1806"], ["compare", "--with", "x.yaml"],
     ["odds", "names.yaml"], ["lint", "child.yaml"], ["explain", "x.yaml"], ["sweep", "x.yaml", "--vary", "distance=3"],
     ["chart", "morale", "--morale", "26", "--ruleset", "x.yaml"]],
    ids=" ".join,
)  # fmt: skip
def test_what_is_no_ordinary_file_is_told_and_not_waited_for(
    arguments: list[str],
    make: Callable[[Path], object],
    says: str,
    here: Path,
    carre: Run,
) -> None:
    write(here / "names.yaml", CHARGE.replace("prusse-1806", "x.yaml"))
    write(here / "child.yaml", "extends: x.yaml\nruleset: child\n")
    make(here / "x.yaml")
    result = carre(*arguments)
    told = result.out if arguments[0] == "lint" else result.err
    assert result.code == 2
    assert "x.yaml" in told
    assert says in told or (arguments[-1] == "child.yaml" and "there is no file 'x.yaml'" in told)
    assert "output cannot be written" not in told


@pytest.mark.parametrize("name", ["x" * 300 + ".yaml", "a\0b.yaml", "no/such/folder.yaml", "x.yaml/y.yaml"])
def test_paths_that_cannot_be_are_told_in_one_line(name: str, here: Path, carre: Run) -> None:
    (here / "x.yaml").touch()
    for arguments in (
        ["odds", name],
        ["odds", "--ruleset", name],
        ["odds", "--set", f"ruleset={name}"],
        ["compare", "--with", name],
        ["diff", name, name],
    ):
        result = carre(*arguments)
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert "output cannot be written" not in result.err
    assert carre("lint", name).code == 2


def test_a_file_that_may_not_be_read_is_told(here: Path, carre: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(here / "secret.yaml", CHARGE)
    path.chmod(0)
    if stat.S_IMODE(path.stat().st_mode) == 0 and os.geteuid() == 0:  # root reads it all the same

        def refuse(self: Path, *rest: object, **more: object) -> None:
            raise PermissionError(13, "Permission denied", str(self))

        monkeypatch.setattr(Path, "open", refuse)
    assert (
        carre("odds", "secret.yaml").err
        == "carre: secret.yaml: the file cannot be read (Permission denied)\n"
    )


# -- text ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("written", "known"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_accents_are_one_name_however_they_are_saved(
    written: Form, known: Form, here: Path, carre: Run
) -> None:
    """Nations, types, units and files; in files and in options."""

    def as_written(text: str) -> str:
        return unicodedata.normalize(written, text)

    def as_known(text: str) -> str:
        return unicodedata.normalize(known, text)

    assert as_written("é") != as_known("é")
    rules = (
        "extends: prusse-1806\nruleset: rè\nnations: {Françaîs: Imperial}\ntroops: {Françaîs: {Légère: "
        "{line: 3, square: 2, skirmish: 1,"
    )
    rules += ' losses: {first: 1, step: 1}, source: "[HOUSE] x"}}}\n'
    write(here / as_known("rè.yaml"), as_known(rules))
    charge = (
        CHARGE.replace("prusse-1806", "rè.yaml")
        .replace("nation: Prussian", "nation: Françaîs")
        .replace("type: Musketeer", "type: Légère")
    )
    write(here / "charge.yaml", as_written(charge))
    assert "charge.yaml: charge, 0 errors" in carre("lint", "charge.yaml").out
    assert carre("odds", "charge.yaml", *FEW).code == 0
    option = [as_written(one) for one in ("target.nation=Françaîs", "target.type=Légère")]
    write(here / "plain.yaml", CHARGE)
    result = carre(
        "odds", "plain.yaml", "--ruleset", as_written("rè.yaml"), "--set", option[0], "--set", option[1], *FEW
    )
    assert result.code == 0, result.err
    stand = [
        "chart",
        "stand",
        "--morale",
        "34",
        "--formation",
        "line",
        "--charger",
        "light",
        "--ruleset",
        as_written("rè.yaml"),
    ]
    assert carre(*stand, "--nation", as_written("Françaîs"), "--type", as_written("Légère")).code == 0


ESCAPE = "\x1b[31m\x07\x9b1m\u202e"


def test_control_characters_are_never_printed_raw(here: Path, carre: Run) -> None:
    """From names of files, options and fields, and from values; a file that holds them raw is no YAML."""
    quoted = '"\\e[31m\\a\\x9b1m\\u202E"'
    for i, text in enumerate(
        [
            f"title: {quoted}\n",
            f"{quoted}: 1\n",
            CHARGE.replace("French", quoted),
            CHARGE.replace("Musketeer", quoted),
            CHARGE.replace("prusse-1806", quoted),
            CHARGE.replace("formation: line", f"formation: {quoted}"),
            CHARGE + f"switches: {{{quoted}: 1}}\n",
            CHARGE + f"? !{quoted[1:-1]} x\n: 1\n",
            CHARGE + "title: !%1b%5b31m x\n",
            CHARGE + f"title: {ESCAPE}\n",
            f"extends: {quoted}\n",
            f"extends: prusse-1806\nruleset: {quoted}\nnations: {{{quoted}: French}}\n",
        ]
    ):
        write(here / f"{i}.yaml", text)
        for arguments in (
            ["odds", f"{i}.yaml"],
            ["lint", f"{i}.yaml"],
            ["lint", f"{i}.yaml", "--json"],
            ["odds", "--ruleset", f"{i}.yaml"],
        ):
            assert clean(carre(*arguments), 2)
    name = f"a{ESCAPE}\n.yaml"
    write(here / name, CHARGE)
    write(here / f"rules{name}", MINE.format(name="x"))
    right = (
        ["lint", name],
        ["lint", name, "--json"],
        ["lint", f"rules{name}"],
        ["odds", name, *FEW],
        ["compare", name, "--with", name, *FEW],
        ["odds", *FEW, "--out", f"{ESCAPE}.csv"],
    )
    for arguments in right:
        assert clean(carre(*arguments), 0)
    wrong = [
        "odds {}.yaml",
        "{}",
        "odds {}",
        "odds --set {}",
        "odds --set {}=1",
        "new charge {}",
        "odds --set title={}",
        "odds --runs {}",
        "odds --plan {}",
    ]
    wrong += [
        "odds --response {}",
        "sweep --vary {}",
        "diff {} {}",
        "odds --method {}",
        "explain --rolls {}",
        "odds --ruleset {}.yaml",
        "odds --plot {}",
    ]
    for line in wrong:
        assert clean(carre(*(part.replace("{}", ESCAPE) for part in line.split())), 2)


def clean(result: Result, code: int) -> bool:
    assert result.code == code, result
    return all(one == "\n" or one.isprintable() for one in result.out + result.err)


def test_a_rule_set_given_twice_over_keys_of_its_parent_tells_the_parent_s_own_faults(
    here: Path, carre: Run
) -> None:
    write(
        here / "parent.yaml",
        "extends: prusse-1806\nruleset: parent\nretreat: {disordered: 3}\nretreat: {disordered: 3}\n",
    )
    write(here / "child.yaml", "extends: parent.yaml\nruleset: child\n")
    assert "parent.yaml:4:1: 'retreat' is given twice" in carre("lint", "child.yaml").out


def test_a_bomb_of_aliases_and_a_flood_of_wrong_names_are_answered_soon(here: Path, carre: Run) -> None:
    long = "x" * 100_000
    write(here / "long.yaml", f"a: &a {long}\n" + "".join(f"b{i}: *a\n" for i in range(2_000)))
    write(here / "flood.yaml", CHARGE + "".join(f"distanc{i}: 1\n" for i in range(30_000)))
    for name in ("long.yaml", "flood.yaml"):
        result = carre("odds", name)
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert len(result.err) < 1_000
        assert carre("lint", name).code == 2


# -- everything in one go -----------------------------------------------------------------------------

ALL_WRONG = """\
ruleset: prusse-1806
charger: {nation: Frensh, type: Dragoon, movement: 12, increments: 8, melee: 30, morale: 18, formation: colum, readiness: tired}
target: {nation: Prussian, type: Musketer, formation: lin, increments: 7, printed: 6, fire: 5, melee: -16, morale: 31, lance: 2}
neighbours:
  - {nation: Saxxon, type: Musketer, formation: square, increments: 6, fire: 4, melee: 12, morale: 31, at: behind}
distance: 99
response: react
through: flanc
plan: {square: brake off, recalled: follow}
switches: {recal: must, trample: never}
ground: [{step: 2, terrain: gardn}]
"""
NAMED = (
    "charger.nation charger.morale charger.formation charger.readiness target.type "
    "target.formation target.printed target.melee target.lance"
    " neighbours[0].nation neighbours[0].type neighbours[0].at distance response through "
    "plan.square ground[0].terrain"
)


def test_everything_that_is_wrong_is_told_in_one_go(here: Path, carre: Run) -> None:
    write(here / "charge.yaml", ALL_WRONG)
    errors = carre("lint", "charge.yaml", "--json").json["files"][0]["errors"]
    named = sorted(one.split("'")[1] for one in errors if "switch" not in one)
    assert named == sorted(NAMED.split())
    assert [one.partition(": ")[2].split(".")[0] for one in errors if "switch" in one] == [
        "there is no switch 'recal'",
        "switch 'trample' must be one of first, recalled, got 'never'",
    ]
    assert f"(and {len(errors) - 1} more: see carre lint)" in carre("odds", "charge.yaml").err


@pytest.mark.parametrize(
    ("arguments", "begin"),
    [
        (
            ["--set", "a=1", "--set", "b=2", "--set", "distance=99"],
            ["--set a=1: 'a'", "--set b=2: 'b'", "--set distance=99: 'distance'"],
        ),
        (["--set", "a", "--set", "b"], ["--set must be FIELD=VALUE", "--set must be FIELD=VALUE"]),
        (
            ["--plan", "square=run", "--set", "distance=99"],
            ["--plan square=run: 'plan.square'", "--set distance=99: 'distance'"],
        ),
    ],
)
def test_all_that_is_wrong_with_options_is_told_a_line_each(
    arguments: list[str], begin: list[str], carre: Run
) -> None:
    result = carre("odds", *arguments)
    lines = sorted(result.err.splitlines())
    assert (result.code, result.out, len(lines)) == (2, "", len(begin))
    assert all(line.startswith(f"carre: {first}") for line, first in zip(lines, sorted(begin), strict=True))
    assert "lint" not in result.err


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["odds", "--ruleset", "wagram-1809"], "--ruleset"),
        (["odds", "--set", "ruleset=wagram-1809"], "--set ruleset=wagram-1809"),
        (["compare", "--with", "wagram-1809"], "--with wagram-1809"),
        (["sweep", "--vary", "ruleset=prusse-1806,wagram-1809"], "--vary ruleset=wagram-1809"),
    ],
)
def test_a_battle_without_the_troops_of_the_default_charge_asks_for_a_charge_file(
    arguments: list[str], option: str, carre: Run
) -> None:
    result = carre(*arguments)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith(f"carre: {option}: the default charge is of 1806")
    assert "carre new charge" in result.err
    assert ".yaml" not in result.err


def test_other_faults_of_options_are_told_beside_a_battle_that_does_not_fit_the_default_charge(
    carre: Run,
) -> None:
    lines = carre("odds", "--ruleset", "wagram-1809", "--set", "distance=99").err.splitlines()
    assert [line.split(": ")[1] for line in lines] == ["--ruleset", "--set distance=99"]


def test_the_default_charge_with_troops_of_the_battle_is_played(carre: Run) -> None:
    assert (
        carre(
            "odds",
            "--ruleset",
            "wagram-1809",
            "--set",
            "target.nation=Austrian",
            "--set",
            "target.type=Grenz",
        ).code
        == 0
    )


@pytest.mark.parametrize("ruleset", ["prusse-1807", "none.yaml", "[1]"])
def test_an_unknown_rule_set_hides_only_what_needs_it(ruleset: str, here: Path, carre: Run) -> None:
    write(here / "charge.yaml", ALL_WRONG.replace("prusse-1806", ruleset))
    errors = carre("lint", "charge.yaml", "--json").json["files"][0]["errors"]
    named = {one.split("'")[1] for one in errors if "'" in one}
    known = {
        "charger.nation",
        "target.type",
        "neighbours[0].nation",
        "neighbours[0].type",
        "ground[0].terrain",
    }
    assert set(NAMED.split()) - known <= named
    assert not named & known
    assert sum("charge.yaml:1:10: " in one for one in errors) == 1


FAULTS = FIELDS | ACROSS
BLOCKS = {
    "charger": range(CHARGE.index("charger"), CHARGE.index("target")),
    "target": range(CHARGE.index("target"), CHARGE.index("distance")),
}


def within(block: str) -> list[str]:
    """Names of the faults that change something inside a block of the charge."""
    return [
        name
        for name, fault in FAULTS.items()
        if CHARGE.index(fault.old) in BLOCKS[block] and not name.startswith(("no charger", "no target"))
    ]


def test_there_are_faults_of_both_sides_and_around_them() -> None:
    """Else the two tests below would test nothing."""
    assert [len(one) > 20 for one in (within("charger"), within("target"), ADDED)] == [True, True, True]


@pytest.mark.parametrize("name", within("charger"))
def test_a_fault_of_the_charger_hides_none_of_the_target_and_none_of_the_target_hides_it(name: str) -> None:
    first = FAULTS[name]
    for other in within("target"):
        second = FAULTS[other]
        text = CHARGE.replace(first.old, first.new, 1)
        after = text.index("target:")
        text = text[:after] + text[after:].replace(second.old, second.new, 1)
        _, problems = scenarios.check(documents.parse(text, "x.yaml"))
        for fault in (first, second):
            assert any(fault.says in one for one in problems.errors), (other, problems.errors)
        assert len(problems.errors) == 2, (other, problems.errors)


ADDED = [name for name, fault in FAULTS.items() if fault.old == "distance: 6\n" and "reactor" not in name]


@pytest.mark.parametrize("name", within("charger"))
def test_a_fault_of_the_charger_hides_none_of_what_is_around(name: str) -> None:
    first = FAULTS[name]
    for other in ADDED:
        second = FAULTS[other]
        _, problems = scenarios.check(
            documents.parse(
                CHARGE.replace(first.old, first.new, 1).replace(second.old, second.new, 1), "x.yaml"
            )
        )
        for fault in (first, second):
            assert any(fault.says in one for one in problems.errors), (other, problems.errors)
        assert len(problems.errors) == 2, (other, problems.errors)


def test_a_loaded_charge_is_changed_and_varied_again_in_python() -> None:
    """What an earlier call has set is part of the charge; only what one call sets twice is refused."""
    charge = sim.load_charge(changes={"target.morale": 26, "distance": 5})
    again = sim.load_charge(charge, changes={"target.morale": 31, "path": [0, 0]})
    assert (again.target[0].morale, again.path) == (31, (0, 0))
    assert sim.load_charge(charge, changes={"charger.increments": 4}).charger[0].printed == 8
    found = sim.sweep(charge, {"target.morale": [26, 31]}, "stand", method="mc", runs=10)
    assert [cell.charge.target[0].morale for _, cell in found.cells] == [26, 31]
    with pytest.raises(InputError, match="'distance' is set by changes distance already"):
        sim.load_charge(changes={"distance": 5, "path": [0, 0]})
    with pytest.raises(
        InputError, match=r"target.morale=26: 'target.morale' is set by changes target.morale already"
    ):
        sim.sweep(None, {"target.morale": [26, 31]}, changes={"target.morale": 36})


@pytest.mark.parametrize("word", ["null", "true", "no"])
def test_values_of_a_sweep_are_shown_as_yaml_has_them(word: str, carre: Run) -> None:
    shown = {"no": "false"}.get(word, word)
    result = carre("sweep", "--vary", f"target.morale={word},26")
    assert f"--vary target.morale={shown}: 'target.morale' must be one of the 36 rolls" in result.err
    assert result.err.endswith(f"got {shown}\n")


@pytest.mark.parametrize("written", ["no", "1806-10-14", "026", "1.50", "7"])
def test_what_a_rule_set_extends_is_shown_as_it_is_written(written: str, here: Path, carre: Run) -> None:
    write(here / "mine.yaml", f"extends: {written}\nruleset: mine\n")
    assert (
        f"'extends' must be the name or path of a rule set, got {written}\n" in carre("lint", "mine.yaml").out
    )


def test_a_type_that_is_no_text_says_nothing_of_the_recall_chart_besides() -> None:
    """Prussian cavalry finds its row by type: without one there is none."""
    text = CHARGE.replace("nation: French\n  type: Dragoon", "nation: Prussian\n  type: WRITTEN")
    for written, says in (
        ("7", "'charger.type' must be text of at most 200 characters, got 7"),
        ("Dragon", "to find its row in the recall chart"),
    ):
        _, problems = scenarios.check(documents.parse(text.replace("WRITTEN", written), "x.yaml"))
        assert len(problems.errors) == 1, problems.errors
        assert says in problems.errors[0]


@pytest.mark.parametrize(
    "text",
    [
        "set: {lance: counter}\n",
        "stand: {modifiers: {in line: {value: 6}}}\n",
        "ruleset: mine\nset: {lance: counter}\n",
    ],
)
def test_a_fragment_of_a_rule_set_is_told_that_it_extends_nothing_first_of_all(
    text: str, here: Path, carre: Run
) -> None:
    write(here / "mine.yaml", text)
    errors = carre("lint", "mine.yaml", "--json").json["files"][0]["errors"]
    assert len(errors) <= 2
    assert errors[0].startswith(
        "mine.yaml:1:1: must have the field 'extends' unless it is a whole rule set, but it is missing"
    )
    assert "None" not in carre("odds", "--ruleset", "mine.yaml").err
    write(here / "mine.yaml", f"extends: prusse-1806\n{text}")
    assert "'extends'" not in carre("lint", "mine.yaml").out


def told(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        sim.load_charge(path) if kinds.kind_of(documents.read(path).data) == kinds.CHARGE else catalogue.load(
            str(path)
        )
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("movement: 12", "movement: 24/2", "got '24/2': write 12"),
        ("title: ", "title: ''\n#", "'title' must be text of at most 200 characters, got ''. It is empty"),
        (
            "title: ",
            'title: "a\\tb"\n#',
            "'title' must be text of at most 200 characters, got 'a\\tb'. It has a character that "
            "is not printable",
        ),
        (
            "distance: 6",
            "path: []\nground: [{step: 1, terrain: woods}]",
            "'ground[0].step' must be a step of the charge, but its path has none, got 1",
        ),
    ],
)
def test_a_hint_names_what_is_wrong(old: str, new: str, says: str, here: Path) -> None:
    text = scenarios.DEFAULT.read_text(encoding="utf-8")
    assert old in text
    assert says in told(write(here / "charge.yaml", text.replace(old, new, 1)))


def test_a_year_in_quotes_is_told_to_lose_them(here: Path) -> None:
    path = write(here / "mine.yaml", MINE.format(name="mine") + 'version: 1\neditions: {"2017": {}}\n')
    assert "'editions.2017' is not one of the years 2000 to 2099: write 2017 without quotes" in told(path)


@pytest.mark.parametrize(
    "kind", ["a directory", "a pipe", "a device", "a link to itself", "a link to nothing", "huge"]
)
def test_what_cannot_be_extended_is_told_where_it_is_asked_for(kind: str, here: Path) -> None:
    make, says = NOT_FILES[kind]
    make(here / "x.yaml")
    path = write(here / "child.yaml", "ruleset: child\nextends: x.yaml\n")
    assert (
        told(path) == f"{path}:2:10: 'extends' must be the name or path of a rule set, got 'x.yaml': {says}"
    )


def test_a_charge_file_cannot_be_extended(here: Path) -> None:
    write(here / "x.yaml", CHARGE)
    path = write(here / "child.yaml", "ruleset: child\nextends: x.yaml\n")
    assert (
        told(path)
        == f"{path}:2:10: 'extends' must be the name or path of a rule set, but 'x.yaml' looks like a "
        "charge file"
    )


def test_a_part_of_a_number_gets_no_hint_where_a_whole_one_is_asked_for(carre: Run) -> None:
    assert "got '1.5' (see" in carre("explain", "--run", "1.5").err
