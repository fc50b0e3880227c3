package import SallyportProtocol

/// The pushed authorization request endpoint (RFC 9126 §2).
package struct PushedRequestEndpoint: Sendable {
  let requests: ClientRequests
  let parser: AuthorizationRequestParser
  let pushedRequests: PushedRequests
  let interactions: Interactions
  let lifetimes: Lifetimes

  /// The parameters that authenticate the client. They are not part of the authorization request.
  private static var credentials: Set<String> { ["client_secret", "client_assertion", "client_assertion_type"] }

  /// Responds to a request. For the parameters, see ``TokenEndpoint/respond(to:authorization:proofs:origin:from:)``.
  package func respond(
    to body: String, authorization: String?, proofs: [String] = [], origin: AuditOrigin, from address: ClientAddress
  ) async throws(PushedRequestError) -> PushedResponseJSON {
    let request: ClientRequest
    do {
      request = try await self.requests.receive(
        FormParameters(clientRequest: body), authorization: authorization, proofs: proofs, at: EndpointPath.pushedRequest,
        origin: origin, from: address)
    } catch { throw .request(error) }
    let client = request.client.record
    // RFC 9126 §2.1: `request_uri` must not be pushed.
    guard request.form["request_uri"] == nil else { throw .requestURI }
    // The form may lack `client_id`, for example if the client authenticates with a header. If the form contains it,
    // `FormParameters` keeps only the first of the two equal values.
    let parameters = FormParameters(
      [("client_id", client.id.rawValue)] + request.form.all.filter { !Self.credentials.contains($0.name) },
      repeatable: ResourceIndicators.repeatableNames)
    let validated: ValidatedAuthorizationRequest
    do {
      validated = try await self.parser.parsePushed(parameters, of: client, from: address)
      // Checks that the URLs of the sign-in pages can contain the request.
      _ = try self.interactions.seal(self.interactions.begin(validated))
    } catch {
      throw PushedRequestError(error)
    }
    let form = try Self.bindToKey(validated.form, request.proof?.jkt)
    let uri: String
    do { uri = try await self.pushedRequests.save(form, of: request.client, request.proof, from: address) } catch {
      throw PushedRequestError(error)
    }
    return PushedResponseJSON(requestURI: uri, expiresIn: Int(self.lifetimes.pushedRequest.components.seconds))
  }

  /// RFC 9449 §10.1: if the request has a DPoP proof, the code is bound to the proof's key. A `dpop_jkt` in the request
  /// must then name the same key.
  private static func bindToKey(_ form: FormParameters, _ jkt: String?) throws(PushedRequestError) -> FormParameters {
    guard let jkt else { return form }
    if let named = form["dpop_jkt"], named != jkt { throw .keyMismatch }
    return FormParameters([("dpop_jkt", jkt)] + form.all, repeatable: ResourceIndicators.repeatableNames)
  }
}
