import Foundation
package import SallyportServer
import Synchronization

/// Receives the mail of a server, or rejects it.
package final class TestMailbox: MailTransport {
  private let state = Mutex((messages: [TestMail](), failure: String?.none))

  package init() {}

  package var messages: [TestMail] { self.state.withLock { $0.messages } }

  /// Why further messages are rejected; nil to accept them.
  package var failure: String? {
    get { self.state.withLock { $0.failure } }
    set { self.state.withLock { $0.failure = newValue } }
  }

  package func send(_ message: [UInt8]) async throws(MailTransportError) {
    let failure = self.state.withLock { state in
      if state.failure == nil { state.messages.append(TestMail(message)) }
      return state.failure
    }
    if let failure { throw MailTransportError(reason: failure) }
  }
}

/// A message that the server sent.
package struct TestMail: Sendable {
  /// The whole message.
  package let source: String
  /// The fields of the header, with folded lines joined.
  package let header: [String: String]
  package let plainText: String
  package let html: String

  package init(_ message: [UInt8]) {
    self.source = String(decoding: message, as: UTF8.self)
    let blocks = self.source.components(separatedBy: "\n\n")
    let lines = (blocks.first ?? "").replacingOccurrences(of: "\n ", with: " ").components(separatedBy: "\n")
    self.header = lines.reduce(into: [:]) { fields, line in
      guard let colon = line.firstIndex(of: ":") else { return }
      fields[String(line[..<colon])] = String(line[line.index(after: colon)...].dropFirst())
    }
    // Only blocks that begin with the Base64 body of a part can be decoded. The block with the first part's header
    // cannot, because the boundary before this header contains `=`.
    let bodies = blocks.dropFirst().compactMap { block -> String? in
      let encoded = block.components(separatedBy: "\n--").first ?? ""
      return Data(base64Encoded: encoded, options: .ignoreUnknownCharacters).map { String(decoding: $0, as: UTF8.self) }
    }
    self.plainText = bodies.first ?? ""
    self.html = bodies.dropFirst().first ?? ""
  }

  package var recipient: String? { self.header["To"] }

  /// The decoded subject, which must consist of encoded words (RFC 2047).
  package var subject: String { Self.decoded(self.header["Subject"] ?? "") }

  /// The name in `From`.
  package var senderName: String { Self.decoded((self.header["From"] ?? "").components(separatedBy: " <").first ?? "") }

  /// The one-time link.
  package var link: String? {
    self.plainText.components(separatedBy: "\n").first { $0.hasPrefix("http") && $0.contains("?token=") }
  }

  private static func decoded(_ words: String) -> String {
    words.split(separator: " ").map { word in
      let encoded = word.dropFirst("=?utf-8?B?".count).dropLast(2)
      return Data(base64Encoded: String(encoded)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
    }
    .joined()
  }
}
