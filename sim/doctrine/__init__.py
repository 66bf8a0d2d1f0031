"""What players decide in a battle, as policies made of data."""
