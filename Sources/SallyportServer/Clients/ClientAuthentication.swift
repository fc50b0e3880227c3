package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a request to the token endpoint presents about its client, RFC 6749 §2.3.
package struct PresentedCredentials: Sendable {
  package let clientID: ClientID
  package let secret: Secret<String>?
  package let usedAuthorizationHeader: Bool

  /// Reads the Authorization header and the form.
  ///
  /// `Basic client_id:` with an empty secret is how some libraries say "public client", and is taken so.
  /// - Throws: ``TokenError`` with `invalid_request` where more than one method is used, or `invalid_client` for none.
  package init(authorization header: String?, form: FormParameters) throws(TokenError) {
    guard let header else {
      guard let id = form["client_id"] else { throw TokenError(.invalidClient, .clientMissing) }
      self.init(clientID: id, secret: form["client_secret"], header: false)
      return
    }
    guard let (id, secret) = Self.basic(header) else { throw TokenError(.invalidClient, .authorizationMalformed) }
    guard form["client_secret"] == nil, form["client_id"].map({ $0 == id }) ?? true else {
      throw TokenError(.invalidRequest, .severalAuthenticationMethods)
    }
    self.init(clientID: id, secret: secret.isEmpty ? nil : secret, header: true)
  }

  private init(clientID: String, secret: String?, header: Bool) {
    self.clientID = ClientID(rawValue: clientID)
    self.secret = secret.map { Secret($0) }
    self.usedAuthorizationHeader = header
  }

  /// RFC 6749 §2.3.1: both halves are form-encoded before they are put together.
  private static func basic(_ header: String) -> (id: String, secret: String)? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])) else { return nil }
    let halves = data.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, let id = PercentEncoding.decodeForm(halves[0]), let secret = PercentEncoding.decodeForm(halves[1]),
      !id.isEmpty
    else { return nil }
    return (id, secret)
  }
}

/// A client whose credentials, if it has any, were checked. Only ``ClientAuthenticator`` makes one.
package struct AuthenticatedClient: Sendable {
  package let record: ClientRecord

  fileprivate init(_ record: ClientRecord) {
    self.record = record
  }
}

/// Tells who calls the token endpoint.
package struct ClientAuthenticator<S: Store>: Sendable {
  let cache: ConfigurationCache<S>

  package func authenticate(_ presented: PresentedCredentials) async throws(TokenError) -> AuthenticatedClient {
    let record: ClientRecord?
    do { record = try await self.cache.client(presented.clientID) } catch { throw TokenError(storage: error) }
    guard let record else { throw TokenError(.invalidClient, .clientUnknown) }
    try Self.check(presented.secret, of: record)
    return AuthenticatedClient(record)
  }

  /// A public client proves nothing and needs nothing; a secret that it presents all the same must be the one it has.
  static func check(_ secret: Secret<String>?, of client: ClientRecord) throws(TokenError) {
    guard let secret else {
      if client.isConfidential { throw TokenError(.invalidClient, .secretMissing) }
      return
    }
    guard let expected = client.secretFingerprint, constantTimeEqual(Fingerprint(of: secret).bytes, expected.bytes) else {
      throw TokenError(.invalidClient, .secretWrong)
    }
  }
}
