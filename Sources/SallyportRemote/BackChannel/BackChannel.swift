import HTTPTypes
package import SallyportProtocol

/// Sends the client's direct requests to the authorization server: token, revocation, pushed request, and device
/// authorization.
///
/// No other code adds client authentication or DPoP proofs to these requests.
package struct BackChannel: Sendable {
  private let clientID: String
  private let authentication: @Sendable () async throws(BackChannelError) -> ClientAuthentication
  private let transport: any Transport
  private let nonces: DPoPNonces
  private let now: TimeSource
  private let onInvalidClient: @Sendable () async -> Void

  /// - Parameters:
  ///   - authentication: Returns how the client authenticates. Called for each request.
  ///   - onInvalidClient: Called when the server rejects the client itself (`invalid_client`, RFC 6749 §5.2).
  package init(
    clientID: String, authentication: @escaping @Sendable () async throws(BackChannelError) -> ClientAuthentication,
    transport: any Transport, nonces: DPoPNonces = DPoPNonces(),
    now: @escaping TimeSource = Timestamp.now, onInvalidClient: @escaping @Sendable () async -> Void = {}
  ) {
    self.clientID = clientID
    self.authentication = authentication
    self.transport = transport
    self.nonces = nonces
    self.now = now
    self.onInvalidClient = onInvalidClient
  }

  /// Posts a form with the client's identifier and authentication.
  ///
  /// With a key, the request contains a DPoP proof (RFC 9449 §5), and is sent again if the server asks for a nonce
  /// (§8). Sending it again is safe: a server that asks for a nonce has not processed the code or token.
  /// - Parameter key: The key to prove possession of, or `nil` for a request without a proof.
  /// - Returns: The response, and the client secret if the request contains it. An error text must contain neither this
  ///   secret nor a secret in `parameters`, even if the response repeats it.
  package func post(
    _ parameters: [(name: String, value: String)], to url: EndpointURL, limits: TransferLimits,
    provenBy key: (any DPoPKey)? = nil
  ) async throws(BackChannelError) -> (response: TransportResponse, secrets: [Secret<String>]) {
    let authentication = try await self.authentication()
    let nonce = self.nonces[Origin(url)]
    var response = try await self.send(parameters, authentication, to: url, limits: limits, key, nonce: nonce)
    if key != nil, Self.asksForNonce(response), let newNonce = self.nonces[Origin(url)], newNonce != nonce {
      response = try await self.send(parameters, authentication, to: url, limits: limits, key, nonce: newNonce)
    }
    return (response, authentication.secrets)
  }

  private func send(
    _ parameters: [(name: String, value: String)], _ authentication: ClientAuthentication, to url: EndpointURL,
    limits: TransferLimits, _ key: (any DPoPKey)?, nonce: String?
  ) async throws(BackChannelError) -> TransportResponse {
    var request: HTTPRequest
    let body: [UInt8]
    do {
      (request, body) = try self.request(parameters, authentication, to: url)
    } catch {
      throw .transport(error)
    }
    // The target of an endpoint URL is never nil.
    if let key, let target = DPoPTarget(method: request.method.rawValue, url: url.value) {
      do {
        let proof = try DPoPProof.make(for: target, nonce: nonce, at: self.now(), by: key)
        request.headerFields[.dpop] = proof.reveal()
      } catch {
        throw .key(error)
      }
    }
    do {
      let response = try await self.transport.send(request, body: body, limits: limits)
      self.nonces.storeNonce(in: response.head.headerFields, from: Origin(url))
      if Self.error(of: response) == .invalidClient { await self.onInvalidClient() }
      return response
    } catch {
      throw .transport(error)
    }
  }

  private func request(
    _ parameters: [(name: String, value: String)], _ authentication: ClientAuthentication, to url: EndpointURL
  ) throws(TransportError) -> (HTTPRequest, body: [UInt8]) {
    var request = HTTPRequest.post(form: url)
    if let authorization = authentication.authorization(clientID: self.clientID) {
      request.headerFields[.authorization] = authorization
    }
    // A pushed authorization request already contains the client identifier (RFC 9126 §2.1).
    let containsClientID = parameters.contains { $0.name == "client_id" }
    let added = try authentication.parameters(clientID: self.clientID, at: self.now())
    let form = parameters + added.filter { !containsClientID || $0.name != "client_id" }
    return (request, Array(FormParameters.encode(form).utf8))
  }

  /// Whether the response asks for a nonce: `use_dpop_nonce` (RFC 9449 §8).
  private static func asksForNonce(_ response: TransportResponse) -> Bool {
    self.error(of: response) == .useDPoPNonce
  }

  /// The code of an error response (RFC 6749 §5.2). Errors with status 500 or higher are ignored, because they say
  /// nothing about the client.
  private static func error(of response: TransportResponse) -> OAuthErrorCode? {
    response.head.status.code < 500 ? OAuthErrorResponse(response)?.code : nil
  }
}

/// Why a request was not sent, or got no complete response.
package enum BackChannelError: Error, Equatable, Sendable {
  case transport(TransportError)
  /// The DPoP key could not sign, so the request was not sent.
  case key(DPoPKeyError)
  /// The client secret could not be created or obtained, so the request was not sent.
  case clientSecret(ClientSecretError)
}
