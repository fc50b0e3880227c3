import SallyportProtocol

/// The claims of a token. Of the code under test, the parser uses only `Base64URL` and `Audience`, so that a mistake in
/// the code under test is not repeated here.
struct TokenClaims: Decodable {
  struct Header: Decodable {
    let alg: String
    let kid: String?
    let typ: String?
  }

  let iss: String?
  let sub: String?
  let aud: Audience?
  let exp: Double?
  let nbf: Double?
  let iat: Double?
  let jti: String?
  let azp: String?
  let nonce: String?
  let htm: String?
  let htu: String?
  /// Whether each of `exp`, `nbf`, and `iat` is a number, null, or absent. Decoding does not require this, because some
  /// tokens, such as ID token hints, are accepted regardless of their times.
  let hasValidTimeTypes: Bool

  private enum CodingKeys: String, CodingKey {
    case iss, sub, aud, exp, nbf, iat, jti, azp, nonce, htm, htu
  }

  /// Decodes the claims. A claim that should be a string counts as absent if it has another type.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) -> String? { try? container.decode(String.self, forKey: key) }
    self.iss = text(.iss)
    self.sub = text(.sub)
    self.aud = try? container.decode(Audience.self, forKey: .aud)
    let times = [CodingKeys.exp, .nbf, .iat].map { key in
      Result { try container.decodeIfPresent(Double.self, forKey: key) }
    }
    self.hasValidTimeTypes = times.allSatisfy { if case .success = $0 { true } else { false } }
    self.exp = try? times[0].get()
    self.nbf = try? times[1].get()
    self.iat = try? times[2].get()
    self.jti = text(.jti)
    self.azp = text(.azp)
    self.nonce = text(.nonce)
    self.htm = text(.htm)
    self.htu = text(.htu)
  }

  /// Parses a token, but does not check its signature. `hasCritical` is whether the header has the `crit` parameter
  /// (RFC 7515 §4.1.11).
  /// - Returns: `nil` if the token is not a JWT.
  static func read(_ token: String) -> (header: Header, claims: TokenClaims, hasCritical: Bool)? {
    struct Critical: Decodable {
      let isPresent: Bool
      init(from decoder: any Decoder) throws {
        enum Name: CodingKey { case crit }
        self.isPresent = try decoder.container(keyedBy: Name.self).contains(.crit)
      }
    }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
      let fields = FuzzJSON.decode(Header.self, header), let critical = FuzzJSON.decode(Critical.self, header),
      let claims = FuzzJSON.decode(TokenClaims.self, payload)
    else { return nil }
    return (fields, claims, critical.isPresent)
  }

  /// Whether `exp`, `nbf`, and `iat` allow the use of the token at ``FuzzKeys/now``. A missing claim sets no limit.
  /// - Parameter leeway: The tolerated clock difference in seconds.
  func isValid(leeway: Double) -> Bool {
    let now = Double(FuzzKeys.now.seconds)
    return self.hasValidTimeTypes && (self.exp ?? .infinity) > now - leeway && (self.nbf ?? 0) <= now + leeway
      && (self.iat ?? 0) <= now + leeway
  }
}

/// Whether two texts have the same bytes. `String` equality treats canonically equivalent text as equal.
func haveSameBytes(_ first: String?, _ second: String) -> Bool {
  first.map { $0.utf8.elementsEqual(second.utf8) } ?? false
}
