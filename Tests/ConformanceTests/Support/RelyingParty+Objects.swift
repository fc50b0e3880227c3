import HTTPTestSupport
import SallyportProtocol
import TestSupport

extension RelyingParty {
  /// The claims of a valid request object to which a test adds the parameters of the authorization request. They
  /// include the times that FAPI 2.0 Message Signing requires.
  var objectClaims: [String: JSONValue] {
    [
      "iss": .string(self.id), "client_id": .string(self.id), "aud": .string(self.site.issuer.value),
      "nbf": .integer(self.site.now), "exp": .integer(self.site.now + 300),
    ]
  }
}
