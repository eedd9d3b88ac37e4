"""Topics that tests/integration/test_bus_processes.py and bus_echo.py agree on."""

from saint_services.lib.bus import Qos, Topic
from saint_services.lib.generated import topics
from saint_services.lib.generated.std_msgs import String

QUESTION = Topic("/question", String, Qos())
ANSWER = Topic("/answer", String, Qos(depth=100))
LATCHED = Topic("/said", String, Qos(depth=1, latched=True))
RESET = topics.NODES_RESET
