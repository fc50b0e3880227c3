// Starts and ends: the least that a command can cost.
