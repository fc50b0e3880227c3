import SallyportProtocol

/// A request from an authenticated client. If the request has a DPoP proof, the proof is valid, but an earlier request
/// may have used the same proof.
struct ClientRequest: Sendable {
  let form: FormParameters
  let client: AuthenticatedClient
  /// The DPoP proof. When the endpoint acts on the request, it consumes the proof: it rejects a proof that was used
  /// before, and records this proof as used.
  let proof: UnusedDPoPProof?
  let origin: AuditOrigin
  let address: ClientAddress
}

/// Authenticates the clients that call the token endpoint or another endpoint for clients, and checks their DPoP
/// proofs.
struct ClientRequests: Sendable {
  let authenticator: ClientAuthenticator
  let proofs: DPoPVerifier

  /// - Parameters:
  ///   - authorization: The value of the `Authorization` header field.
  ///   - proofs: The values of the `DPoP` header fields.
  ///   - endpoint: The path of the endpoint, relative to the issuer.
  ///   - address: The client address of the request.
  func receive(
    _ form: FormParameters, authorization: String?, proofs: [String] = [], at endpoint: String, origin: AuditOrigin,
    from address: ClientAddress
  ) async throws(ClientRequestError) -> ClientRequest {
    let client: AuthenticatedClient
    do {
      client = try await self.authenticator.authenticate(
        form, authorization: authorization, at: endpoint, origin: origin, from: address)
    } catch { throw ClientRequestError(error) }
    do throws(DPoPError) {
      let proof = try self.proofs.check(proofs, at: endpoint)
      return ClientRequest(form: form, client: client, proof: proof, origin: origin, address: address)
    } catch { throw ClientRequestError(error) }
  }
}

extension FormParameters {
  /// Parses the form of a request to the token endpoint, or to another endpoint for clients.
  init(clientRequest body: String) throws(ClientRequestError) {
    do throws(FormError) { try self.init(parsing: body, repeatable: ResourceIndicators.repeatableNames) } catch {
      switch error {
      case .malformed: throw .malformedForm
      case .repeated(let name): throw .repeatedParameter(name)
      }
    }
  }
}
