import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The signature algorithms that FAPI 2.0 Security Profile §5.4.1 allows, for signatures of clients and for ID tokens
/// and other responses that the server signs.
enum FAPIAlgorithms {
  static func allows(_ algorithm: String) -> Bool {
    self.all.contains(algorithm)
  }

  static var all: [String] { ["PS256", "ES256", "EdDSA"] }

  /// Returns the name of the first member of a client's metadata that specifies a disallowed algorithm; nil if no
  /// member does. A client that uses neither the FAPI security profile nor FAPI message signing may use every supported
  /// algorithm.
  ///
  /// This function does not check the keys at a `jwks_uri`, because these keys can change. For them, the server checks
  /// the algorithm whenever it verifies a signature.
  static func violation(of client: ClientRecord) -> String? {
    let details = client.details
    var members: [(name: String, algorithm: String?)] = []
    if client.usesSecurityProfile {
      members = [
        ("id_token_signed_response_alg", client.signingAlgorithm), ("userinfo_signed_response_alg", details.userinfoAlgorithm),
        ("token_endpoint_auth_signing_alg", details.assertionAlgorithm),
      ]
    }
    if client.usesSecurityProfile || client.usesMessageSigning {
      members.append(("request_object_signing_alg", details.requestObjectAlgorithm))
    }
    for member in members {
      if let algorithm = member.algorithm, !self.allows(algorithm) { return member.name }
    }
    return client.usesSecurityProfile && self.hasDisallowedAlgorithm(client.keys) ? "jwks" : nil
  }

  /// Whether an inline key set contains a key for a disallowed signature algorithm. Encryption keys do not count.
  private static func hasDisallowedAlgorithm(_ keys: ClientKeys?) -> Bool {
    guard case .inline(let text)? = keys, let set = try? JSONDecoder().decode(ClientKeySet.self, from: Data(text.utf8)) else {
      return false
    }
    return set.keys.contains { key in
      key.alg.map { SignatureAlgorithm(rawValue: $0) != nil && !self.allows($0) } ?? false
    }
  }
}
