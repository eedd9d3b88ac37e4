"""Remote masters and slaves of an arm: messages, their order, joints, and the state of a slave."""
