"""Lists the files that are changed, and the tests that have to notice."""

_UNIT = "tests/unit/routerd/test_router_"
_BOARD = ("tests/safety/test_router_board.py", "tests/safety/test_router_board_loss.py")
_ALL = (
    *(f"{_UNIT}{name}.py" for name in ("arbitration", "loss", "signal", "blending", "control")),
    "tests/safety/test_router_estop.py",
    "tests/safety/test_router_after_stop.py",
    *(
        f"tests/safety/test_router_{name}.py"
        for name in ("edges", "plans", "claims", "motion", "board")
    ),
    *_BOARD,
    *(f"{_UNIT}{name}.py" for name in ("mapping", "modifiers", "routes", "sources", "reasons")),
    *(f"{_UNIT}{name}.py" for name in ("messages", "other_robots", "commands")),
    "tests/unit/saintctl/route/test_replay_vectors.py",
    "tests/unit/saintctl/route/test_replay.py",
    "tests/property/test_router_properties.py",
    "tests/safety/test_router_machine.py",
    "tests/safety/test_router_limits.py",
)
_ROLE_RIGS = ("tests/safety/test_role_tracks.py", "tests/safety/test_role_joints.py")
_ROLE = ("tests/unit/role/motion/test_axis.py", "tests/unit/role/test_host.py")
_GUARD = "tests/unit/guard/test_"
_STATE = "tests/unit/routerd/test_"
_LATCH = (f"{_STATE}latch_file.py", f"{_STATE}latch_start.py")
# What decides beside the arbitration: tests of its own, then those of the whole router.
_BESIDE = {
    "writers": (f"{_UNIT}writers.py",),
    "neighbours": (f"{_STATE}neighbours.py", f"{_UNIT}other_robots.py"),
    "latch_file": (_LATCH[0],),
    "latch_start": (_LATCH[1],),
    "latch_store": (f"{_STATE}latch_store.py",),
    "presses": (f"{_STATE}presses.py",),
    "stops": ("tests/safety/test_router_stops.py", f"{_UNIT}stop_changes.py"),
    "pending": (f"{_STATE}pending.py",),
    "overrides": (f"{_UNIT}overrides.py",),
    "outcomes": ("tests/safety/test_router_outcomes.py", f"{_STATE}collected_reports.py"),
    "confirmations": (f"{_STATE}collected_reports.py",),
    "drill": (f"{_STATE}drill_rules.py",),
    "proven_roles": (f"{_STATE}proven_roles.py",),
    "proof": (f"{_STATE}router_proof.py",),
}
_MORE: dict[str, tuple[str, ...]] = {
    "latch_store": (_LATCH[1],),
    "outcomes": ("tests/property/test_stop_outcomes.py", f"{_STATE}confirmations.py"),
    "confirmations": (f"{_STATE}confirmations.py",),
    "drill": (f"{_STATE}drill.py",),
    "proven_roles": (f"{_UNIT}writers.py", f"{_STATE}confirmations.py"),
    "proof": ("tests/unit/trust/test_trust_router.py",),
}
_ROUTERD: dict[str, tuple[str, ...]] = {
    "mapping": ("mapping", "modifiers"),
    "claims": ("arbitration", "blending", "modifiers"),
    "motion": ("loss", "blending"),
    "arbitration": ("arbitration", "blending"),
    "board": ("loss", "blending"),
    "estop": (),
    "locks": ("control",),
    "logic": (
        *("samples", "arbitration", "loss", "signal", "blending", "control", "sources"),
        "modifiers",
    ),
    "plan": ("intake", "modifiers", "blending", "routes", "arbitration"),
    "sources": ("sources", "intake"),
    "source_classes": ("sources",),
    "intake": ("intake", "sources"),
    "routes": ("routes", "sources", "other_robots"),
    "targets": ("targets", "messages"),
    "modifiers": ("messages", "modifiers"),
    "preview": ("preview",),
    "report": ("reasons",),
}


def _stages(*stages: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """What notices most in least time comes first: the first stage that fails ends it. None runs
    twice.
    """
    found: list[tuple[str, ...]] = []
    for stage in stages:
        found.append(tuple(path for path in stage if not any(path in each for each in found)))
    return tuple(stage for stage in found if stage)


def _router(name: str) -> tuple[tuple[str, ...], ...]:
    direct = {
        "claims": ("tests/safety/test_router_claims.py",),
        "arbitration": ("tests/safety/test_router_claims.py",),
        "motion": ("tests/safety/test_router_motion.py",),
        "board": _BOARD,
        "estop": (f"{_STATE}latch.py", "tests/safety/test_router_estop.py"),
    }
    own = tuple(f"{_UNIT}{each}.py" for each in _ROUTERD[name])
    edges = tuple(f"tests/safety/test_router_{each}.py" for each in ("edges", "plans", "estop"))
    return _stages(direct.get(name, ()), (*own, *edges), _ALL)


TARGETS: dict[str, tuple[tuple[str, ...], ...]] = {
    **{f"saint_services/routerd/{name}.py": _router(name) for name in _ROUTERD},
    **{
        f"saint_services/routerd/{name}.py": _stages(
            tests, (*_MORE.get(name, ()), "tests/property/test_estop_latch.py", f"{_UNIT}daemon.py")
        )
        for name, tests in _BESIDE.items()
    },
    "saint_services/role_tracksd/logic.py": _stages(
        ("tests/unit/role_tracksd/test_logic.py",), (*_ROLE_RIGS, *_ROLE)
    ),
    "saint_services/lib/role/motion/axis.py": _stages(
        ("tests/safety/test_role_axis.py", "tests/safety/test_role_glide.py", _ROLE[0]),
        (*_ROLE_RIGS, *_ROLE),
    ),
    "saint_services/lib/role/gate.py": _stages(
        ("tests/safety/test_role_gate.py",), (*_ROLE_RIGS, *_ROLE)
    ),
    **{
        f"saint_services/lib/role/motion/{name}.py": _stages(
            (f"tests/unit/role/motion/test_{name}.py",), (*_ROLE_RIGS, *_ROLE)
        )
        for name in ("trajectory", "collisions", "homing")
    },
    "saint_services/role_tracksd/stall.py": _stages(
        ("tests/unit/role_tracksd/test_stall.py",), _ROLE_RIGS
    ),
    "saint_services/lib/role/guard_client.py": _stages(
        ("tests/unit/role/test_guard_client_turns.py",), ("tests/unit/role/test_guard_client.py",)
    ),
    "saint_services/lib/role/proof.py": _stages(
        ("tests/unit/role/test_proof.py",), ("tests/safety/test_role_authority.py",)
    ),
    "saint_services/lib/stall.py": _stages(
        ("tests/property/test_stall_watch.py",), ("tests/unit/routerd/test_router_stall.py",)
    ),
    "saint_services/lib/limits.py": _stages(
        ("tests/unit/lib/test_limits.py",), (*_ROLE_RIGS, *_ROLE)
    ),
    "saint_services/lib/guard/ports.py": _stages((f"{_GUARD}ports.py",)),
    **{
        f"saint_services/lib/guard/{name}.py": _stages(
            (f"{_GUARD}will.py",), (f"{_GUARD}ports.py", "tests/unit/guardd/test_daemon.py")
        )
        for name in ("will", "beat", "wire")
    },
    "saint_services/guardd/logic.py": _stages(
        ("tests/unit/guardd/test_logic.py",), ("tests/unit/guardd/test_daemon.py",)
    ),
    **{
        f"saint_services/guardd/{name}.py": _stages(
            ("tests/unit/guardd/test_adapters.py",), ("tests/unit/guardd/test_daemon.py",)
        )
        for name in ("adapters", "rescue", "config")
    },
    "saint_services/guardd/daemon.py": _stages(
        ("tests/unit/guardd/test_daemon_turns.py",), ("tests/unit/guardd/test_daemon.py",)
    ),
    "saint_services/rcd/telling.py": _stages(
        ("tests/unit/rcd/test_rc_telling.py",),
        ("tests/property/test_rc_telling.py", "tests/safety/test_rc_limits.py"),
    ),
    "saint_services/rcd/protocols/pulses.py": _stages(
        ("tests/unit/rcd/test_pulses_bounds.py", "tests/unit/rcd/test_pulses.py"),
        ("tests/property/test_rc_pulses.py", "tests/safety/test_rc_limits.py"),
    ),
    "saint_services/livelinkd/acceptance.py": _stages(
        ("tests/unit/livelinkd/test_acceptance.py",), ("tests/unit/livelinkd/test_accepting.py",)
    ),
    **{
        f"saint_services/webd/{name}.py": _stages(
            ("tests/unit/webd/test_webd_rules.py",), (f"tests/unit/webd/test_webd_{tests}.py",)
        )
        for name, tests in (
            *(("api/stopping", "stop"), ("websocket/places", "stop"), ("robot/latch", "motion")),
            ("api/admission", "levels"),
        )
    },
    **{
        f"saint_services/webd/{folder}/{name}.py": _stages(
            (f"tests/unit/webd/test_webd_{name}.py",)
        )
        for folder, name in (("robot", "goals"), ("websocket", "lag"), ("websocket", "pace"))
    },
}
