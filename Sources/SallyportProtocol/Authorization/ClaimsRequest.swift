#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The `claims` parameter, which requests individual claims (OpenID Connect Core §5.5).
public struct ClaimsRequest: Encodable, Hashable, Sendable {
  /// The claims requested in the UserInfo response.
  public var userInfo: [String: Claim]
  /// The claims requested in the ID token.
  public var idToken: [String: Claim]

  /// Creates a request for individual claims, by claim name.
  public init(userInfo: [String: Claim] = [:], idToken: [String: Claim] = [:]) {
    self.userInfo = userInfo
    self.idToken = idToken
  }

  /// Whether no claims are requested.
  public var isEmpty: Bool { self.userInfo.isEmpty && self.idToken.isEmpty }

  /// The value of the parameter, with sorted keys. Empty if no claims are requested, or if JSON cannot represent a
  /// requested value.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // JSON cannot represent `nan` and infinity.
    guard !self.isEmpty, let data = try? encoder.encode(self) else { return "" }
    return String(decoding: data, as: UTF8.self)
  }

  private enum CodingKeys: String, CodingKey {
    case userInfo = "userinfo"
    case idToken = "id_token"
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    // A claim without further requirements has the value null.
    func withNulls(_ claims: [String: Claim]) -> [String: Claim?] {
      claims.mapValues { $0 == Claim() ? nil : $0 }
    }
    if !self.userInfo.isEmpty { try container.encode(withNulls(self.userInfo), forKey: .userInfo) }
    if !self.idToken.isEmpty { try container.encode(withNulls(self.idToken), forKey: .idToken) }
  }
}

extension ClaimsRequest {
  /// The requirements for one claim (OpenID Connect Core §5.5.1).
  public struct Claim: Encodable, Hashable, Sendable {
    /// Whether the claim is essential. `nil` means false.
    public var essential: Bool?
    /// The requested value.
    public var value: JSONValue?
    /// The acceptable values in order of preference.
    public var values: [JSONValue]?

    /// Creates the requirements for one claim. Without arguments, the claim is requested without further requirements.
    public init(essential: Bool? = nil, value: JSONValue? = nil, values: [JSONValue]? = nil) {
      self.essential = essential
      self.value = value
      self.values = values
    }
  }
}
