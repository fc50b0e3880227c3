import SallyportProtocol
import SallyportServer

/// Properties of the parser of authorization requests.
enum AuthorizationRequestProperties {
  /// - Returns: Whether the request was accepted.
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let text = String(validating: input, as: UTF8.self), let fixture = FuzzServer.shared else { return false }
    let form = try? FormParameters(parsing: text, repeatable: ["resource"])
    switch await self.begin(text, fixture) {
    case .success(.signIn(let interaction)):
      let form = try require(form, "an accepted request repeats no parameter except resource")
      // `RequestObjectProperties` checks request objects.
      if form["request"] == nil { try self.checkAccepted(interaction, form) }
      return true
    case .success: throw Violation(of: "without a session, the next step is sign-in")
    case .failure(.page): break
    case .failure(.redirect(let redirect, let code, let reason)):
      try self.checkRedirect(redirect.response(error: code, reason: reason, issuer: fixture.server.configuration.issuer))
      // The requested redirect URI is unknown here if it is in a request object, or if the form is invalid.
      let requested = form?["redirect_uri"]
      try require(
        form?["request"] != nil || form == nil || haveSameBytes(requested, redirect.redirectURI.value),
        "S-08: the response goes to the requested redirect URI")
    }
    return false
  }

  static func begin(
    _ text: String, _ fixture: FuzzServer
  ) async -> Result<AuthorizationFlow.Step, AuthorizeError> {
    do throws(AuthorizeError) {
      return .success(try await fixture.server.authorization.begin(text, cookie: nil, origin: .request("fuzz", from: nil)))
    } catch {
      return .failure(error)
    }
  }

  static func checkAccepted(_ interaction: Interaction, _ form: FormParameters) throws(Violation) {
    let client = interaction.redirect.client
    try require(haveSameBytes(form["client_id"], client.id.rawValue), "the client is the request's client_id")
    try require(
      haveSameBytes(form["redirect_uri"], interaction.redirect.redirectURI.value),
      "S-08: the redirect URI is the request's redirect_uri")
    try require(haveSameBytes(form["response_type"], "code"), "only the code flow is accepted")
    try require(form["request_uri"] == nil, "a request with a request_uri that was not pushed is rejected")
    let lacksChallenge = interaction.parameters.challenge == nil
    try require(
      !lacksChallenge || (client.isConfidential && form["code_challenge"] == nil),
      "S-02: PKCE is used if the client is public or if the request has a challenge")
    try require(lacksChallenge || haveSameBytes(form["code_challenge_method"], "S256"), "S-04: the challenge method is S256")
    try require(client.scope.contains(interaction.parameters.scope), "the scope is limited to the client's scope")
    if let maxAge = form["max_age"] {
      try require(maxAge.utf8.allSatisfy { (0x30...0x39).contains($0) }, "max_age is a number of seconds")
      try require((0...2_147_483_647).contains(interaction.parameters.maxAge ?? -1), "max_age is not negative and not too large")
    }
    try require(!interaction.parameters.prompt.contains(.none), "a request with prompt=none does not show a page")
    try require(interaction.parameters.jkt.map { $0.utf8.count == 43 } ?? true, "dpop_jkt is as long as a SHA-256 thumbprint")
    for resource in interaction.parameters.resources {
      try require((try? EndpointURL(resource)) != nil, "a resource uses https, or http on loopback")
    }
  }

  /// RFC 6749 §4.1.2.1 and rule S-31: without an interaction with the user, an error response goes only to a registered
  /// redirect URI of a client that an operator added.
  static func checkRedirect(_ response: AuthorizationResponse) throws(Violation) {
    let redirect = response.redirect
    try require(
      redirect.client.origin == .operator, "S-31: users are redirected without interaction only to clients that an operator added"
    )
    let isRegistered = redirect.client.redirectURIs.contains { $0.matches(requested: redirect.redirectURI) }
    try require(isRegistered, "S-08: a response goes to a registered redirect URI")
    let location = response.location.reveal()
    try require(location.utf8.starts(with: redirect.redirectURI.value.utf8), "a response goes to the redirect URI as written")
    let query = URIComponents(location)?.query ?? ""
    let form = try? FormParameters(parsing: query)
    try require(form?["error"] != nil && form?["code"] == nil, "an error response has an error and no code")
    try require(haveSameBytes(form?["iss"], FuzzServer.issuer), "S-21: a response contains iss")
    try require(redirect.state.map { haveSameBytes(form?["state"], $0) } ?? true, "the state is returned unchanged")
  }
}
