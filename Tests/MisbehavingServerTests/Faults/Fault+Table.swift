extension Fault {
  /// All faults, as the documentation lists them.
  static let groups: [(title: String, faults: [Fault])] = [
    ("The metadata document", metadata),
    ("The authorization response", authorizationResponse),
    ("The token endpoint", tokens),
    ("Bound tokens", dpop),
    ("The ID token and its keys", idToken),
    ("Userinfo", userinfo),
  ]

  /// The table of the documentation, in Markdown.
  static func table() -> String {
    self.groups.map { title, faults in
      (["## \(title)", "", "| the server sends | rule | what comes of it |", "|---|---|---|"]
        + faults.map { "| \($0.does) | \($0.rule) | \($0.outcome) |" })
        .joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}

extension Fault.Outcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .refused(let error): "refused: \(error)"
    case .refusedWith(let text, _): "refused: \(text)"
    case .ignored: "turned away, and the wait goes on"
    case .accepted(let text, _): text
    }
  }
}
