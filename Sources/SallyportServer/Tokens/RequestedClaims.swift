package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The `claims` parameter: individual claims that a client requests in addition to its scope (OpenID Connect Core
/// §5.5).
///
/// Claims that this server does not support are ignored, as the specification requires. So are claims whose scope is
/// not allowed for the client.
package struct RequestedClaims: Sendable, Hashable, Codable {
  /// The names of the claims for the ID token.
  package var idToken: [String]
  /// The names of the claims for the userinfo response.
  package var userinfo: [String]
  /// The requested value of `sub`: the only user that the client accepts (§5.5.1).
  package var subject: String?
  /// The values of an essential `acr` (§5.5.1.1). The server must satisfy at least one of them; nil if every `acr` is
  /// acceptable. The values are part of the interaction (``AuthorizationParameters/essentialContexts``), and are not
  /// stored with a grant.
  var essentialContexts: [String]?

  private enum CodingKeys: String, CodingKey {
    case idToken = "id_token"
    case userinfo
    case subject = "sub"
  }

  /// The scope that includes each claim (§5.4).
  private static let scopes: [String: Scope] = [
    "name": .profile, "preferred_username": .profile, "email": .email, "email_verified": .email, "locale": .profile,
  ]

  package static let supported = ["name", "preferred_username", "email", "email_verified", "locale"]

  /// - Returns: Nil if the text does not have the structure of §5.5, or is longer than 8 KiB.
  init?(_ text: String, of client: ClientRecord) {
    guard text.utf8.count <= 8 << 10, let object = JSONValue.members(of: text.utf8),
      let idToken = Self.members(object["id_token"]), let userinfo = Self.members(object["userinfo"])
    else { return nil }
    func allowedNames(in claims: [String: JSONValue]) -> [String] {
      Self.supported.filter { name in
        claims[name] != nil && (Self.scopes[name].map { client.scope.contains($0) } ?? false)
      }
    }
    self.idToken = allowedNames(in: idToken)
    self.userinfo = allowedNames(in: userinfo)
    self.subject = nil
    if let sub = idToken["sub"] ?? userinfo["sub"], case .object(let members) = sub, case .string(let value)? = members["value"] {
      self.subject = value
    }
    self.essentialContexts = idToken["acr"].flatMap(Self.essentialValues)
  }

  /// Returns the values of a claim with `"essential": true` and a `value` or `values` (§5.5.1); nil for other claims.
  /// Values that are not strings are left out. If none is a string, the result is empty, and no sign-in satisfies the
  /// claim.
  private static func essentialValues(_ request: JSONValue) -> [String]? {
    guard case .object(let members) = request, members["essential"] == .bool(true) else { return nil }
    var values: [JSONValue] = []
    if case .array(let array)? = members["values"] { values += array }
    if let value = members["value"] { values.append(value) }
    guard !values.isEmpty else { return nil }
    return values.compactMap { value in
      if case .string(let text) = value { text } else { nil }
    }
  }

  /// Returns the requested claims of `id_token` or `userinfo`, by name.
  /// - Returns: Empty if the value is missing or null; nil if it does not have the structure of §5.5.
  private static func members(_ value: JSONValue?) -> [String: JSONValue]? {
    guard let value else { return [:] }
    guard case .object(let members) = value else { return value == .null ? [:] : nil }
    let isWellFormed = members.values.allSatisfy { member in
      if case .object = member { true } else { member == .null }
    }
    return isWellFormed ? members : nil
  }

  /// The scope that includes the requested claims. The user is asked to consent to it.
  package var impliedScope: Scope {
    Scope((self.idToken + self.userinfo).compactMap { Self.scopes[$0] })
  }

  /// True if the client requests no supported claims, or only `sub` and `acr`.
  var isEmpty: Bool { self.idToken.isEmpty && self.userinfo.isEmpty }

  /// The JSON text that is stored with a grant; nil if ``isEmpty`` is true.
  var stored: String? {
    guard !self.isEmpty else { return nil }
    return (try? WireJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  init?(stored: String?) {
    guard let stored, let value = try? JSONDecoder().decode(RequestedClaims.self, from: Data(stored.utf8)) else { return nil }
    self = value
  }
}
