"""A person's face onto the parts of a robot's face: templates and the rules of the mapping."""
