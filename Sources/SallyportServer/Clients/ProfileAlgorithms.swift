import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// FAPI 2.0 Security Profile §5.4.1: what a client that keeps the profile signs, and what is signed for it, is signed by `PS256`, `ES256`
/// or `EdDSA`.
enum ProfileAlgorithms {
  static func contain(_ algorithm: String) -> Bool {
    self.all.contains(algorithm)
  }

  static var all: [String] { ["PS256", "ES256", "EdDSA"] }

  /// The first member of a registration, by its name in RFC 7591 and its kin, that has another algorithm. Pure.
  ///
  /// Keys at a `jwks_uri` may be any: what they sign is looked at when it comes.
  static func offence(of client: ClientRecord) -> String? {
    let details = client.details
    var named: [(member: String, algorithm: String?)] = []
    if client.keepsSecurityProfile {
      named = [
        ("id_token_signed_response_alg", client.signingAlgorithm), ("userinfo_signed_response_alg", details.userinfoAlgorithm),
        ("token_endpoint_auth_signing_alg", details.assertionAlgorithm),
      ]
    }
    if client.keepsSecurityProfile || client.keepsMessageSigning {
      named.append(("request_object_signing_alg", details.requestObjectAlgorithm))
    }
    if let offence = named.first(where: { $0.algorithm.map { !self.contain($0) } ?? false }) { return offence.member }
    return client.keepsSecurityProfile && self.haveOthers(client.keys) ? "jwks" : nil
  }

  /// Whether a key says that it is for signatures by another algorithm.
  private static func haveOthers(_ keys: ClientKeys?) -> Bool {
    guard case .inline(let text)? = keys, let set = try? JSONDecoder().decode(ClientKeySet.self, from: Data(text.utf8)) else {
      return false
    }
    return set.keys.contains { key in
      key.alg.map { SignatureAlgorithm(rawValue: $0) != nil && !self.contain($0) } ?? false
    }
  }
}
