import HTTPTestSupport
import SallyportProtocol
import TestSupport

extension RelyingParty {
  /// The claims that a valid request object contains besides the parameters of the authorization request, including the
  /// times that FAPI 2.0 Message Signing requires.
  var objectClaims: [String: JSONValue] {
    [
      "iss": .string(self.id), "client_id": .string(self.id), "aud": .string(self.site.issuer.value),
      "nbf": .integer(self.site.now), "exp": .integer(self.site.now + 300),
    ]
  }
}
