import Sallyport
import SallyportProtocol
import TestSupport

extension Fault {
  /// Faults of servers that bind tokens to a key (RFC 9449).
  static let dpop: [Fault] = [
    fault("A request for a nonce", "RFC 9449 §8", .accepted("signed in with a second proof", signedIn)) {
      $0.tokenErrorResponses = [.nonceRequired("nonce-1")]
    },
    fault("A request for a new nonce after every proof", "RFC 9449 §8", nonceRefused) {
      $0.tokenErrorResponses = (1...5).map { .nonceRequired("nonce-\($0)") }
    },
    fault("A bearer token in response to a proof", "RFC 9449 §5", .accepted("signed in with a bearer token", signedIn)) {
      // Leaves the token response unchanged, with the type `Bearer`.
      $0.tokens = { _ in nil }
    },
    Fault("A DPoP token although no proof was sent", "RFC 9449 §5", .refused(.tokenResponse(.tokenTypeNotSupported))) {
      $0.tokens = { body in
        body["token_type"] = "DPoP"
        return nil
      }
    },
  ]

  /// Whether the session has the access token, bound to a key or not.
  private static let signedIn: @Sendable (OAuthSession) async throws -> Bool = {
    try await $0.anyAccessToken().reveal() == "access-1"
  }

  private static let nonceRefused = Outcome.refusedMatching("the server's error (use_dpop_nonce)") { error in
    guard case .refused(let errorResponse) = error else { return false }
    return errorResponse.code == .useDPoPNonce
  }

  /// Returns a fault of a server that supports DPoP, and that binds its tokens to a key unless `change` prevents that.
  private static func fault(
    _ summary: String, _ rule: String, _ outcome: Outcome, _ change: @escaping (inout Behavior) -> Void
  ) -> Fault {
    Fault(summary, rule, outcome) { behavior in
      behavior.metadata = { document, _ in
        document["dpop_signing_alg_values_supported"] = ["ES256"]
        return nil
      }
      behavior.tokens = { body in
        body["token_type"] = "DPoP"
        return nil
      }
      change(&behavior)
    }
  }
}
