public import SallyportProtocol

// In sealed values, a scope and a PKCE challenge are strings. Decoding a malformed string fails.

extension Scope: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let scope = Scope(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "malformed scope")
    }
    self = scope
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self.description)
  }
}

extension CodeChallenge: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(stored: try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self.value)
  }
}
