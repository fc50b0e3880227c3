#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The `claims` parameter, which requests individual claims (OpenID Connect Core §5.5).
public struct ClaimsRequest: Codable, Hashable, Sendable {
  /// The claims requested in the UserInfo response.
  public var userInfo: [String: ClaimRequest]
  /// The claims requested in the ID token.
  public var idToken: [String: ClaimRequest]

  public init(userInfo: [String: ClaimRequest] = [:], idToken: [String: ClaimRequest] = [:]) {
    self.userInfo = userInfo
    self.idToken = idToken
  }

  public var isEmpty: Bool { self.userInfo.isEmpty && self.idToken.isEmpty }

  /// The value of the parameter, with sorted keys. Empty if no claims are requested.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // JSON cannot represent `nan` or infinity. The parameter is then omitted.
    guard !self.isEmpty, let data = try? encoder.encode(self) else { return "" }
    return String(decoding: data, as: UTF8.self)
  }

  /// Parses the parameter. Unknown members are ignored, as §5.5 requires.
  /// - Returns: Nil if the text is not a valid claims request or is longer than 16 KiB.
  public init?(json: String) {
    guard json.utf8.count <= 16 << 10, let request = try? JSONDecoder().decode(ClaimsRequest.self, from: Data(json.utf8)) else {
      return nil
    }
    self = request
  }

  private enum CodingKeys: String, CodingKey {
    case userInfo = "userinfo"
    case idToken = "id_token"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // A claim without further requirements has the value null.
    let userInfo = try container.decodeIfPresent([String: ClaimRequest?].self, forKey: .userInfo) ?? [:]
    let idToken = try container.decodeIfPresent([String: ClaimRequest?].self, forKey: .idToken) ?? [:]
    self.userInfo = userInfo.mapValues { $0 ?? ClaimRequest() }
    self.idToken = idToken.mapValues { $0 ?? ClaimRequest() }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func plain(_ claims: [String: ClaimRequest]) -> [String: ClaimRequest?] {
      claims.mapValues { $0 == ClaimRequest() ? nil : $0 }
    }
    if !self.userInfo.isEmpty { try container.encode(plain(self.userInfo), forKey: .userInfo) }
    if !self.idToken.isEmpty { try container.encode(plain(self.idToken), forKey: .idToken) }
  }
}

/// The requirements for one claim (OpenID Connect Core §5.5.1).
public struct ClaimRequest: Codable, Hashable, Sendable {
  /// Whether the claim is essential. Nil means false.
  public var essential: Bool?
  /// The requested value.
  public var value: ClaimValue?
  /// The acceptable values in order of preference.
  public var values: [ClaimValue]?

  public init(essential: Bool? = nil, value: ClaimValue? = nil, values: [ClaimValue]? = nil) {
    self.essential = essential
    self.value = value
    self.values = values
  }
}

/// The value of a claim in JSON.
public enum ClaimValue: Codable, Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  case string(String)
  case integer(Int64)
  case number(Double)
  case boolean(Bool)
  case list([ClaimValue])
  case object([String: ClaimValue])

  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([ClaimValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: ClaimValue].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .boolean(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
