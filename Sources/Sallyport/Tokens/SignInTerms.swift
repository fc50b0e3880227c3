package import SallyportProtocol

/// The properties of a sign-in, other than its scope, that it must remember to check the response or to store with the
/// tokens.
package struct SignInTerms: Sendable {
  /// The maximum time since the user authenticated (OpenID Connect Core §3.1.2.1).
  package var maxAge: Duration?
  /// The acceptable authentication context classes; one of them is required. Empty if none is required.
  package var requiredACRValues: [String] = []
  /// The APIs that the tokens are for (RFC 8707).
  package var resources: [ResourceIndicator] = []
  /// The ``DPoPKey/storedForm`` of the key, or `nil` if the tokens are not bound.
  package var dpopKey: Secret<[UInt8]>?

  package init() {}
}

/// The stored form of ``SignInTerms``.
struct SignInTermsRecord: Codable {
  /// In seconds.
  var maxAge: Int64?
  var requiredACRValues: [String]?
  var resources: [ResourceIndicator]?
  /// Encoded as base64url.
  var dpopKey: String?

  init(_ terms: SignInTerms) {
    self.maxAge = terms.maxAge?.components.seconds
    self.requiredACRValues = terms.requiredACRValues.isEmpty ? nil : terms.requiredACRValues
    self.resources = terms.resources.isEmpty ? nil : terms.resources
    self.dpopKey = terms.dpopKey.map { Base64URL.encode($0.reveal()) }
  }

  var terms: SignInTerms {
    var terms = SignInTerms()
    terms.maxAge = self.maxAge.map { .seconds($0) }
    terms.requiredACRValues = self.requiredACRValues ?? []
    terms.resources = self.resources ?? []
    terms.dpopKey = self.dpopKey.flatMap { Base64URL.decode($0) }.map { Secret($0) }
    return terms
  }
}
