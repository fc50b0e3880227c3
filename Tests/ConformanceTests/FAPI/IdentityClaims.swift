import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportLanguages
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan, fapi2-message-signing-final-test-plan: the claims parameter")
struct IdentityClaims {
  /// The standard claims of OpenID Connect Core §5.1, except `sub`.
  private static let standard: Set = [
    "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture", "website",
    "email",
    "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number", "phone_number_verified", "address",
    "updated_at",
  ]

  @Test(
    """
    fapi2-security-profile-final-test-claims-parameter-identity-claims: the server returns the requested standard claims that it \
    supports, in the ID token and from userinfo, and ignores unknown claims
    """, arguments: FAPIPlan.allCases)
  func identityClaims(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let metadata = try await site.metadata()
      #expect(metadata.flag("claims_parameter_supported") == true)
      let supported = metadata.strings("claims_supported").filter { Self.standard.contains($0) }
      #expect(supported.count >= 4)
      // Only users who have chosen a language have the claim `locale`.
      _ = try await site.fixture.server.accounts.setLanguage(.english, of: "ada")
      let client = try await FAPIClient.registered(on: site, for: plan)
      let request = client.request.with("scope", "openid").with("claims", try Self.request(for: supported))
      let signIn = try await client.signIn(request)
      let userinfo = try await client.userinfo(signIn.accessToken)
      #expect(userinfo.status == .ok && userinfo.headers[.contentType] == "application/json")
      let object = try #require(JSONSerialization.jsonObject(with: Data(userinfo.body.utf8)) as? [String: Any])
      let idToken = try decodedClaims(of: signIn.idToken.text)
      #expect(object["sub"] as? String == signIn.idToken.sub)
      for (place, claims) in [("id_token", idToken), ("userinfo", object)] {
        #expect(Set(claims.keys).intersection(Self.standard) == Set(supported), "\(place)")
        #expect(!claims.keys.contains { $0.hasPrefix("unknown") }, "\(place)")
        #expect(claims["name"] as? String == "Ada" && claims["email"] as? String == "ada@example.com", "\(place)")
      }
    }
  }

  /// Returns a `claims` parameter that requests each claim in one of the forms of OpenID Connect Core §5.5.1, and also
  /// contains unknown claims and members.
  private static func request(for names: [String]) throws -> String {
    let forms: [JSONValue] = [.null, ["essential": true], ["essential": false], ["unknown": 1]]
    var members: [String: JSONValue] = ["unknown1": .null, "unknown2": ["essential": false, "value": "x"]]
    for (index, name) in names.enumerated() { members[name] = forms[index % forms.count] }
    let claims: JSONValue = ["id_token": .object(members), "userinfo": .object(members), "unknown3": ["name": .null]]
    return String(decoding: try JSONEncoder().encode(claims), as: UTF8.self)
  }
}
