import SallyportServer

/// An audit record as it is printed: a line of text, or a JSON object with the same field names.
struct AuditLine: Encodable {
  private let fields: [(name: String, value: String)]
  private let time: String
  private let event: String
  /// The number of further rejected requests that the record stands for.
  private let more: Int

  /// - Parameter username: The username of the record's account; nil if the record has no account, or the account has
  ///   been removed.
  init(_ record: AuditRecord, username: String?) {
    self.time = record.at.iso8601
    self.event = record.event.rawValue
    self.more = record.more
    // The subject of `upstreamChanged` is the identifier of an upstream (another OpenID provider), followed by the
    // names of the changed settings.
    var (subject, changed) = (record.subject, String?.none)
    if record.event == .upstreamChanged, let parts = subject?.split(separator: " "), parts.count > 1 {
      (subject, changed) = (String(parts[0]), parts.dropFirst().joined(separator: ","))
    }
    let fields: [(String, String?)] = [
      ("reason", record.reason?.name), ("username", username), ("account", record.account?.rawValue),
      ("client_id", record.client?.rawValue), ("subject", subject), ("changed", changed), ("grant", record.grant?.rawValue),
      ("session", record.session), ("by", record.origin.source.rawValue), ("address", record.origin.address),
      ("request_id", record.origin.requestID),
    ]
    self.fields = fields.compactMap { name, value in value.map { (name, $0) } }
  }

  /// A line of text: what happened, to whom, and from where. Leaves out the account's ID if the username is known, and
  /// `by=request`, because requests are the usual source of records.
  var text: String {
    let hidden = self.fields.contains { $0.name == "username" } ? ["account"] : []
    let shown = self.fields.filter { !hidden.contains($0.name) && !($0.name == "by" && $0.value == "request") }
    let more = self.more > 0 ? ["and \(self.more) more in the same minute"] : []
    return ([self.time, self.event] + shown.map { "\($0.name)=\(Self.quoted($0.value))" } + more).joined(separator: " ")
  }

  /// Quotes a value that contains a space, a quotation mark, an equals sign, or a character that is not visible ASCII.
  /// Otherwise, a value such as `a by=server` could be mistaken for two fields.
  private static func quoted(_ value: String) -> String {
    let isPlain = value.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" && $0 != "=" }
    return isPlain ? value : value.debugDescription
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    try container.encode(self.time, forKey: Name(stringValue: "time"))
    try container.encode(self.event, forKey: Name(stringValue: "event"))
    for field in self.fields { try container.encode(field.value, forKey: Name(stringValue: field.name)) }
    if self.more > 0 { try container.encode(self.more, forKey: Name(stringValue: "more")) }
  }
}
