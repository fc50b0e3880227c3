package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The `claims` parameter, OpenID Connect Core §5.5: single claims that a client asks for, beside its scope.
///
/// Claims that this server does not have are ignored, as the RFC asks; so are those of a scope that the client may not have.
package struct RequestedClaims: Sendable, Hashable, Codable {
  /// The claims by name, for the ID token and for the userinfo endpoint.
  package var idToken: [String]
  package var userinfo: [String]
  /// `sub` with a value: the one person that the client means (§5.5.1).
  package var subject: String?
  /// The values of `acr` of which one must be reached (§5.5.1.1); nil where any will do. Looked at when the request comes, and not kept.
  var essentialContexts: [String]?

  private enum CodingKeys: String, CodingKey {
    case idToken = "id_token"
    case userinfo
    case subject = "sub"
  }

  /// The scope under which each claim is otherwise given, §5.4.
  private static let scopes: [String: Scope] = [
    "name": .profile, "preferred_username": .profile, "email": .email, "email_verified": .email,
  ]

  package static let supported = ["name", "preferred_username", "email", "email_verified"]

  /// - Returns: nil for text that is not what §5.5 says.
  init?(_ text: String, of client: ClientRecord) {
    guard text.utf8.count <= 8 << 10, let object = JSONText.object(text.utf8),
      let idToken = Self.members(object["id_token"]), let userinfo = Self.members(object["userinfo"])
    else { return nil }
    func known(_ claims: [String: JSONText]) -> [String] {
      Self.supported.filter { name in
        claims[name] != nil && (Self.scopes[name].map { client.scope.contains($0) } ?? false)
      }
    }
    self.idToken = known(idToken)
    self.userinfo = known(userinfo)
    self.subject = nil
    if let sub = idToken["sub"] ?? userinfo["sub"], case .object(let members) = sub, case .string(let value)? = members["value"] {
      self.subject = value
    }
    self.essentialContexts = idToken["acr"].flatMap(Self.essentialValues)
  }

  /// §5.5.1: `"essential": true` with a `value` or `values`.
  private static func essentialValues(_ request: JSONText) -> [String]? {
    guard case .object(let members) = request, members["essential"] == .bool(true) else { return nil }
    var values: [JSONText] = []
    if case .array(let several)? = members["values"] { values += several }
    if let value = members["value"] { values.append(value) }
    guard !values.isEmpty else { return nil }
    return values.compactMap { value in
      if case .string(let text) = value { text } else { nil }
    }
  }

  private static func members(_ value: JSONText?) -> [String: JSONText]? {
    guard let value else { return [:] }
    guard case .object(let members) = value else { return value == .null ? [:] : nil }
    let isWellFormed = members.values.allSatisfy { member in
      if case .object = member { true } else { member == .null }
    }
    return isWellFormed ? members : nil
  }

  /// What the person is asked for on their account.
  package var impliedScope: Scope {
    Scope((self.idToken + self.userinfo).compactMap { Self.scopes[$0] })
  }

  var isEmpty: Bool { self.idToken.isEmpty && self.userinfo.isEmpty }

  /// As a grant keeps it.
  var stored: String? {
    guard !self.isEmpty else { return nil }
    return (try? WireJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  init?(stored: String?) {
    guard let stored, let value = try? JSONDecoder().decode(RequestedClaims.self, from: Data(stored.utf8)) else { return nil }
    self = value
  }
}
