"""No two shapes of the robot come closer than the margin, and nothing is caught."""

import math
import random
from collections import deque

import pytest

from saint_services.lib.kinematics.clearance import Clearance
from saint_services.lib.kinematics.parts import Parts
from saint_services.lib.kinematics.shapes import ball_gap, block, gap, gap_to_plane, standing
from saint_services.lib.kinematics.tree import Tree
from tests.unit.lib.kinematics.saint_body import saint

BODY = saint()
TREE = Tree(BODY)
LINKS = {link.joint: link for link in TREE.links if link.joint}
TARGETS = ("arms.left", "arms.right", "head")
STEP_S = 0.01
OUT = math.radians(80)


class Robot:
    """Roles that move at their joints' top speeds, and learn of each other late."""

    def __init__(self, seed: int = 0, targets: tuple[str, ...] = TARGETS) -> None:
        self.chance = random.Random(seed)
        self.now_s = 100.0
        self.roles = {target: Clearance(BODY, target) for target in targets}
        self.at = {target: dict.fromkeys(_joints(target), 0.0) for target in TARGETS}
        self.goals = {target: dict(at) for target, at in self.at.items()}
        self.late: deque[tuple[float, str, str, dict[str, float]]] = deque()
        self.is_cut = False
        self.steps = 0

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.step()

    def step(self) -> None:
        self.now_s += STEP_S
        self.steps += 1
        while self.late and self.late[0][0] <= self.now_s:
            _, reader, target, state = self.late.popleft()
            self.roles[reader].see(target, state, self.now_s)
        for target, role in self.roles.items():
            wanted = {}
            for name, value in self.at[target].items():
                link = LINKS[_joints(target)[name]]
                reach = link.velocity * STEP_S
                way = self.goals[target][name] - value
                wanted[name] = value + min(max(way, -reach), reach)
            self.at[target] = role.admit(wanted, self.now_s)
        if self.steps % 5 == 0 and not self.is_cut:
            self._publish()

    def _publish(self) -> None:
        delay_s = self.chance.choice((0.0, 0.02, 0.03))
        for target in self.roles:
            angles = BODY.roles[target].angles
            state = {joint: self.at[target][name] for name, joint in angles.items()}
            for reader in self.roles:
                if reader != target:
                    self.late.append((self.now_s + delay_s, reader, target, state))
        self.late = deque(sorted(self.late, key=lambda each: each[0]))

    def positions(self) -> dict[str, float]:
        return {
            _joints(target)[name]: value
            for target, at in self.at.items()
            for name, value in at.items()
        }


def _joints(target: str) -> dict[str, str]:
    role = BODY.roles[target]
    return {**role.angles, **role.shares}


BLOCKS = [(number, block(shape)) for number, link in enumerate(TREE.links) for shape in link.shapes]


def _checked_pairs() -> list[tuple[int, int]]:
    """All pairs but those of neighbours and of shapes that touch at rest."""
    poses = TREE.poses({})
    found = []
    for a, (i, one) in enumerate(BLOCKS):
        for b, (j, two) in enumerate(BLOCKS[:a]):
            joined = TREE.parents[i] == j or TREE.parents[j] == i
            # 1 cm: what is nearer than the margin at rest touches by construction.
            if not joined and gap(standing(one, poses[i]), standing(two, poses[j])) >= 0.01:
                found.append((a, b))
    return found


PAIRS = _checked_pairs()
MOVING = {n for t in TARGETS for n in TREE.moved_by(_joints(t).values())}


def overlaps(positions: dict[str, float]) -> list[tuple[str, str]]:
    """Return every pair of the URDF's shapes that overlap, and shapes below the floor."""
    poses = TREE.poses(positions)
    there = [standing(shape, poses[number]) for number, shape in BLOCKS]
    found = []
    for a, b in PAIRS:
        if ball_gap(there[a], there[b]) <= 0.0 and gap(there[a], there[b]) <= 0.0:
            found.append((TREE.links[BLOCKS[a][0]].name, TREE.links[BLOCKS[b][0]].name))
    for a, (number, _) in enumerate(BLOCKS):
        if number in MOVING and gap_to_plane(there[a], (0.0, 0.0, 1.0), 0.0) <= 0.0:
            found.append((TREE.links[number].name, "floor"))
    return found


def test_pairs_of_neighbours_and_of_what_touches_at_rest_are_left_out() -> None:
    parts = Parts(BODY, "arms.left")
    names = {(parts.name(pair.a), parts.name(pair.b)) for pair in parts.pairs}
    assert ("left_arm_elbow", "left_arm_upper") not in names  # one joint
    assert ("left_arm_thumb", "left_arm_finger") not in names  # they touch
    assert ("left_arm_hand", "torso") in names
    assert ("left_arm_hand", "right_arm_hand") in names
    assert ("left_arm_hand", "floor") in names
    assert ("left_arm_hand", "left_arm_upper") in names
    assert not any(a.startswith("right") for a, _ in names)


def test_lever_is_no_shorter_than_any_motion() -> None:
    parts, chance = Parts(BODY, "arms.left"), random.Random(2)
    for _ in range(30):
        at = {n: chance.uniform(*LINKS[j].limits) for n, j in parts.joints.items()}
        joints = {parts.joints[name]: value for name, value in at.items()}
        before = TREE.poses(joints)
        name = chance.choice(list(at))
        joint = parts.joints[name]
        after = TREE.poses({**joints, joint: at[name] + 0.01})
        for number, link in enumerate(parts.link_of):
            shape = parts.blocks[number]
            way = math.dist(
                standing(shape, before[link]).pose[9:], standing(shape, after[link]).pose[9:]
            )
            assert way <= parts.lever(joint, link) * 0.01 + 1e-9


def test_arm_stops_before_the_torso_and_says_so() -> None:
    robot = Robot(targets=("arms.left",))
    robot.goals["arms.left"]["joint_0"] = -OUT
    robot.run(1.0)
    stopped = robot.at["arms.left"]["joint_0"]
    assert -math.radians(10) < stopped < -math.radians(1)
    assert "torso" in robot.roles["arms.left"].blocked
    assert not overlaps(robot.positions())


def test_arm_that_is_stopped_moves_away_at_once() -> None:
    robot = Robot(targets=("arms.left",))
    robot.goals["arms.left"]["joint_0"] = -OUT
    robot.run(1.0)
    robot.goals["arms.left"]["joint_0"] = OUT
    robot.run(1.5)
    assert robot.at["arms.left"]["joint_0"] == OUT
    assert robot.roles["arms.left"].blocked == ()


def test_other_joints_go_on_while_one_is_stopped() -> None:
    robot = Robot(targets=("arms.left",))
    robot.goals["arms.left"] |= {"joint_0": -OUT, "joint_3": 1.0, "gripper": 0.03}
    robot.run(1.5)
    assert robot.at["arms.left"]["joint_3"] == pytest.approx(1.0)
    assert robot.at["arms.left"]["gripper"] == pytest.approx(0.03)


def test_hand_stops_above_the_floor() -> None:
    raised = BODY.model_copy(update={"floor_m": 0.3})
    role, now_s, at = Clearance(raised, "arms.left"), 1.0, 0.0
    for _ in range(200):
        now_s += STEP_S
        at = role.admit({"joint_1": at - 0.01}, now_s)["joint_1"]
    assert role.blocked[1] == "floor"
    # Shoulder 0.65 m up, 0.63 m to the finger tips, which are 2 cm thick: 1 cm stays, and a little.
    assert 0.31 <= 0.65 + 0.63 * math.sin(at) - 0.01 * math.cos(at) < 0.325


def test_arm_that_was_left_inside_comes_out_and_goes_no_deeper() -> None:
    role = Clearance(BODY, "arms.left")
    role.put({"joint_0": -0.5})  # inside the torso
    assert role.admit({"joint_0": -0.6}, 1.0) == {"joint_0": -0.5}
    now_s, at = 1.0, -0.5
    for _ in range(60):
        now_s += STEP_S
        at = role.admit({"joint_0": at + 0.02}, now_s)["joint_0"]
    assert at > 0.3


def test_free_motion_is_not_changed_to_the_last_bit() -> None:
    role, now_s = Clearance(BODY, "arms.left"), 1.0
    for number in range(40):
        now_s += STEP_S
        wanted = {"joint_0": 0.0123456789 * number, "joint_4": -0.0111 * number}
        assert role.admit(wanted, now_s) == wanted


def test_contact_names_what_a_pose_would_touch() -> None:
    role = Clearance(BODY, "arms.left")
    assert role.contact({"joint_0": 0.3}) == ()
    assert set(role.contact({"joint_0": -0.8})) & {"torso"}


def test_arms_that_reach_for_each_other_stop_at_the_margin() -> None:
    robot = Robot(targets=("arms.left", "arms.right"))
    robot.run(0.3)  # states have arrived
    for target, way in (("arms.left", -1.0), ("arms.right", 1.0)):
        robot.goals[target] |= {"joint_1": 0.9, "joint_0": way, "joint_2": -0.6}
    for _ in range(400):
        robot.step()
        assert not overlaps(robot.positions())
    nearest = min(
        gap(*(standing(BLOCKS[n][1], TREE.poses(robot.positions())[BLOCKS[n][0]]) for n in pair))
        for pair in PAIRS
        if {TREE.links[BLOCKS[n][0]].name[:5] for n in pair} == {"left_", "right"}
    )
    assert nearest > 0.005


def test_state_that_is_no_state_does_not_count() -> None:
    role = Clearance(BODY, "arms.left")
    assert not role.see("arms.right", {}, 1.0)
    good = dict.fromkeys(BODY.roles["arms.right"].angles.values(), 0.0)
    assert not role.see("arms.right", {**good, "arms_right_joint_0": math.nan}, 1.0)
    assert not role.see("tracks", good, 1.0)
    assert role.see("arms.right", good, 1.0)


def test_arm_alone_stays_on_its_side() -> None:
    """Nothing is known of the other arm: no hand of this one crosses the middle."""
    robot = Robot(targets=("arms.left",))
    robot.goals["arms.left"] |= {"joint_0": -0.06, "joint_3": 1.5708, "joint_4": 1.7}
    robot.run(1.5)
    poses = TREE.poses(robot.positions())
    for number, shape in BLOCKS:
        if TREE.links[number].name.startswith("left_arm"):
            assert (
                gap_to_plane(standing(shape, poses[number]), (0.0, 1.0, 0.0), 0.0) >= 0.005 - 1e-9
            )
    assert "the side of arms.right" in robot.roles["arms.left"].blocked


@pytest.mark.parametrize("is_cut", [False, True])
def test_no_shapes_overlap_while_all_roles_move_at_random(is_cut: bool) -> None:
    assert _random_commands(seed=11, commands=1000, is_cut=is_cut) == []


def _random_commands(seed: int, commands: int, *, is_cut: bool = False) -> list[object]:
    """Give random commands, four per step, and return the overlaps. `is_cut`: for a second and a
    half of every seven and a half the roles get no states."""
    robot = Robot(seed)
    robot.run(0.3)
    found: list[object] = []
    for number in range(commands // 4):
        for _ in range(4):
            target = robot.chance.choice(TARGETS)
            name = robot.chance.choice(list(robot.goals[target]))
            link = LINKS[_joints(target)[name]]
            robot.goals[target][name] = robot.chance.uniform(*link.limits)
        robot.is_cut = is_cut and number % 750 < 150
        robot.step()
        if number % 3 == 0 and (pairs := overlaps(robot.positions())):
            found.append((seed, number, pairs))
    return found


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(10))
def test_no_pair_overlaps_in_100_000_random_commands(seed: int) -> None:
    """Ten thousand for each of ten seeds, to both arms and the head."""
    assert _random_commands(seed=seed, commands=10_000) == []
