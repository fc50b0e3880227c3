import HTTPTestSupport
import SallyportProtocol
import TestSupport

extension RelyingParty {
  /// The claims of a valid request object that are not parameters of the request. They include the times that FAPI 2.0
  /// Message Signing requires.
  var objectClaims: [String: JSONValue] {
    [
      "iss": .string(self.id), "client_id": .string(self.id), "aud": .string(self.site.issuer.value),
      "nbf": .integer(self.site.now), "exp": .integer(self.site.now + 300),
    ]
  }
}
