"""Rule sets: found, merged, checked, and frozen into blocks and a rulebook.

No raw YAML is read beyond this room.
"""
