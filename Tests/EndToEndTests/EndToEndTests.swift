import Testing

/// Real processes, a real browser, a real database: each test starts what it needs and ends it.
///
/// One after another: a browser, a server and a password hash are enough for a small machine, and a test that waits for another
/// test's browser would fail for no reason of its own.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum EndToEndTests {}
