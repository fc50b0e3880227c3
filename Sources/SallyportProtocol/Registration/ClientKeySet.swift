/// The `jwks` of a client: a JWK Set of public keys (RFC 7591 §2, RFC 7517 §5).
public struct ClientKeySet: Sendable, Hashable, Codable {
  /// The public keys.
  public var keys: [Key]

  /// Creates a key set.
  /// - Parameter keys: The public keys.
  public init(keys: [Key]) {
    self.keys = keys
  }

  /// The public members of a key (RFC 7517 §4, RFC 7518 §6). A set with a private or symmetric key is rejected as a
  /// whole, so that the sender notices that it has disclosed a secret.
  public struct Key: Sendable, Hashable, Codable {
    public var kty: String
    public var kid: String?
    public var use: String?
    public var alg: String?
    public var crv: String?
    public var x: String?
    public var y: String?
    public var n: String?
    public var e: String?

    /// Creates a P-256 key that verifies `ES256` signatures.
    /// - Parameter es256: The coordinate x, followed by the coordinate y, with 32 bytes each.
    package init(es256 point: some Collection<UInt8>, id: String) {
      self.kty = "EC"
      self.kid = id
      self.use = "sig"
      self.alg = "ES256"
      self.crv = "P-256"
      self.x = Base64URL.encode(point.prefix(32))
      self.y = Base64URL.encode(point.dropFirst(32))
    }

    private enum PrivateMember: String, CodingKey, CaseIterable {
      case d, p, q, dp, dq, qi, oth, k
    }

    private enum CodingKeys: String, CodingKey {
      case kty, kid, use, alg, crv, x, y, n, e
    }

    public init(from decoder: any Decoder) throws {
      let privateMembers = try decoder.container(keyedBy: PrivateMember.self)
      guard !PrivateMember.allCases.contains(where: privateMembers.contains) else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "a private or symmetric key"))
      }
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.kty = try container.decode(String.self, forKey: .kty)
      self.kid = try container.decodeIfPresent(String.self, forKey: .kid)
      self.use = try container.decodeIfPresent(String.self, forKey: .use)
      self.alg = try container.decodeIfPresent(String.self, forKey: .alg)
      self.crv = try container.decodeIfPresent(String.self, forKey: .crv)
      self.x = try container.decodeIfPresent(String.self, forKey: .x)
      self.y = try container.decodeIfPresent(String.self, forKey: .y)
      self.n = try container.decodeIfPresent(String.self, forKey: .n)
      self.e = try container.decodeIfPresent(String.self, forKey: .e)
    }

    /// Whether the key is asymmetric, and its required members are valid base64url. Also limits the length of the
    /// members. 1,400 characters are enough for an RSA modulus of 8,192 bits.
    var isPlausible: Bool {
      let numbers: [String?]
      switch self.kty {
      case "EC": numbers = [self.x, self.y]
      case "OKP": numbers = [self.x]
      case "RSA": numbers = [self.n, self.e]
      default: return false
      }
      let names = [self.kid, self.use, self.alg, self.crv].compactMap(\.self)
      return names.allSatisfy { $0.utf8.count <= 256 }
        && numbers.allSatisfy { number in
          guard let number, number.utf8.count <= 1400, let bytes = Base64URL.decode(number) else { return false }
          return !bytes.isEmpty
        }
    }
  }
}
