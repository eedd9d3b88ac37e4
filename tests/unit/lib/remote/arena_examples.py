"""The messages of LeRobot Arena's document, byte for byte."""

# The document's protocol examples, as they stand there.
COMMAND = """{
"type": "command",
"timestamp": "2024-01-15T10:30:00Z",
"data": {
"joints": [
{ "name": "Rotation", "value": 45, "speed": 100 },
{ "name": "Elbow", "value": -30, "speed": 80 }
]
}
}"""
STATUS = """{
"type": "slave_status",
"timestamp": "2024-01-15T10:30:01Z",
"robot_id": "robot-1",
"data": {
"joints": [
{ "name": "Rotation", "virtual_value": 45, "real_value": 44.8 },
{ "name": "Elbow", "virtual_value": -30, "real_value": -29.9 }
]
}
}"""
# What its drivers send and read: the object literals of RemoteServerSlave.
OTHERS = [
    '{"type":"command","timestamp":"2024-01-15T10:30:00.250Z","robot_id":"demo-arm",'
    '"data":{"joints":[{"name":"Elbow","value":12.5}]}}',
    '{"type":"command_ack"}',
    '{"type":"status_request","timestamp":"2024-01-15T10:30:00.250Z","robot_id":"demo-arm"}',
    '{"type":"joint_states","data":{"joints":[{"name":"Elbow","servo_id":3,"type":"revolute",'
    '"virtual_value":12.5,"real_value":12.4}]}}',
]
