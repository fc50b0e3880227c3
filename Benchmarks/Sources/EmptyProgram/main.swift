// This program does nothing, so it shows how fast a Swift program can start and exit. Scripts/benchmark measures it.
