"""A node's header, buses and load as webd reports them."""

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.webd.nodes import NODE_HISTORY_POINTS
from saint_services.lib.generated.saint_msgs import PeripheralInfo
from saint_services.webd.topics.node_history import PERIOD_S, NodeHistories
from tests.unit.webd.web_rig import Rig
from tests.waiting import let_pass, until
from tests.web.fakes.nodes import CHIPS
from tests.web.fakes.robot import node


async def test_gpio_status_is_read_from_the_node_and_numbers_its_pins(rig: Rig) -> None:
    data = await (await rig.chat()).do("management", "get_gpio_status", node_id="sim_head")
    assert rig.robot.headers.asked == ["sim_head"]
    servo = data["pins"][31]
    assert (servo["number"], servo["pin_name"], servo["used_by"]) == (32, "GPIO12", "pan")
    assert servo["current_state"] == "pwm_7" and servo["alternates"] == ["PWM0"]
    assert data["pins"][0]["pin_name"] == "3V3" and data["pins"][0]["alternates"] == []
    assert len(data["pins"]) == 40


async def test_node_that_does_not_answer_is_an_error_with_its_name(rig: Rig) -> None:
    away = rig.robot.nodes["sim_head"].model_copy(update={"state": NodeState.OFFLINE})
    rig.robot.nodes["sim_head"] = away
    fault = await (await rig.chat()).fail("management", "get_gpio_status", node_id="sim_head")
    assert fault["code"] == "hardware_fault" and "sim_head" in fault["message"]


async def test_check_reports_for_each_role_what_the_node_lacks(rig: Rig) -> None:
    rig.robot.headers.chips = (PeripheralInfo("i2c", "1:0x3c", "SSD1306?", True),)
    data = await (await rig.chat()).do("management", "check_node", node_id="sim_spare")
    fits = {each["role"]: each for each in data["roles"]}
    console = {each["name"]: each["verdict"] for each in fits["console"]["findings"]}
    head = {each["name"]: each["verdict"] for each in fits["head"]["findings"]}
    assert console == {
        "display": "found", "button_a": "found", "button_b": "found", "lights": "missing",
    }  # fmt: skip
    assert head["face"] == "missing" and head["pan"] == "found"
    assert all(each["conflict"] == "" for each in data["roles"])
    assert len(data["status"]["pins"]) == 40


async def test_check_reports_what_prevents_a_second_role(rig: Rig) -> None:
    rig.robot.headers.chips = CHIPS
    data = await (await rig.chat()).do("management", "check_node", node_id="sim_head")
    fits = {each["role"]: each["conflict"] for each in data["roles"]}
    assert "GPIO12 is used by head (pan)" in fits["tracks"]
    assert fits["console"] == "" and fits["head"] == ""


async def test_pin_of_a_changed_robot_is_read_again_without_a_restart(rig: Rig) -> None:
    rig.robot.shows_edition = True
    chat = await rig.chat()

    async def pan() -> str:
        data = await chat.do("management", "check_node", node_id="sim_spare")
        head = next(each for each in data["roles"] if each["role"] == "head")
        return str(next(each["what"] for each in head["findings"] if each["name"] == "pan"))

    assert (await pan()).startswith("GPIO12")
    pin = {"target": "head", "name": "pan", "hardware": {"pin": 18}}
    await chat.do("robot", "set_part", **pin)

    async def is_moved() -> bool:
        return (await pan()).startswith("GPIO18")

    await until(is_moved)


async def test_outputs_of_a_changed_robot_wait_for_the_restart(rig: Rig) -> None:
    """Routes, topics and limits that are already in use belong to the outputs before."""
    rig.robot.shows_edition = True
    chat = await rig.chat()
    before = (await chat.do("system", "describe"))["targets"]["head"]
    other = {
        "target": "head",
        "name": "roll",
        "output": {"max_rate": 7},
        "hardware": {"channel": 9},
    }
    await chat.do("robot", "set_part", **other)
    await until(lambda: rig.robot.parts.restarts == 1)
    await let_pass(0.3)
    assert (await chat.do("system", "describe"))["targets"]["head"] == before


async def test_activity_can_be_limited_to_one_node(rig: Rig) -> None:
    chat = await rig.chat()
    rig.robot.nodes["sim_head_2"] = node("sim_head_2")
    for each in ("sim_head", "sim_tracks", "sim_head_2"):
        await chat.do("management", "set_node_name", node_id=each, display_name="Other")
    entries = (await chat.do("management", "get_activity_log", about="sim_head"))["entries"]
    assert [each["text"] for each in entries] == ["sim_head is now called Other"]


def test_history_keeps_a_bounded_number_of_periods_and_forgets_with_the_registry() -> None:
    history = NodeHistories()
    for step in range(NODE_HISTORY_POINTS + 10):
        now_s = step * PERIOD_S
        history.add([node("a", cpu_usage=float(step % 100))], now_s)
        history.add([node("a", cpu_usage=99.9)], now_s + 0.5)  # not due
    kept = history.of("a")
    assert len(kept.cpu) == NODE_HISTORY_POINTS and kept.cpu[-1] == float(
        (NODE_HISTORY_POINTS + 9) % 100
    )
    assert kept.period_s == PERIOD_S
    history.add([node("b")], (NODE_HISTORY_POINTS + 11) * PERIOD_S)
    assert history.of("a").cpu == [] and len(history.of("b").cpu) == 1


def test_history_has_a_gap_while_the_node_is_away_and_no_temperature_without_a_sensor() -> None:
    history = NodeHistories()
    history.add([node("a", state="offline")], 0.0)
    history.add([node("a", cpu_temp=0.0)], PERIOD_S)
    kept = history.of("a")
    assert kept.cpu == [None, 18.0] and kept.temp == [None, None]
