import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport

extension Fault {
  /// Faults in the metadata document (RFC 8414).
  static let metadata: [Fault] = [
    metadata("Another server's issuer", "RFC 8414 §3.3", .issuerMismatch(found: "https://evil.example")) {
      $0["issuer"] = "https://evil.example"
    },
    Fault("The issuer with an extra trailing slash", "RFC 8414 §3.3", otherIssuer) { behavior in
      behavior.metadata = { document, origin in
        document["issuer"] = .string("\(origin)/")
        return nil
      }
    },
    metadata("No issuer", "RFC 8414 §2", .document(.malformed)) { $0["issuer"] = nil },
    metadata("No authorization endpoint", "RFC 8414 §2", .missing(.authorization)) { $0["authorization_endpoint"] = nil },
    metadata("No token endpoint", "RFC 8414 §2", .missing(.token)) { $0["token_endpoint"] = nil },
    metadata("A token endpoint with http", "RFC 8252 §8.3, RFC 6749 §3.2", .downgrade(.token)) {
      $0["token_endpoint"] = "http://localhost/token"
    },
    metadata("A key set with http", "RFC 9700 §2.6", .downgrade(.jwks)) { $0["jwks_uri"] = "http://localhost/jwks" },
    metadata("An authorization endpoint with a javascript: URL", "rule C-25", .endpoint(.authorization, .malformed)) {
      $0["authorization_endpoint"] = "javascript:alert(1)"
    },
    metadata("An authorization endpoint with a file: URL", "rule C-25", .endpoint(.authorization, .malformed)) {
      $0["authorization_endpoint"] = "file:///etc/passwd"
    },
    metadata("Code challenge methods without S256", "RFC 7636 §4.2", .s256NotSupported) {
      $0["code_challenge_methods_supported"] = ["plain"]
    },
    metadata("Response types without code", "RFC 8252 §8.2", .codeNotSupported) {
      $0["response_types_supported"] = ["id_token", "token"]
    },
    // Only redirects to the same origin are followed, because the document then still comes from the issuer. At most
    // three redirects are followed.
    response("A redirect to another origin", "RFC 8414 §3.2", .refused(.discovery(.document(.redirected)))) {
      .redirect(to: "\($0.replacing("https://", with: "http://"))/stolen")
    },
    response("A redirect to itself", "RFC 8414 §3.2", .refused(.discovery(.document(.redirected)))) {
      .redirect(to: "\($0)/.well-known/openid-configuration")
    },
    response("An HTML page instead of the document", "RFC 8414 §3.2", .refused(.discovery(.document(.notJSON)))) { _ in
      .text("<html></html>", type: "text/html")
    },
    response("An incomplete document", "RFC 8414 §3.2", .refused(.discovery(.document(.malformed)))) { _ in .text("{\"issuer\":")
    },
    response(
      "A document that exceeds the size limit", "size and time limits", .refused(.discovery(.document(.transport(.bodyTooLarge))))
    ) { _ in
      .huge(4 << 20)
    },
    response(
      "A document that is never completed", "size and time limits", .refused(.discovery(.document(.transport(.timedOut)))),
      isSlow: true
    ) { _ in .stalled },
  ]

  private static let otherIssuer = Outcome.refusedMatching(
    "server metadata: \"issuer\" is not the issuer that the client expects (RFC 8414 §3.3)"
  ) {
    error in
    if case .discovery(.issuerMismatch) = error { true } else { false }
  }

  private static func metadata(
    _ summary: String, _ rule: String, _ error: DiscoveryError, _ change: @escaping @Sendable (inout JSONValue) -> Void
  ) -> Fault {
    Fault(summary, rule, .refused(.discovery(error))) { behavior in
      behavior.metadata = { document, _ in
        change(&document)
        // With nil, the server sends the changed document.
        return nil
      }
    }
  }

  /// - Parameter response: Returns the response that replaces the document. The argument is the server's origin.
  private static func response(
    _ summary: String, _ rule: String, _ outcome: Outcome, isSlow: Bool = false,
    _ response: @escaping @Sendable (String) -> ServerResponse
  ) -> Fault {
    Fault(summary, rule, outcome, isSlow: isSlow) { behavior in behavior.metadata = { _, origin in response(origin) } }
  }
}
