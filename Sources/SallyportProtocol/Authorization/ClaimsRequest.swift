#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `claims`: single claims that are asked for, OpenID Connect Core §5.5.
public struct ClaimsRequest: Codable, Hashable, Sendable {
  /// Asked for in the userinfo answer.
  public var userInfo: [String: ClaimRequest]
  /// Asked for in the ID token.
  public var idToken: [String: ClaimRequest]

  public init(userInfo: [String: ClaimRequest] = [:], idToken: [String: ClaimRequest] = [:]) {
    self.userInfo = userInfo
    self.idToken = idToken
  }

  public var isEmpty: Bool { self.userInfo.isEmpty && self.idToken.isEmpty }

  /// The parameter's value, the same text for the same claims; empty where none is asked for.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A number that is none (`nan`) is what JSON cannot say; then nothing is asked for.
    guard !self.isEmpty, let data = try? encoder.encode(self) else { return "" }
    return String(decoding: data, as: UTF8.self)
  }

  /// Reads the parameter; members other than these two are ignored, as §5.5 asks.
  /// - Returns: nil for what is not the JSON of a claims request.
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
    // A claim that is only named has the value null.
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

/// How one claim is asked for, OpenID Connect Core §5.5.1.
public struct ClaimRequest: Codable, Hashable, Sendable {
  /// Whether the sign-in is of no use without it; absent, it is not.
  public var essential: Bool?
  /// The value that it should have.
  public var value: ClaimValue?
  /// The values of which it should have one, the best first.
  public var values: [ClaimValue]?

  public init(essential: Bool? = nil, value: ClaimValue? = nil, values: [ClaimValue]? = nil) {
    self.essential = essential
    self.value = value
    self.values = values
  }
}

/// The value of a claim, as JSON has it.
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
