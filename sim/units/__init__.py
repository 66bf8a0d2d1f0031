"""Who fights: charge files, rosters, orders, and the state of every unit."""
