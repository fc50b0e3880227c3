/// One result of `doctor`.
struct Finding: Encodable, Equatable, Sendable {
  enum Level: String, Encodable, Sendable {
    case ok, warning, problem
  }

  let level: Level
  /// What was checked: `clock`, `files`, `database`, `replication`, `keys`, `tls`, `issuer`, `upstream`, `clients`,
  /// `accounts`, `settings`, or `qr-codes`.
  let about: String
  /// The result, and what to do about a problem.
  let text: String

  static func ok(_ about: String, _ text: String) -> Finding { Finding(level: .ok, about: about, text: text) }
  static func warning(_ about: String, _ text: String) -> Finding { Finding(level: .warning, about: about, text: text) }
  static func problem(_ about: String, _ text: String) -> Finding { Finding(level: .problem, about: about, text: text) }

  /// The given findings, or a single `ok` if there are none.
  static func list(_ about: String, _ findings: [Finding], otherwise text: String) -> [Finding] {
    findings.isEmpty ? [.ok(about, text)] : findings
  }
}
