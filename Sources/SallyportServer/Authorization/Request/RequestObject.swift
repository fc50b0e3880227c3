package import SallyportProtocol
import SallyportRemote

/// An authorization request in a JWT that the client signed (RFC 9101).
struct RequestObject: Sendable {
  let jws: JWSCompact
  private let members: [String: JSONValue]

  static var algorithms: [String] { ClientAssertion.algorithms }
  /// The tolerated clock difference, in seconds.
  private static var leeway: Double { 30 }
  /// The maximum age and the maximum lifetime of a request object under FAPI 2.0, in seconds.
  private static var maximumAge: Double { 3600 }

  init(_ text: String) throws(RequestObjectError) {
    guard let jws = try? JWSCompact(text, maximumLength: 32 << 10), let members = JSONValue.members(of: jws.payload),
      // As in a form, no parameter may contain a null character.
      !members.values.contains(where: { if case .string(let value) = $0 { value.utf8.contains(0) } else { false } })
    else { throw .malformed }
    self.jws = jws
    self.members = members
  }

  /// Checks everything except the signature, without side effects.
  func check(of client: ClientRecord, issuer: Issuer, at now: Timestamp) throws(RequestObjectError) {
    try self.checkHeader()
    try self.checkAlgorithm(of: client)
    try self.checkParties(client, issuer)
    try self.checkTimes(at: now)
    if client.usesMessageSigning { try self.checkLifetime(at: now) }
    try self.checkNesting()
  }

  /// RFC 9101 §10.8 and RFC 8725 §3.11: rejects any `typ` other than `JWT` and `oauth-authz-req+jwt`, and critical
  /// header parameters, which are not supported.
  func checkHeader() throws(RequestObjectError) {
    guard !self.jws.header.hasCriticalParameters else { throw .header }
    let isPlainJWT = self.jws.header.type == nil || self.jws.header.isType("JWT")
    guard isPlainJWT || self.jws.header.isType("oauth-authz-req+jwt") else { throw .header }
  }

  /// RFC 9101 §10.1: the request object must be signed with an algorithm that is allowed for the client.
  func checkAlgorithm(of client: ClientRecord) throws(RequestObjectError) {
    let (algorithm, registered) = (self.jws.header.algorithm, client.details.requestObjectAlgorithm)
    guard Self.algorithms.contains(algorithm), registered == nil || registered == algorithm else { throw .algorithm }
    // FAPI 2.0 Security Profile §5.4.1 allows only the algorithms in `FAPIAlgorithms`.
    if client.usesSecurityProfile || client.usesMessageSigning, !FAPIAlgorithms.allows(algorithm) { throw .algorithm }
  }

  /// RFC 9101 §4, §5, and §10.8: checks the client and the audience, and that the JWT is not a client assertion.
  ///
  /// `client_id`, `iss`, and `aud` may be missing (OpenID Connect Core §6.1), except under FAPI 2.0, which requires all
  /// three. Without them, the key still identifies the client.
  func checkParties(_ client: ClientRecord, _ issuer: Issuer) throws(RequestObjectError) {
    let required: Set<String> = client.usesSecurityProfile || client.usesMessageSigning ? ["client_id", "iss", "aud"] : []
    for name in ["client_id", "iss"] where self.members[name] != nil || required.contains(name) {
      guard Self.matches(self.members[name], client.id.rawValue) else { throw .client }
    }
    // A JWT that the client signed and whose `sub` is the client ID is a client assertion (RFC 7523 §3).
    guard self.members["sub"] != .string(client.id.rawValue) else { throw .client }
    guard self.members["aud"] != nil || required.contains("aud") else { return }
    let audience: [JSONValue] =
      switch self.members["aud"] {
      case .array(let values)?: values
      case let value?: [value]
      case nil: []
      }
    guard audience.contains(where: { Self.matches($0, issuer.value) }) else { throw .audience }
  }

  /// Compares bytes, because `String` treats canonically equivalent text as equal.
  private static func matches(_ value: JSONValue?, _ text: String) -> Bool {
    if case .string(let value)? = value { value.utf8.elementsEqual(text.utf8) } else { false }
  }

  func checkTimes(at now: Timestamp) throws(RequestObjectError) {
    let now = Double(now.milliseconds) / 1000
    if let expiration = try self.time("exp"), expiration <= now - Self.leeway { throw .expired }
    for name in ["nbf", "iat"] {
      if let begin = try self.time(name), begin > now + Self.leeway { throw .notYetValid }
    }
  }

  /// FAPI 2.0 Message Signing §5.3.1: limits the age and the lifetime of the request object.
  func checkLifetime(at now: Timestamp) throws(RequestObjectError) {
    guard let begin = try self.time("nbf"), let end = try self.time("exp") else { throw .lifetime }
    guard begin >= Double(now.milliseconds) / 1000 - Self.maximumAge, end <= begin + Self.maximumAge else { throw .lifetime }
  }

  /// RFC 9101 §4: a request object must not contain another request object.
  func checkNesting() throws(RequestObjectError) {
    guard self.members["request"] == nil, self.members["request_uri"] == nil else { throw .nested }
  }

  private func time(_ name: String) throws(RequestObjectError) -> Double? {
    switch self.members[name] {
    case nil: return nil
    case .integer(let value)?: return Double(value)
    case .number(let value)?: return value
    default: throw .malformed
    }
  }

  /// RFC 9101 §6.3: only the parameters in the request object count. JWT claims are not parameters.
  var parameters: FormParameters {
    var list: [(name: String, value: String)] = []
    for (name, value) in self.members where !Self.claims.contains(name) {
      var values = [value]
      if ResourceIndicators.repeatableNames.contains(name), case .array(let resources) = value { values = resources }
      list += values.compactMap(\.parameter).map { (name, $0) }
    }
    return FormParameters(list, repeatable: ResourceIndicators.repeatableNames)
  }

  private static let claims: Set<String> = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]
}

/// Why a request object is rejected.
package enum RequestObjectError: Error, Equatable, Sendable {
  case malformed, header, algorithm, client, audience, expired, notYetValid, lifetime, nested, key, signature
  /// The client has no registered keys, so the signature cannot be verified.
  case unsupported
  /// The client has not registered any `request_uris`, or this server does not fetch them.
  case requestURIUnsupported
  /// The `request_uri` is not registered for the client, or could not be fetched.
  case requestURINotRegistered, requestURIUnreachable
  /// The request contains both `request` and `request_uri` (OpenID Connect Core §6).
  case twice

  /// The error code (OpenID Connect Core §3.1.2.6).
  package var code: OAuthErrorCode {
    switch self {
    case .unsupported: .requestNotSupported
    case .requestURIUnsupported: .requestURINotSupported
    case .requestURINotRegistered, .requestURIUnreachable: .invalidRequestURI
    case .twice: .invalidRequest
    default: .invalidRequestObject
    }
  }

  var redirectReason: AuthorizeError.RedirectReason {
    switch self {
    case .unsupported: .requestObjectNotSupported
    case .requestURIUnsupported: .requestURINotSupported
    case .requestURINotRegistered, .requestURIUnreachable: .requestURIInvalid
    case .twice: .requestAndRequestURI
    default: .requestObjectInvalid
    }
  }
}

extension JSONValue {
  /// The value as a request parameter: a string as it is, nil for `null`, and any other value as JSON (RFC 9101 §4).
  fileprivate var parameter: String? {
    switch self {
    case .null: nil
    case .string(let value): value
    default: (try? WireJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
