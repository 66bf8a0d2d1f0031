"""Files to checked values: YAML with positions, and kinds of field."""
