import HTTPTestSupport
import SallyportProtocol
import Synchronization
import Testing

/// Secrets that must be neither in the log nor in the audit trail, by name.
final class SearchedSecrets: Sendable {
  let all = Mutex<[(name: String, text: String)]>([])

  /// Adds a secret. Records an issue if the text is missing, or so short that the log could contain it by chance.
  func add(_ name: String, _ text: String?) {
    guard let text, text.count > 6 else {
      Issue.record("\(name) is missing or too short to search for")
      return
    }
    self.all.withLock { $0.append((name, text)) }
  }

  /// Adds a code of six digits. It is searched for only as a whole word, because longer numbers could contain it by
  /// chance.
  func add(code: String) {
    #expect(code.count == 6)
    self.all.withLock { $0.append(("code", code)) }
  }

  /// Expects that no secret is in the log or in the audit trail, as it is or form-encoded.
  func expectNone(in log: CapturedLog, of site: Site) async throws {
    let trail = try await site.trail().map { "\($0)" }
    let (lines, secrets) = (log.lines, self.all.withLock { $0 })
    // A log or trail that is nearly empty would contain no secret in any case.
    #expect(lines.count > 40 && trail.count > 10)
    for (name, secret) in secrets {
      // A field without a name is encoded as `=` and the value.
      for spelling in Set([secret, FormParameters.encode([("", secret)]).dropFirst().description]) {
        #expect(!lines.contains { Self.text($0, contains: spelling) }, "\(name) is in the log")
        #expect(!trail.contains { Self.text($0, contains: spelling) }, "\(name) is in the audit trail")
      }
    }
  }

  private static func text(_ text: String, contains secret: String) -> Bool {
    guard secret.count == 6 else { return text.contains(secret) }
    // A period does not separate words, because it can be part of a number.
    return text.split { !$0.isLetter && !$0.isNumber && $0 != "." }.contains { $0 == secret }
  }
}
