import Testing

/// Tests with real processes, browsers, and databases. Each test starts what it needs and ends it.
///
/// The tests run one after the other, because several browsers and servers at once would be too slow on a small machine, and
/// tests would time out. The tests in `Providers`, which need no browser and mostly wait, are not part of this suite and run
/// in parallel with it.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum EndToEndTests {}
