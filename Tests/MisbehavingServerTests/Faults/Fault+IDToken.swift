import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport

extension Fault {
  /// Faults in the ID token (OpenID Connect Core §3.1.3.7) and in the key set that verifies it.
  static let idToken: [Fault] = [
    claims("An ID token of a different issuer", "OpenID Connect Core §3.1.3.7 (2)", .issuerMismatch) {
      $0["iss"] = "https://evil.example"
    },
    claims("An ID token for another client", "OpenID Connect Core §3.1.3.7 (3)", .audienceMismatch) { $0["aud"] = "mail" },
    claims("An ID token without an audience", "OpenID Connect Core §3.1.3.7 (3)", .audienceMismatch) { $0["aud"] = [] },
    claims("Two audiences and no azp", "OpenID Connect Core §3.1.3.7 (4)", .authorizedPartyMissing) {
      $0["aud"] = ["notes", "mail"]
    },
    claims("An azp that names another client", "OpenID Connect Core §3.1.3.7 (5)", .authorizedPartyMismatch) {
      $0["azp"] = "mail"
    },
    claims("An expired ID token", "OpenID Connect Core §3.1.3.7 (9)", .expired) { $0["exp"] = 1_000_000_000 },
    claims("An ID token that was issued in the future", "OpenID Connect Core §3.1.3.7 (10)", .issuedInFuture) {
      $0["iat"] = 9_999_999_999
    },
    claims("A different nonce", "OpenID Connect Core §3.1.3.7 (11)", .nonceMismatch) { $0["nonce"] = "guess" },
    claims("No nonce", "OpenID Connect Core §3.1.3.7 (11)", .nonceMismatch) { $0["nonce"] = nil },
    claims("An at_hash that belongs to another access token", "OpenID Connect Core §3.1.3.8", .accessTokenHashMismatch) {
      $0["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA"
    },
    claims("No sub", "OpenID Connect Core §2", .claimsMalformed) { $0["sub"] = nil },
    claims("An empty sub", "OpenID Connect Core §2", .subjectInvalid) { $0["sub"] = "" },
    token("alg none", "OpenID Connect Core §3.1.3.7 (7)", .algorithmNotAllowed) { $0.key = { .none(id: "es-1") } },
    token("alg HS256", "OpenID Connect Core §3.1.3.7 (7)", .algorithmNotAllowed) {
      $0.key = { .hmac(secret: Array("public".utf8), id: "es-1") }
    },
    token("An algorithm that the server does not announce", "OpenID Connect Core §3.1.3.7 (7)", .algorithmNotAllowed) {
      $0.key = { .es384(id: "es-1") }
    },
    token("Another key with the server's kid", "OpenID Connect Core §3.1.3.7 (6)", .signatureInvalid) {
      $0.key = { .es256(id: "es-1") }
    },
    token("A kid that is not in the key set", "OpenID Connect Core §10.1", .key(.unknownKey)) { $0.header["kid"] = "es-9" },
    token("An unknown critical header parameter", "RFC 7515 §4.1.11", .criticalHeader) {
      $0.header["crit"] = ["evil"]
      $0.header["evil"] = true
    },
    token("A signature with one character changed", "OpenID Connect Core §3.1.3.7 (6)", .signatureInvalid) {
      $0.idToken = { token in
        let parts = token.split(separator: ".")
        let first: Substring = parts[2].first == "A" ? "B" : "A"
        return "\(parts[0]).\(parts[1]).\(first)\(parts[2].dropFirst())"
      }
    },
    token("Five parts instead of three", "RFC 7515 §3.1", .malformed(.notThreeParts)) { $0.idToken = { "\($0).a.b" } },
    keySet("An empty key set", "OpenID Connect Core §10.1", .key(.unknownKey)) { $0["keys"] = [] },
    keySetResponse("An incomplete key set", "RFC 7517 §5", .key(.document(.malformed))) { .text("{\"keys\":") },
    keySetResponse("A redirect instead of the key set", "RFC 9700 §4.12", .key(.document(.redirected))) {
      .redirect(to: "/stolen")
    },
    keySetResponse("A key set that exceeds the size limit", "size and time limits", .key(.document(.transport(.bodyTooLarge)))) {
      .huge(4 << 20)
    },
  ]

  /// Faults in the UserInfo response (OpenID Connect Core §5.3): the sign-in succeeds, and the response is rejected.
  static let userinfo: [Fault] = [
    userinfo("Userinfo about a different user", "OpenID Connect Core §5.3.2", .subjectMismatch) {
      $0["sub"] = "eve"
      return nil
    },
    userinfo("Userinfo without a sub", "OpenID Connect Core §5.3.2", .malformed) {
      $0["sub"] = nil
      return nil
    },
    userinfo("A redirect from userinfo", "RFC 9700 §4.12", .unexpectedStatus(302)) { _ in .redirect(to: "/stolen") },
  ]

  private static func claims(
    _ summary: String, _ rule: String, _ error: IDTokenError, _ change: @escaping @Sendable (inout JSONValue) -> Void
  ) -> Fault {
    self.token(summary, rule, error) { $0.claims = change }
  }

  private static func token(
    _ summary: String, _ rule: String, _ error: IDTokenError, _ change: (inout Behavior) -> Void
  ) -> Fault {
    Fault(summary, rule, .refused(.idToken(error)), change)
  }

  /// - Parameter change: Changes the key set that the server sends.
  private static func keySet(
    _ summary: String, _ rule: String, _ error: IDTokenError, _ change: @escaping @Sendable (inout JSONValue) -> Void
  ) -> Fault {
    self.token(summary, rule, error) { behavior in
      behavior.keySet = { keys in
        change(&keys)
        return nil
      }
    }
  }

  private static func keySetResponse(
    _ summary: String, _ rule: String, _ error: IDTokenError, _ response: @escaping @Sendable () -> ServerResponse
  ) -> Fault {
    self.token(summary, rule, error) { behavior in behavior.keySet = { _ in response() } }
  }

  /// - Parameter change: Changes the claims that the server sends. If `change` returns a response, the server sends
  ///   this response instead of the claims.
  private static func userinfo(
    _ summary: String, _ rule: String, _ expected: UserInfoError,
    _ change: @escaping @Sendable (inout JSONValue) -> ServerResponse?
  ) -> Fault {
    let outcome = Outcome.accepted("signed in; `userInfo()` throws `userInfo(\(expected))`") { session in
      do throws(SessionError) {
        _ = try await session.userInfo()
        return false
      } catch {
        return error == .userInfo(expected)
      }
    }
    return Fault(summary, rule, outcome) { $0.userinfo = change }
  }
}
