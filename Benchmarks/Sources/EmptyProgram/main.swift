// This program does nothing. The benchmark measures it, because no command can start and exit faster.
