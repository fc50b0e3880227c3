/// The `aud` claim: a string or a list of strings (RFC 7519 §4.1.3).
public struct Audience: Hashable, Sendable, Codable {
  /// The recipients that the token is for.
  public let values: [String]

  /// Creates an audience.
  /// - Parameter values: The recipients that the token is for.
  public init(_ values: [String]) {
    self.values = values
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let single = try? container.decode(String.self) {
      self.values = [single]
    } else {
      self.values = try container.decode([String].self)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if self.values.count == 1 {
      try container.encode(self.values[0])
    } else {
      try container.encode(self.values)
    }
  }
}
