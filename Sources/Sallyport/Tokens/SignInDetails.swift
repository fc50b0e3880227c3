package import SallyportProtocol

/// What the client must remember about a sign-in in addition to the scope: values that the response is checked against,
/// and values that are stored with the tokens.
package struct SignInDetails: Sendable {
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

/// The stored form of ``SignInDetails``.
struct SignInDetailsRecord: Codable {
  /// In seconds.
  var maxAge: Int64?
  var requiredACRValues: [String]?
  var resources: [ResourceIndicator]?
  /// Encoded as base64url.
  var dpopKey: String?

  init(_ details: SignInDetails) {
    self.maxAge = details.maxAge?.components.seconds
    self.requiredACRValues = details.requiredACRValues.isEmpty ? nil : details.requiredACRValues
    self.resources = details.resources.isEmpty ? nil : details.resources
    self.dpopKey = details.dpopKey.map { Base64URL.encode($0.reveal()) }
  }

  var details: SignInDetails {
    var details = SignInDetails()
    details.maxAge = self.maxAge.map { .seconds($0) }
    details.requiredACRValues = self.requiredACRValues ?? []
    details.resources = self.resources ?? []
    details.dpopKey = self.dpopKey.flatMap { Base64URL.decode($0) }.map { Secret($0) }
    return details
  }
}
