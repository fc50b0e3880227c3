import HTTPTestSupport
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

extension BasicPlan {
  @Suite(
    """
    oidcc-basic-certification-test-plan, oidcc-formpost-basic-certification-test-plan, oidcc-dynamic-certification-test-plan: \
    request objects by value
    """)
  struct RequestObjects {
    /// Returns an unsigned request object with the parameters of the client's authorization request.
    private func unsigned(_ party: RelyingParty) throws -> String {
      try jwt(.none(id: nil), party.request.list.reduce(into: [:]) { $0[$1.name] = .string($1.value) })
    }

    @Test(
      """
      oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: \
      an unsigned request object is rejected with request_not_supported, and not ignored
      """, arguments: ResponseMode.allCases)
    func unsignedRequestObject(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site).receiving(by: mode)
        let request = party.request.with("request", try self.unsigned(party))
        try party.expectError(try await party.browser().authorize(request), "request_not_supported", request)
        #expect(!(try await site.metadata()).strings("request_object_signing_alg_values_supported").contains("none"))
      }
    }

    @Test(
      """
      oidcc-ensure-request-object-with-redirect-uri: the redirect URI of a signed request object is used, not the one in the query; \
      if the object is rejected, an unregistered redirect URI gets an error page
      """, arguments: ResponseMode.allCases)
    func redirectURIInObject(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site).receiving(by: mode)
        let unregistered = party.request.with("redirect_uri", "https://web.example/other")
        expectErrorPage(try await party.browser().authorize(unregistered.with("request", try self.unsigned(party))))

        let key = TestSigningKey.es256(id: "1")
        let signer = try await RelyingParty.registered(on: site, key: key).receiving(by: mode)
        let claims = signer.request.list.reduce(into: signer.objectClaims) { $0[$1.name] = .string($1.value) }
        let request = signer.request.with("redirect_uri", "https://rp.example/other").with("request", try jwt(key, claims))
        try await signer.signIn(request)
      }
    }
  }
}
