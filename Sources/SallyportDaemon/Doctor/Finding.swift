/// One thing that `doctor` has looked at.
struct Finding: Encodable, Equatable, Sendable {
  enum Level: String, Encodable, Sendable {
    case ok, warning, problem
  }

  let level: Level
  /// What was looked at: `clock`, `files`, `database`, `keys`, `tls`, `issuer`, `clients`, `settings`.
  let about: String
  /// What was found, and what to do about it.
  let text: String

  static func ok(_ about: String, _ text: String) -> Finding { Finding(level: .ok, about: about, text: text) }
  static func warning(_ about: String, _ text: String) -> Finding { Finding(level: .warning, about: about, text: text) }
  static func problem(_ about: String, _ text: String) -> Finding { Finding(level: .problem, about: about, text: text) }

  /// The findings themselves, or that there is nothing to say against it.
  static func list(_ about: String, _ found: [Finding], otherwise text: String) -> [Finding] {
    found.isEmpty ? [.ok(about, text)] : found
  }
}
