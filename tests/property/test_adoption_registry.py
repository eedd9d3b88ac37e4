"""Whatever nodes say and people ask, in whatever order: the registry stays bounded and fair."""

from hypothesis import settings as limits
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from saint_services.adoptiond import logic, views
from saint_services.adoptiond.registry import Catalog, PendingAdoption, Registry, RoleKey
from saint_services.lib.api.adoption import NodeInfo, NodeState
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.saint_msgs import NodeAnnouncement, NodeStatus, PeripheralInfo
from saint_services.lib.machine.computer import is_token
from tests.examples import examples

KEYS = [RoleKey("head"), RoleKey("arms", "left"), RoleKey("tracks")]
NODES = st.sampled_from([f"pi_{number}" for number in range(6)])
WORDS = st.text(max_size=300)
NUMBERS = st.floats(width=32)


class RegistryLife(RuleBasedStateMachine):
    """Nodes that report the truth, nodes that do not, and users."""

    def __init__(self) -> None:
        super().__init__()
        self.registry = Registry()
        self.now_s = 100.0
        self.requested: set[str] = set()

    def received(self, registry: Registry | None) -> None:
        self.registry = registry if registry is not None else self.registry

    @rule(seconds=st.floats(0.01, 100.0))
    def time_passes(self, seconds: float) -> None:
        self.now_s += seconds
        self.registry = logic.sweep(self.registry, self.now_s)

    @rule(
        node_id=NODES | WORDS, state=st.sampled_from(NodeState) | WORDS, text=WORDS, number=NUMBERS
    )
    def announces(self, node_id: str, state: str, text: str, number: float) -> None:
        message = NodeAnnouncement(
            node_id=node_id, state=str(state), hardware_model=text, reason=text, address=text,
            display_name=text, mac_address=text, cpu_temp=number, cpu_usage=number,
            memory_usage=number, peripherals=[PeripheralInfo(text, text, text, True)],
        )  # fmt: skip
        self.received(logic.announcement_received(self.registry, message, self.now_s, "today"))

    @rule(node_id=NODES, key=st.sampled_from(KEYS), claimed=st.none() | WORDS, text=WORDS)
    def reports(self, node_id: str, key: RoleKey, claimed: str | None, text: str) -> None:
        message = NodeStatus(
            node_id=node_id if claimed is None else claimed,
            state="active",
            role=key.role,
            instance=key.instance,
            reason=text,
        )
        before = self.registry
        self.received(logic.status_received(self.registry, node_id, message, self.now_s, "today"))
        if claimed is not None and claimed != node_id:
            assert self.registry is before

    @rule(node_id=NODES, key=st.sampled_from([*KEYS, RoleKey("tail")]), name=WORDS)
    def adoption_is_requested(self, node_id: str, key: RoleKey, name: str) -> None:
        try:
            wanted = PendingAdoption(key, logic.checked_name(name) if name else "")
            self.registry = logic.begin_adoption(
                self.registry, frozenset(KEYS), node_id, wanted, self.now_s
            )
            self.requested.add(node_id)
        except SaintError as err:
            assert err.message

    @rule(node_id=NODES, is_adopted=st.booleans())
    def node_answers(self, node_id: str, is_adopted: bool) -> None:
        if node_id in self.requested:
            self.requested.remove(node_id)
            self.registry = logic.end_adoption(self.registry, node_id, is_adopted)

    @rule(node_id=NODES, factory=st.booleans(), is_gone=st.booleans())
    def is_reset(self, node_id: str, factory: bool, is_gone: bool) -> None:
        if is_gone:
            self.registry = logic.forget(self.registry, node_id)
        else:
            self.registry = logic.after_reset(self.registry, node_id, factory)

    @rule()
    def server_restarts(self) -> None:
        self.registry = logic.restored(logic.saved(self.registry))
        self.requested = set()

    @invariant()
    def it_stays_bounded_and_clean(self) -> None:
        assert len(self.registry.nodes) <= logic.MOST_NODES
        for node_id, node in self.registry.nodes.items():
            assert node_id == node.node_id
            assert is_token(node_id)
            info = views.node_info(self.registry, Catalog("R", {}), node, self.now_s)
            assert NodeInfo.model_validate_json(info.model_dump_json()) == info
            assert all(len(text) <= 400 for text in (info.reason, info.display_name, info.address))
            assert info.display_name.isprintable()
            assert -60 <= info.cpu_temp <= 200
            assert 0 <= info.cpu_usage <= 100

    @invariant()
    def no_role_is_promised_twice(self) -> None:
        promised = [wanted.key for wanted in self.registry.pending.values()]
        assert len(promised) == len(set(promised))
        assert set(self.registry.pending) == self.requested


TestRegistryLife = RegistryLife.TestCase
TestRegistryLife.settings = limits(max_examples=examples(30), stateful_step_count=30, deadline=None)
