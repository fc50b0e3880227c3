// This program does nothing. The benchmark measures it, because no other Swift program can start and exit faster.
