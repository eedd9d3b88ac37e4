"""Lists the files that are changed, and the tests that have to notice."""

_UNIT = "tests/unit/routerd/"
_LOGIC = f"{_UNIT}test_logic_"
_SAFETY = "tests/safety/test_router_"
_BOARD = (f"{_SAFETY}board.py", f"{_SAFETY}board_loss.py")
_ALL = (
    *(f"{_LOGIC}{name}.py" for name in ("arbitration", "loss", "signal", "blending")),
    f"{_UNIT}fields/test_locks.py",
    *(
        f"{_SAFETY}{name}.py"
        for name in ("estop", "after_stop", "edges", "plans", "claims", "output_field", "filters")
    ),
    f"{_SAFETY}motion.py",
    *_BOARD,
    f"{_UNIT}routes/test_mapping.py",
    f"{_UNIT}routes/test_checks.py",
    f"{_UNIT}inputs/test_sources.py",
    *(f"{_UNIT}test_{name}.py" for name in ("report", "adapters", "api")),
    f"{_UNIT}fields/test_command_messages.py",
    "tests/unit/saintctl/route/test_replay_vectors.py",
    "tests/unit/saintctl/route/test_replay.py",
    "tests/property/test_router_properties.py",
    f"{_SAFETY}machine.py",
    f"{_SAFETY}limits.py",
)
_ROLE_RIGS = ("tests/safety/test_role_tracks.py", "tests/safety/test_role_joints.py")
_ROLE = ("tests/unit/role/motion/test_axis.py", "tests/unit/role/test_host.py")
_RC_PROTOCOLS = "tests/unit/rcd/protocols/test_"
_GUARD = "tests/unit/guard/test_"
_WEBD = "tests/unit/webd/"
_LATCH = (f"{_UNIT}estop/test_latch_file.py", f"{_UNIT}estop/test_latch_start.py")
_DAEMON = f"{_UNIT}test_daemon"
# What decides beside the arbitration: tests of its own, then those of the whole router.
_BESIDE = {
    "inputs/writers": (f"{_UNIT}inputs/test_writers.py",),
    "inputs/neighbours": (f"{_UNIT}inputs/test_neighbours.py", f"{_UNIT}test_adapters.py"),
    "inputs/console": (f"{_UNIT}inputs/test_console.py",),
    "estop/latch_file": (_LATCH[0],),
    "estop/latch_start": (_LATCH[1],),
    "estop/latch_store": (f"{_UNIT}estop/test_latch_store.py",),
    "estop/outcomes": (f"{_SAFETY}outcomes.py", f"{_UNIT}estop/test_confirmations.py"),
    "estop/confirmations": (f"{_UNIT}estop/test_confirmations.py",),
    "estop/proven_roles": (f"{_UNIT}estop/test_proven_roles.py",),
    "routes/stops": (f"{_SAFETY}stops.py", f"{_UNIT}routes/test_stops.py"),
    "fields/command_queue": (f"{_UNIT}fields/test_command_queue.py",),
    "drill/rules": (f"{_UNIT}drill/test_rules.py",),
    "credential": (f"{_UNIT}test_credential.py",),
}
_MORE: dict[str, tuple[str, ...]] = {
    "estop/latch_store": (_LATCH[1],),
    "estop/outcomes": ("tests/property/test_stop_outcomes.py", f"{_DAEMON}_confirmations.py"),
    "estop/confirmations": (f"{_DAEMON}_confirmations.py",),
    "estop/proven_roles": (f"{_UNIT}inputs/test_writers.py", f"{_DAEMON}_confirmations.py"),
    "drill/rules": (f"{_UNIT}drill/test_api.py",),
    "credential": ("tests/unit/trust/test_router.py",),
}
_ROUTERD: dict[str, tuple[str, ...]] = {
    "routes/mapping": ("routes/test_mapping", "fields/test_command_messages"),
    "routes/plan": (
        *("inputs/test_intake", "fields/test_command_messages", "test_logic_blending"),
        *("routes/test_checks", "test_logic_arbitration"),
    ),
    "routes/checks": ("routes/test_checks", "inputs/test_sources", "test_adapters"),
    "routes/preview": ("routes/test_preview",),
    "routes/curves": ("routes/test_curves",),
    "routes/filters": ("routes/test_filters",),
    "routes/conditions": (),
    "routes/proposal": ("test_api",),
    "fields/guided": (),
    "fields/combining": (),
    "fields/claims": (
        "test_logic_arbitration",
        "test_logic_blending",
        "fields/test_command_messages",
    ),
    "fields/motion": ("test_logic_loss", "test_logic_blending"),
    "fields/board": ("test_logic_loss", "test_logic_blending"),
    "fields/locks": ("fields/test_locks",),
    "fields/exclusive": ("fields/test_locks", "test_logic_loss"),
    "fields/output_fields": ("fields/test_targets",),
    "fields/targets": (*("fields/test_targets", "fields/test_command_messages"),),
    "inputs/sources": ("inputs/test_sources", "inputs/test_intake"),
    "inputs/source_classes": ("inputs/test_sources",),
    "inputs/intake": ("inputs/test_intake", "inputs/test_sources"),
    "estop/latch": (),
    "logic": (
        *("test_logic_samples", "test_logic_arbitration", "test_logic_loss", "test_logic_signal"),
        *("test_logic_blending", "fields/test_locks", "inputs/test_sources"),
        "fields/test_command_messages",
    ),
    "report": ("test_report",),
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
        # Who is in control is decided there too, so the rules of arbitration come first.
        "fields/claims": (
            f"{_SAFETY}claims.py",
            f"{_SAFETY}output_field.py",
            f"{_UNIT}fields/test_targets.py",
            *(f"{_UNIT}test_logic_{each}.py" for each in ("arbitration", "blending", "loss")),
        ),
        "fields/motion": (f"{_SAFETY}motion.py",),
        "routes/conditions": (f"{_SAFETY}filters.py",),
        "fields/guided": (f"{_SAFETY}filters.py",),
        "fields/combining": (f"{_SAFETY}filters.py", f"{_SAFETY}claims.py"),
        "fields/board": _BOARD,
        "estop/latch": (f"{_UNIT}estop/test_latch.py", f"{_SAFETY}estop.py"),
    }
    own = tuple(f"{_UNIT}{each}.py" for each in _ROUTERD[name])
    edges = tuple(f"{_SAFETY}{each}.py" for each in ("edges", "plans", "estop"))
    return _stages(direct.get(name, ()), (*own, *edges), _ALL)


# The firmware's part that decides: the tests of its bounds first, then those of whole boards.
_BOARDS: dict[str, tuple[str, ...]] = {
    "balance/arming": ("arming",),
    "balance/sources": ("sources", "arming", "board_turns"),
    "balance/attitude": ("bounds", "board_edges"),
    "balance/mixing": ("mixing",),
    "balance/vescs": ("bounds", "board_edges"),
    "balance/config": ("bounds", "board_turns", "board_edges"),
    "balance/balance_board": ("board_turns", "board_edges", "reports", "console"),
    "balance/console": ("console", "reports"),
    "balance/telemetry": ("reports",),
    "io/bridges": ("arming", "io_turns"),
    "io/crsf": ("crsf",),
    "io/io_board": ("io_turns",),
    "io/receivers": ("receivers", "arming"),
    "shared/codec": ("link",),
    "shared/esp32": ("serve",),
    "shared/freshness": ("bounds",),
    "shared/lines": ("console",),
    "shared/link": ("link",),
}


def _boards(*names: str) -> tuple[tuple[str, ...], ...]:
    return _stages(
        tuple(f"tests/safety/test_wagon_{name}.py" for name in names),
        tuple(f"tests/safety/test_wagon_{name}.py" for name in ("boards", "takeover")),
        tuple(f"tests/unit/boards/test_{name}.py" for name in ("logic", "receivers", "link")),
    )


TARGETS: dict[str, tuple[tuple[str, ...], ...]] = {
    **{f"saint_services/routerd/{name}.py": _router(name) for name in _ROUTERD},
    **{
        f"saint_services/routerd/{name}.py": _stages(
            tests, (*_MORE.get(name, ()), "tests/property/test_estop_latch.py", f"{_DAEMON}.py")
        )
        for name, tests in _BESIDE.items()
    },
    "saint_services/role_tracksd/logic.py": _stages(
        ("tests/unit/role_tracksd/test_logic.py",), (*_ROLE_RIGS, *_ROLE)
    ),
    "saint_services/lib/role/motion/odometry.py": _stages(
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
    "saint_services/lib/role/latch.py": _stages(
        ("tests/unit/role/test_latch.py",), ("tests/unit/noded/test_stop_reports.py",)
    ),
    "saint_services/lib/role/proof.py": _stages(
        ("tests/unit/role/test_proof.py",), ("tests/safety/test_role_authority.py",)
    ),
    "saint_services/lib/stall.py": _stages(
        ("tests/property/test_stall_watch.py",), (f"{_UNIT}inputs/test_input_topics.py",)
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
    "saint_services/rcd/link_state.py": _stages(
        ("tests/unit/rcd/test_link_state.py",),
        ("tests/property/test_rc_link_state.py", "tests/safety/test_rc_limits.py"),
    ),
    "saint_services/rcd/protocols/pulses.py": _stages(
        (
            "tests/unit/rcd/protocols/test_pulses_bounds.py",
            "tests/unit/rcd/protocols/test_pulses.py",
        ),
        ("tests/property/test_rc_pulses.py", "tests/safety/test_rc_limits.py"),
    ),
    **{f"image/boards/{path}.py": _boards(*names) for path, names in _BOARDS.items()},
    "saint_services/livelinkd/senders/acceptance.py": _stages(
        ("tests/unit/livelinkd/senders/test_acceptance.py",),
        ("tests/unit/livelinkd/senders/test_api.py",),
    ),
    "saint_services/webd/api/stopping.py": _stages((f"{_WEBD}api/test_stopping.py",)),
    "saint_services/webd/api/admission.py": _stages(
        (f"{_WEBD}api/test_admission.py",), (f"{_WEBD}actions/test_levels.py",)
    ),
    "saint_services/webd/websocket/places.py": _stages(
        (f"{_WEBD}websocket/test_places.py",), (f"{_WEBD}api/test_stopping.py",)
    ),
    "saint_services/webd/robot/latch.py": _stages(
        (f"{_WEBD}robot/test_latch.py",), (f"{_WEBD}actions/test_motion.py",)
    ),
    "saint_services/webd/robot/goals.py": _stages((f"{_WEBD}robot/test_goals.py",)),
    "saint_services/lib/reading_age.py": _stages((f"{_WEBD}websocket/test_timing.py",)),
    "saint_services/webd/websocket/timing.py": _stages((f"{_WEBD}websocket/test_timing.py",)),
}
