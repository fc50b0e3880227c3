package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The client credentials in a request to the token endpoint or another endpoint for clients (RFC 6749 §2.3).
package struct PresentedCredentials: Sendable {
  /// How the client authenticates.
  package enum Proof: Sendable {
    case none
    case basic(Secret<String>)
    case post(Secret<String>)
    /// A client assertion (RFC 7523 §2.2), which is parsed but not yet verified.
    case assertion(ClientAssertion)
  }

  package let clientID: ClientID
  package let proof: Proof

  private static var assertionType: String { "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" }

  /// Parses the Authorization header and the form.
  ///
  /// Some libraries send `Basic client_id:` with an empty secret for a public client. This counts as no authentication.
  /// - Throws: ``ClientAuthenticationError`` if the credentials are malformed, or if the request uses more than one
  ///   method or does not identify a client.
  package init(authorization header: String?, form: FormParameters) throws(ClientAuthenticationError) {
    var basic: (id: String, secret: String)?
    if let header {
      basic = Self.basic(header)
      if basic == nil { throw .authorizationMalformed }
    }
    try Self.checkOneMethod(header: header, form: form)
    if let (id, secret) = basic {
      guard form["client_id"].map({ $0.utf8.elementsEqual(id.utf8) }) ?? true else { throw .clientIDMismatch }
      self.init(id, secret.isEmpty ? .none : .basic(Secret(secret)))
    } else if let assertion = try Self.assertion(form) {
      self.init(assertion.clientID, .assertion(assertion))
    } else {
      guard let id = form["client_id"] else { throw .clientMissing }
      self.init(id, form["client_secret"].map { .post(Secret($0)) } ?? .none)
    }
  }

  private init(_ clientID: String, _ proof: Proof) {
    self.clientID = ClientID(rawValue: clientID)
    self.proof = proof
  }

  /// RFC 6749 §2.3: a request must not use more than one method.
  static func checkOneMethod(header: String?, form: FormParameters) throws(ClientAuthenticationError) {
    let methods = [header != nil, form["client_secret"] != nil, form["client_assertion"] != nil]
    guard methods.count(where: { $0 }) <= 1 else { throw .severalMethods }
  }

  /// Decodes Basic credentials. The client ID and the secret are form-encoded before they are joined (RFC 6749 §2.3.1).
  /// - Returns: Nil if the header is malformed, or has another scheme.
  private static func basic(_ header: String) -> (id: String, secret: String)? {
    // The scheme is case-insensitive: `| 0x20` converts a letter to lowercase.
    let (scheme, space) = (header.utf8.prefix(5), header.utf8.dropFirst(5).first)
    guard space == UInt8(ascii: " "), zip(scheme, "basic".utf8).allSatisfy({ $0 | 0x20 == $1 }),
      let data = Data(base64Encoded: String(Substring(header.utf8.dropFirst(6).drop { $0 == UInt8(ascii: " ") })))
    else { return nil }
    return data.withUnsafeBytes { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self)
      guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
        let id = PercentEncoding.decodeForm(UnsafeBufferPointer(rebasing: bytes[..<colon])), !id.isEmpty,
        let secret = PercentEncoding.decodeForm(UnsafeBufferPointer(rebasing: bytes[(colon + 1)...]))
      else { return nil }
      return (id, secret)
    }
  }

  /// Parses the client assertion; nil if the form has no assertion. If the form has a `client_id`, it must be the `sub`
  /// of the assertion (RFC 7521 §4.2).
  private static func assertion(_ form: FormParameters) throws(ClientAuthenticationError) -> ClientAssertion? {
    guard let text = form["client_assertion"] else { return nil }
    guard form["client_assertion_type"] == self.assertionType else { throw .assertion(.type) }
    let assertion: ClientAssertion
    do { assertion = try ClientAssertion(text) } catch { throw .assertion(error) }
    guard form["client_id"].map({ $0.utf8.elementsEqual(assertion.clientID.utf8) }) ?? true else {
      throw .assertion(.subject)
    }
    return assertion
  }
}
