extension Fault {
  /// All faults, in the order of the tables in Faults.md.
  static let groups: [(title: String, faults: [Fault])] = [
    ("The metadata document", metadata),
    ("The authorization response", authorizationResponse),
    ("The token endpoint", tokens),
    ("Bound tokens", dpop),
    ("The ID token and its keys", idToken),
    ("Userinfo", userinfo),
  ]

  /// The tables in Faults.md with their headings, in Markdown.
  static func table() -> String {
    self.groups.map { title, faults in
      (["## \(title)", "", "| the server sends | rule | result |", "|---|---|---|"]
        + faults.map { "| \($0.summary) | \($0.rule) | \($0.outcome) |" })
        .joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}

extension Fault.Outcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .refused(let error): "error: \(error)"
    case .refusedMatching(let text, _): "error: \(text)"
    case .ignored: "rejected; the sign-in keeps waiting"
    case .accepted(let text, _): text
    }
  }
}
