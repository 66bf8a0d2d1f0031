"""How a side marches: a plan of all its units in all lanes, made once a half from where everybody stands.

Arrays have shape (m, k), units of one arm by lanes, unless a docstring says otherwise; a plan (units, lanes).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.battle.players import KEEP, TWO, Intent
from sim.board.contacts import NOBODY, Gathering
from sim.board.fields import FAR
from sim.combat.play import Play
from sim.doctrine import told
from sim.doctrine.bearings import Bearings
from sim.doctrine.posts import Posts
from sim.doctrine.tasks import EXIT, HOLD, NO_WAY, RESERVE, SCREEN, TAKE, Tasks
from sim.doctrine.telling import tell, tell_of
from sim.doctrine.ways import ACROSS, Ways
from sim.ensemble.cases import Cases, Mask
from sim.ensemble.lanes import Ids
from sim.units.styles import Style
from sim.vocabulary import (
    ARTILLERY,
    AWAITED,
    CAVALRY,
    COLUMN,
    DISORDERED,
    FORMATIONS,
    FRESH,
    FRONT,
    GENERAL_ORDER,
    GONE,
    GOOD,
    INFANTRY,
    LIMBERED,
    LINE,
    ROAD_MARCH,
    ROUTED,
    SKIRMISH,
    SQUARE,
    STATES,
    UNLIMBERED,
)

Numbers = NDArray[np.integer]
Rows = NDArray[np.int16]
Own = tuple[NDArray[np.signedinteger], ...]
"""Index of some units in some lanes."""
UNIT = 4
"""What an increment weighs, so that ratios go into integers."""
MOST_NEED = 1000
"""So much needs more than anybody has, and sums of it are small numbers."""
NO_LIMIT = 99
NEARER = 8
"""Hexes by which a unit may have come nearer to enemies since the plan was made."""


@dataclass(frozen=True)
class Sight:
    """What units look at: how far it is, the hexside toward it, and the formation that they have."""

    hexes: Numbers
    toward: Numbers
    shape: Numbers

    def take(self, index: Ids) -> Sight:
        """For some of them."""
        return Sight(self.hexes[index], self.toward[index], self.shape[index])


class Marching:
    """The marches of one side.

    Attributes
    ----------
    near, foe, horse
        Hexes to the nearest enemy, its number, hexes to the nearest enemy cavalry that may charge, as they
        were when the plan was made.
    prey
        Unit against whose hex a unit gathers, -1 for none.
    released
        Reserves that have gone up.
    beaten
        Who attacks nobody and is pulled out.
    """

    def __init__(self, play: Play, side: int, tasks: Tasks, ways: Ways, style: Style) -> None:
        self.play, self.forces, self.tasks, self.ways, self.style = play, play.forces, tasks, ways, style
        self.side, self.bearings = side, Bearings(play.survey.board)
        forces = self.forces
        shape = forces.hex.shape
        self.mine, self.theirs = (np.flatnonzero(forces.side == one) for one in (side, 1 - side))
        self.of_arm = [np.flatnonzero((forces.side == side) & (forces.arm == arm)) for arm in range(3)]
        self.posts = Posts(forces, side, tasks, int(forces.home[self.mine[0]]))
        self.released = np.zeros(shape, np.bool_)
        self.beaten = np.zeros(shape, np.bool_)
        self.known = np.zeros(shape, np.bool_)
        self.near, self.horse = np.full((2, *shape), NOBODY, np.int16)
        self.foe, self.prey, self.way, self.formation = np.full((4, *shape), -1, np.int16)
        self.most = np.zeros(shape, np.int16)
        self.odds = np.zeros(shape, np.float32)
        self._needs = self._needs_of()
        deploy = style.deploy
        self._seen = max(deploy.face, deploy.line, style.guns.unlimber, style.screen.open)
        self.turn = 0

    # -- answers ----------------------------------------------------------------------------------

    def forget(self) -> None:
        """Where units stand has changed: a plan is made when it is next asked for."""
        self.known[:] = False

    def march(self, cases: Cases) -> Intent:
        """As `battle.players.Player` says."""
        self._know(cases)
        way, leaves = self.way[cases.at].astype(np.int64), self.tasks.kind[cases.unit] == EXIT
        leaves = leaves & (way == self.tasks.way[cases.unit])
        none = np.zeros(len(cases), np.bool_)
        return Intent(way, self.formation[cases.at], self.most[cases.at], none, leaves)

    def halts(self, cases: Cases) -> tuple[Numbers, Numbers]:
        """As `battle.players.Player` says; units may differ from case to case."""
        self._know(cases)
        formation, facing = np.full((2, len(cases)), KEEP)
        deploy, forces, at = self.style.deploy, self.forces, cases.at
        looked = np.where(self.prey[at] >= 0, self.prey[at], self.foe[at])
        (some,) = ((looked >= 0) & (self.near[at] <= self._seen + NEARER)).nonzero()
        if not len(some):
            return formation, facing
        mine, looked = cases.take(some), looked[some].astype(np.int64)
        here, there = forces.hex[mine.at], forces.hex[looked, mine.lane]
        sight = Sight(
            forces.map.distances(here, there),
            self.bearings.facing(here, there, np.zeros(len(some), np.int64)) // 2,
            forces.formation[mine.at].astype(np.int64),
        )
        arm, taken = forces.arm[mine.unit], np.full(len(some), KEEP)
        for one, deploys in ((INFANTRY, self._foot_deploys), (ARTILLERY, self._guns_deploy)):
            (own,) = (arm == one).nonzero()
            if len(own):
                taken[own] = deploys(mine.take(own), sight.take(own))
        formation[some] = taken
        shape = np.where(taken == KEEP, sight.shape, taken % TWO)
        turns = (sight.hexes > 0) & (sight.hexes <= deploy.face) & (shape != SQUARE)
        kind = forces.kind[mine.unit]
        corner = self.play.book.corner_facing[kind, shape].astype(np.int64)
        wanted = self.bearings.facing(here, there, corner)
        sees = (taken == KEEP) & self._has_in_front(mine, shape, forces.facing[mine.at], sight.toward)
        facing[some] = np.where(turns & ~sees, wanted, KEEP)
        return formation, facing

    def _has_in_front(self, cases: Cases, shape: Numbers, facing: Numbers, toward: Numbers) -> Mask:
        """Where units, in a formation and facing, have a hexside in front."""
        kind = self.forces.kind[cases.unit]
        return np.asarray(self.play.survey.board.zone[kind, shape, facing, toward] == FRONT)

    def _foot_deploys(self, cases: Cases, sight: Sight) -> Numbers:
        """The formation that infantry takes where it has stopped: line where no cavalry is near, in two hexes
        if it then has the enemy in front; who is next to what he attacks only if too few come to storm it."""
        deploy, forces, at, shape = self.style.deploy, self.forces, cases.at, sight.shape
        after = self.play.book.formation_after[INFANTRY, LINE, forces.ground[forces.hex[at]]]
        idle, near = self.prey[at] < 0, sight.hexes <= deploy.line
        fires = (sight.hexes <= 1) & (self.odds[at] < float(self.style.attack.storm))
        line = (idle | fires) & ((shape == COLUMN) | (shape == ROAD_MARCH)) & near & (after == LINE)
        line &= self.horse[at] > deploy.horse
        looks = self._has_in_front(cases, np.full(len(cases), LINE), forces.facing[at] | 1, sight.toward)
        wide = looks & (forces.increments[at] >= deploy.two)
        column = idle & (shape == ROAD_MARCH) & near & (after == LINE)
        taken = np.where(line, LINE + TWO * wide, np.where(column, COLUMN, KEEP))
        opens = self._opens(cases, sight)
        tell(self.play, told.TakesLine, cases, line & ~opens, sight.hexes, deploy.line)
        tell(self.play, told.OpensOrder, cases, opens, sight.hexes, self.style.screen.open)
        return np.where(opens, SKIRMISH, taken)

    def _opens(self, cases: Cases, sight: Sight) -> Mask:
        """Where infantry that screens takes skirmish order."""
        able = self.forces.multiples.num[cases.unit, SKIRMISH] > 0
        able &= self.tasks.kind[cases.unit] == SCREEN
        return np.asarray(able & (sight.hexes <= self.style.screen.open) & (sight.shape != SKIRMISH))

    def _guns_deploy(self, cases: Cases, sight: Sight) -> Numbers:
        """Guns unlimber when an enemy is near, but in no defile."""
        forces, most = self.forces, self.style.guns.unlimber
        here = forces.hex[cases.at]
        ready = (sight.shape == LIMBERED) & (sight.hexes <= most) & ~self.ways.defile[ARTILLERY][here]
        ready &= self.play.book.formation_after[ARTILLERY, UNLIMBERED, forces.ground[here]] == UNLIMBERED
        tell(self.play, told.Unlimbers, cases, ready, sight.hexes, most)
        return np.where(ready, UNLIMBERED, KEEP)

    # -- the plan ---------------------------------------------------------------------------------

    def _know(self, cases: Cases) -> None:
        """Make the plan where there is none; who has come onto the map since then is planned for alone."""
        missing = ~self.known[cases.at]
        if not missing.any():
            return
        if not self.known[self.mine].any():
            self.plan(self.mine, self.play.ensemble.all())
            return
        fresh = cases.where(missing)
        self.prey[fresh.at] = -1
        for unit in np.unique(fresh.unit).tolist():
            self.plan(np.array([unit]), fresh.lane[fresh.unit == unit], gathers=False)

    def plan(self, units: Ids, lanes: Ids, gathers: bool = True) -> None:
        """Decide what units, shape (m,), of this side do in lanes, shape (k,)."""
        forces, own = self.forces, np.ix_(units, lanes)
        fresh = (forces.state == GOOD) & (forces.readiness == FRESH) & (forces.arm == CAVALRY)[:, None]
        found = self.play.survey.contacts(units, lanes, fresh)
        self.near[own], self.foe[own], self.horse[own] = found.near, found.foe, found.horse
        self.known[own] = forces.hex[own] != forces.map.off
        self._find_beaten(units, own)
        self._release(units, lanes)
        if gathers:
            self.posts.look()
            self._gather(lanes)
        for arm, plan in ((INFANTRY, self._foot), (CAVALRY, self._horse), (ARTILLERY, self._guns)):
            some = units[forces.arm[units] == arm]
            if len(some):
                plan(some, lanes)

    def _find_beaten(self, units: Ids, own: Own) -> None:
        """Who has lost too much to attack, by itself or by its organisation; not who is to leave the map."""
        forces, beaten, before = self.forces, self.style.beaten, self.beaten[own]
        stays = (self.tasks.kind[units] != EXIT)[:, None] & (forces.state[own] != GONE)
        left = forces.increments[own] / np.maximum(forces.printed[units], 1)[:, None]
        few, level = stays & (left <= float(beaten.left)), stays & (forces.level[own] >= beaten.level)
        self.beaten[own] = few | level
        who = units, own[1][0]
        tell_of(self.play, told.DrawsBack, *who, few & ~before, left, beaten.left)
        level &= ~few & ~before
        tell_of(self.play, told.DrawsBackByLevel, *who, level, forces.level[own], beaten.level)

    def _release(self, units: Ids, lanes: Ids) -> None:
        """Reserves go up when an enemy is near, when the infantry in front is worn, or when they have waited
        long enough."""
        reserve, waits = self.style.reserve, self.tasks.kind[units] == RESERVE
        if not waits.any():
            return
        some = units[waits]
        own = np.ix_(some, lanes)
        limit = np.where(self.forces.arm[some] == CAVALRY, reserve.horse, reserve.near)[:, None]
        still, worn = ~self.released[own] & self.known[own], self._worn(lanes)[None]
        near, relieves = self.near[own] <= limit, worn >= float(reserve.feed)
        waited = np.full(near.shape, self.turn > reserve.patience)
        self.released[own] |= near | relieves | waited
        who, relieves, waited = (some, lanes), relieves & ~near, waited & ~near & ~relieves
        tell_of(self.play, told.GoesUp, *who, still & near, self.near[own], limit)
        tell_of(self.play, told.Relieves, *who, still & relieves, worn, reserve.feed)
        tell_of(self.play, told.WaitedEnough, *who, still & waited, self.turn, reserve.patience)

    def _worn(self, lanes: Ids) -> NDArray[np.float64]:
        """The share of the infantry in front that is shaken, beaten or lost, shape (k,)."""
        forces, foot = self.forces, self.of_arm[INFANTRY]
        own = np.ix_(foot, lanes)
        front = (self.tasks.kind[foot] != RESERVE)[:, None] & (forces.reason[own] != AWAITED)
        worn = front & ((forces.state[own] != GOOD) | self.beaten[own])
        return np.asarray(worn.sum(axis=0) / np.maximum(front.sum(axis=0), 1))

    def _gather(self, lanes: Ids) -> None:
        """Who attacks whom."""
        forces, attack, foot = self.forces, self.style.attack, self.of_arm[INFANTRY]
        self.prey[:] = -1
        if not len(foot) or (self.near[foot] > 2 * attack.points).all():
            return
        busy = lanes[(self.near[foot][:, lanes] <= 2 * attack.points).any(axis=0)]
        increments, kind = forces.increments[foot], self.tasks.kind[foot][:, None]
        able = (forces.state[foot] == GOOD) & (increments >= attack.least)
        shut = (forces.formation[foot] == SQUARE) & (self.horse[foot] <= self.style.deploy.horse)
        able &= ~shut & ~self.beaten[foot] & (kind != SCREEN) & ((kind != RESERVE) | self.released[foot])
        weight, need, reach = np.zeros((3, *forces.hex.shape), np.int16)
        weight[foot] = np.where(able, UNIT * increments, 0)
        modest = (kind == HOLD) | (kind == EXIT)
        reach[foot] = np.where(modest, 2 * attack.holders, 2 * attack.points)
        theirs = self.theirs
        asked = np.take_along_axis(
            self._needs,
            forces.formation[theirs].astype(np.int64) * len(STATES) + forces.state[theirs] % len(STATES),
            1,
        )
        need[theirs] = (forces.increments[theirs] * asked) >> 4
        places = forces.hex[theirs][:, busy]
        self.ways.to_hexes(ACROSS, places)
        plan = Gathering(
            foot,
            theirs,
            weight,
            need,
            reach,
            self.ways.row[ACROSS],
            self.ways.table,
            int(16 * attack.beside),
            int(16 * attack.enough / attack.ratio),
        )
        self.prey[:] = self.play.survey.gather(busy, plan)
        self._weigh(foot)

    def _weigh(self, foot: Ids) -> None:
        """The odds at which those who attack a hex come, all together."""
        forces = self.forces
        row, lane = (self.prey[foot] >= 0).nonzero()
        unit = foot[row]
        prey = self.prey[unit, lane].astype(np.int64)
        there = forces.hex[prey, lane]
        _, number = np.unique(lane * (forces.map.off + 1) + there, return_inverse=True)
        sent = np.bincount(number, forces.increments[unit, lane])[number]
        own = np.ix_(self.theirs, lane)
        held = (forces.increments[own] * (forces.hex[own] == there)).sum(axis=0)
        self.odds[unit, lane] = sent / np.maximum(held, 1)
        prey, odds = self.prey[foot], self.odds[foot]
        who, asked = (foot, self.play.ensemble.all()), self.style.attack.ratio
        tell_of(self.play, told.Gathers, *who, prey >= 0, odds, asked, foe=prey)

    def _needs_of(self) -> NDArray[np.int64]:
        """Sixteenths of what an increment of an enemy asks for by its formation and state, shape (their
        units, formations * states)."""
        attack, arms = self.style.attack, self.forces.arm[self.theirs]
        found = np.zeros((len(arms), len(FORMATIONS), len(STATES)), np.int64)
        found[:] = int(16 * UNIT * attack.ratio)
        found[:, GENERAL_ORDER] = int(16 * UNIT * attack.ratio * attack.cover)
        found[:, UNLIMBERED] = int(16 * UNIT * attack.ratio * attack.guns)
        found[:, :, DISORDERED] = (found[:, :, DISORDERED] * float(attack.disordered)).astype(np.int64)
        return found.reshape(len(arms), -1)

    def _to_foe(self, arm: int, own: Own, where: Mask) -> Rows:
        """Rows that lead to the nearest enemy, `NO_WAY` elsewhere."""
        found = np.full(where.shape, NO_WAY, np.int16)
        row, lane = where.nonzero()
        if len(row):
            foe = self.foe[own][row, lane].astype(np.int64)
            places = self.forces.hex[foe, own[1][0, lane]]
            found[row, lane] = self.ways.to_hexes(arm, places)
        return found

    def _goes(self, units: Ids, own: Own, arm: int, halt: int) -> tuple[Rows, Rows]:
        """The way and the steps of units that follow their orders and stop before enemies."""
        tasks, here, near = self.tasks, self.forces.hex[own], self.near[own]
        kind, goal = tasks.kind[units][:, None], tasks.way[units][:, None].astype(np.int16)
        togo = np.where(goal == NO_WAY, 0, self.ways.table[goal, here])
        enough = np.where(kind == HOLD, 2 * self.style.hold.within, 0)
        goes = (togo > enough) & (togo < FAR) & (kind != RESERVE)
        way = np.where(goes, goal, NO_WAY)
        after = (kind == RESERVE) & self.released[own] & (self.foe[own] >= 0)
        if after.any():
            way = np.where(after, self._to_foe(arm, own, after), way)
        screens = kind == SCREEN
        seeks = screens & (goal == NO_WAY) & (self.foe[own] >= 0)
        if seeks.any():
            way = np.where(seeks, self._to_foe(arm, own, seeks), way)
        if arm == INFANTRY:
            self._take(units, own, togo, way)
        most = np.clip(near - np.where(screens, self.style.screen.gap, halt), 0, NO_LIMIT)
        return way, np.where((kind == EXIT) | self._at_any_price(units, own), NO_LIMIT, most)

    def _at_any_price(self, units: Ids, own: Own) -> Mask:
        """Who is near what he is to take, in the last turns of the order."""
        tasks, take = self.tasks, self.style.take
        last = (tasks.kind[units] == TAKE) & (self.turn > tasks.last[units] - take.last)
        goal = np.where(last, tasks.way[units], NO_WAY)[:, None]
        near = self.ways.table[goal, self.forces.hex[own]] <= 2 * take.near
        return np.asarray((goal != NO_WAY) & near)

    def _draw_back(self, units: Ids, own: Own, way: Rows, most: Rows) -> tuple[Rows, Rows, Mask]:
        """Ways and steps with those of who goes back: beaten, or too near for one who screens; and who that
        is."""
        near, kind = self.near[own], self.tasks.kind[units][:, None]
        screens = np.where(kind == SCREEN, self.style.screen.gap, 0)
        gap = np.where(self.beaten[own], self.style.beaten.away, screens)
        back = near < gap
        rear = self.tasks.rear[self.forces.arm[units]][:, None]
        stays = self.beaten[own] & ~back
        way = np.where(back, rear, np.where(stays, NO_WAY, way)).astype(np.int16)
        return way, np.where(back, gap - near, most).astype(np.int16), back

    def _take(self, units: Ids, own: Own, togo: Rows, way: Rows) -> None:
        """Who is near the place that he is to take goes for the hexes of it that his side does not have."""
        tasks, lanes, take = self.tasks, own[1][0], self.style.take
        for m in np.flatnonzero((tasks.kind[units] == TAKE) & (tasks.goal[units] >= 0)).tolist():
            (some,) = (togo[m] <= 2 * take.near).nonzero()
            if not len(some):
                continue
            post = self.posts.assigned(int(units[m]), lanes[some])
            wanted = post >= 0
            rows = self.ways.to_hexes(INFANTRY, post[wanted])
            chosen = np.full(len(some), NO_WAY, np.int16)
            chosen[wanted] = rows
            chosen[~wanted & (togo[m, some] > 2 * self.style.hold.within)] = tasks.way[units[m]]
            way[m, some] = chosen

    def _set(self, own: Own, way: Rows, formation: Numbers, most: Numbers) -> None:
        able = (self.forces.state[own] == GOOD) & (most > 0)
        self.way[own] = np.where(able, way, NO_WAY)
        self.formation[own] = np.where(self.forces.state[own] == GOOD, formation, KEEP)
        self.most[own] = most

    def _through(self, own: Own, arm: int, way: Rows, formation: Rows, most: Rows, free: Mask) -> None:
        """Who is in a defile or before one takes road march, and is stopped only by zones; infantry opens it,
        others leave its road free as long as it is guarded.

        Parameters
        ----------
        free
            Where a unit does as it was told, whatever the ground.
        """
        ways, here, shape = self.ways, self.forces.hex[own], self.forces.formation[own]
        if not ways.defile[arm].any():
            return
        inside = ways.defile[arm][here]
        if arm != INFANTRY:
            self._keep_off(own, arm, way, most, free | inside)
        ahead = ways.follow[np.maximum(way, 0), here] & (way != NO_WAY)
        follows = (ahead | inside) & ~free
        if arm != ARTILLERY:
            formation[follows] = np.where(shape[follows] == ROAD_MARCH, KEEP, ROAD_MARCH)
        most[follows] = NO_LIMIT

    def _keep_off(self, own: Own, arm: int, way: Rows, most: Rows, free: Mask) -> None:
        """Where enemies guard a defile, units keep off the roads by which their ways lead into it."""
        forces, ways, lanes = self.forces, self.ways, own[1][0]
        foes = forces.hex[self.theirs][:, lanes], forces.state[self.theirs][:, lanes]
        guarded = ((ways.to_defile[foes[0]] <= self.style.march.guard) & (foes[1] < ROUTED)).any(axis=0)
        for m, unit in enumerate(own[0][:, 0].tolist()):
            row = int(self.tasks.way[unit])
            (some,) = (guarded & ~free[m] & (way[m] != NO_WAY)).nonzero()
            if row == NO_WAY or not len(some):
                continue
            off, gap = ways.aside(arm, row)
            left = gap[forces.hex[unit, lanes[some]]]
            ours = way[m, some] == row
            way[m, some[ours & (left == 0)]] = off
            most[m, some] = np.where(ours & (left > 0), np.minimum(most[m, some], left - 1), most[m, some])

    def _foot(self, units: Ids, lanes: Ids) -> None:
        own, style, forces = np.ix_(units, lanes), self.style, self.forces
        way, most = self._goes(units, own, INFANTRY, style.halt.infantry)
        near, shape = self.near[own], forces.formation[own]
        prey = self.prey[own]
        row, lane = (prey >= 0).nonzero()
        if len(row):
            places = forces.hex[prey[row, lane].astype(np.int64), lanes[lane]]
            way[row, lane] = self.ways.to_hexes(ACROSS, places)
            fights = forces.map.distances(places, forces.hex[units[row], lanes[lane]]) <= 1
            most[row, lane] = np.where(fights, 0, NO_LIMIT)
        way, most, back = self._draw_back(units, own, way, most)
        waits = (shape == SQUARE) & (self.horse[own] <= style.deploy.horse) & (prey < 0)
        way = np.where(waits, NO_WAY, way)
        goes = (way != NO_WAY) & (most > 0)
        formation = np.full(way.shape, KEEP, np.int16)
        formation[(goes & (shape == ROAD_MARCH)) | ((shape == SQUARE) & ~waits)] = COLUMN
        formation[goes & (shape == LINE) & ((prey >= 0) | back | (near > style.deploy.line))] = COLUMN
        road = self.tasks.road[units][:, None]
        far = goes & (near >= style.march.road) & (road != NO_WAY) & (prey < 0)
        if far.any():
            here, direct = forces.hex[own], self.ways.table[np.maximum(way, 0), forces.hex[own]]
            by_road = self.ways.table[np.maximum(road, 0), here].astype(np.int32)
            far &= by_road + 2 * style.march.gain <= direct
            way = np.where(far, road, way).astype(np.int16)
            formation[far] = np.where(shape[far] == ROAD_MARCH, KEEP, ROAD_MARCH)
        self._through(own, INFANTRY, way, formation, most, waits | (prey >= 0))
        ground = forces.ground[forces.hex[own]]
        asked = self.play.book.formation_after[INFANTRY, COLUMN, ground]
        formation = np.where(formation == COLUMN, asked, formation)
        self._set(own, way, formation, most)

    def _horse(self, units: Ids, lanes: Ids) -> None:
        """Cavalry that is not fresh rests, out of the enemies' reach; fresh cavalry keeps room to charge."""
        own, reserve, halt = np.ix_(units, lanes), self.style.reserve, self.style.halt.cavalry
        way, most = self._goes(units, own, CAVALRY, halt)
        near, stays = self.near[own], (self.tasks.kind[units] != EXIT)[:, None]
        fresh = self.forces.readiness[own] == FRESH
        away = np.where(fresh, halt, reserve.rest) - near
        back = stays & (near < np.where(fresh, reserve.room, reserve.rest))
        way = np.where(back, self.tasks.rear[CAVALRY], np.where(stays & ~fresh, NO_WAY, way)).astype(np.int16)
        most = np.where(back, away, most)
        formation = np.full(way.shape, KEEP, np.int16)
        formation[self.forces.formation[own] == ROAD_MARCH] = COLUMN
        self._through(own, CAVALRY, way, formation, most, way == NO_WAY)
        self._set(own, way, formation, most)

    def _guns(self, units: Ids, lanes: Ids) -> None:
        own, guns, forces = np.ix_(units, lanes), self.style.guns, self.forces
        way, most = self._goes(units, own, ARTILLERY, self.style.halt.guns)
        near, still = self.near[own], forces.formation[own] == UNLIMBERED
        way, most, back = self._draw_back(units, own, way, most)
        stays = still & (near <= guns.follow) & ~back
        way = np.where(stays, NO_WAY, way)
        formation = np.full(way.shape, KEEP, np.int16)
        self._through(own, ARTILLERY, way, formation, most, stays)
        follows = still & (way != NO_WAY) & (most > 0)
        formation[follows] = LIMBERED
        tell_of(self.play, told.Follows, units, lanes, follows & ~back, near, guns.follow)
        self._set(own, way, formation, most)
