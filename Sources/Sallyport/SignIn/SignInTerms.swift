package import SallyportProtocol

/// What a sign-in asked for beside its scope, and must be held against the answer or go with the grant.
package struct SignInTerms: Sendable {
  /// How long ago the person may have authenticated, OpenID Connect Core §3.1.2.1.
  package var maxAge: Duration?
  /// Of which classes of authentication the person's must be; empty where any will do.
  package var requiredACRValues: [String] = []
  /// The APIs that the tokens are for, RFC 8707.
  package var resources: [ResourceIndicator] = []
  /// ``DPoPKey/storedForm``; nil where the tokens are not bound.
  package var dpopKey: Secret<[UInt8]>?

  package init() {}
}

/// How ``SignInTerms`` are written down, sealed with the rest of a sign-in that waits.
struct SignInTermsRecord: Codable {
  /// In seconds.
  var maxAge: Int64?
  var requiredACRValues: [String]?
  var resources: [ResourceIndicator]?
  /// In base64url.
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
