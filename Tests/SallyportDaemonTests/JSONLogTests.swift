import Foundation
import Logging
import SallyportProtocol
import Synchronization
import Testing

@testable import SallyportDaemon

@Suite("JSON log")
struct JSONLogTests {
  @Test(
    """
    a log event is a JSON object in one line; metadata cannot replace the log's own members, and the event's metadata takes \
    precedence over the logger's
    """)
  func line() throws {
    let lines = Lines()
    var logger = Logger(label: "sallyportd") { label in
      var handler = JSONLogHandler(label: label)
      handler.output = { lines.add($0) }
      handler.now = { Timestamp(milliseconds: 1_795_255_200_123) }
      return handler
    }
    logger[metadataKey: "hb.request.id"] = "r1"
    logger[metadataKey: "time"] = "another"
    logger.notice("sign-in \"refused\"\n", metadata: ["list": ["a", ["b": "c"]], "hb.request.id": "r2"])
    logger.debug("below the log level")
    let line = try #require(lines.all.first)
    #expect(lines.all.count == 1 && !line.contains("\n"))
    #expect(
      line == """
        {"hb.request.id":"r2","level":"notice","list":["a",{"b":"c"}],"logger":"sallyportd","message":"sign-in \\"refused\\"\\n",\
        "time":"2026-11-21T10:00:00.123Z"}
        """)
  }

  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { self.lines.withLock { $0 } }
    func add(_ line: String) { self.lines.withLock { $0.append(line) } }
  }
}
