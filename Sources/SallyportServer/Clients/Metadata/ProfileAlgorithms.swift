import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The algorithms that FAPI 2.0 Security Profile §5.4.1 allows, both for what a client signs and for what the server
/// signs for it.
enum ProfileAlgorithms {
  static func allows(_ algorithm: String) -> Bool {
    self.all.contains(algorithm)
  }

  static var all: [String] { ["PS256", "ES256", "EdDSA"] }

  /// Returns the name of the first member of the client's metadata with an algorithm that is not allowed; nil if all are
  /// allowed.
  ///
  /// Keys at a `jwks_uri` are not checked here. The algorithm of each signature made with them is checked when the
  /// signature is verified.
  static func violation(of client: ClientRecord) -> String? {
    let details = client.details
    var named: [(member: String, algorithm: String?)] = []
    if client.usesSecurityProfile {
      named = [
        ("id_token_signed_response_alg", client.signingAlgorithm), ("userinfo_signed_response_alg", details.userinfoAlgorithm),
        ("token_endpoint_auth_signing_alg", details.assertionAlgorithm),
      ]
    }
    if client.usesSecurityProfile || client.usesMessageSigning {
      named.append(("request_object_signing_alg", details.requestObjectAlgorithm))
    }
    if let violation = named.first(where: { $0.algorithm.map { !self.allows($0) } ?? false }) { return violation.member }
    return client.usesSecurityProfile && self.hasDisallowedAlgorithm(client.keys) ? "jwks" : nil
  }

  /// Whether the key set contains a key for a signature algorithm that is not allowed.
  private static func hasDisallowedAlgorithm(_ keys: ClientKeys?) -> Bool {
    guard case .inline(let text)? = keys, let set = try? JSONDecoder().decode(ClientKeySet.self, from: Data(text.utf8)) else {
      return false
    }
    return set.keys.contains { key in
      key.alg.map { SignatureAlgorithm(rawValue: $0) != nil && !self.allows($0) } ?? false
    }
  }
}
