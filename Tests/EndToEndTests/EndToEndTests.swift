import Testing

/// Tests with real processes, browsers, and databases. Each test starts what it needs and ends it, except for a
/// PostgreSQL server that several tests share.
///
/// The tests run one after the other. On a small machine, several browsers and servers at once would be so slow that
/// tests would time out. The tests in the folder `Providers` are not part of this suite and run in parallel with it,
/// because they need no browser and mostly wait.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum EndToEndTests {}
