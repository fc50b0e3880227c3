import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport

/// A simulated authorization server and API that check each proof (RFC 9449), and require nonces if a test sets them.
final class DPoPServer: Sendable {
  struct State {
    /// The nonce that the authorization server requires, or `nil` if it requires none.
    var nonce: String?
    /// The nonce that the API requires, or `nil` if it requires none.
    var apiNonce: String?
    /// The accepted proofs.
    var proofs: [ValidatedDPoPProof] = []
    /// The errors of the rejected proofs.
    var rejections: [DPoPProofError] = []
    /// The number of access tokens that were issued.
    var issuedCount = 0
  }

  let fixture: SignInFixture
  let state = Mutex(State())
  static let api = "https://api.example/notes"
  static let pushURL = "https://id.example/par"

  init(change: (inout TestIssuer) -> Void = { _ in }) throws {
    self.fixture = try SignInFixture {
      $0.metadata.dpopSigningAlgValuesSupported = ["ES256"]
      change(&$0)
    }
  }

  func client(_ policy: DPoPPolicy = .preferred, keys: some DPoPKeySource = SoftwareDPoPKeys()) throws -> OAuthClient {
    OAuthClient(
      issuer: self.fixture.server.issuer, clientID: "notes", store: self.fixture.store, transport: self.fixture.transport,
      tokenOrigins: [try EndpointURL("https://api.example/")], dpop: policy, dpopKeys: keys, now: self.fixture.clock.dates)
  }

  var proofs: [ValidatedDPoPProof] { self.state.withLock { $0.proofs } }
  var rejections: [DPoPProofError] { self.state.withLock { $0.rejections } }

  /// Responds to token requests with tokens `access-1`, `access-2`, and so on.
  /// - Parameters:
  ///   - user: The user whose authorization request contains the thumbprint of the expected key and the nonce of the ID
  ///     token. If `nil`, any key is accepted, and the response contains no ID token.
  ///   - type: The `token_type` of the response.
  ///   - expiresIn: The lifetime of the access tokens in seconds.
  func grantTokens(to user: FakeBrowser? = nil, type: String = "DPoP", expiresIn: Int = 600) {
    self.fixture.transport.on(SignInFixture.tokenURL) { request in
      let thumbprint = user?.parameters["dpop_jkt"]
      if let errorResponse = self.errorResponse(of: request, token: nil, thumbprint: thumbprint) {
        return .success(errorResponse)
      }
      let number = self.state.withLock { state in
        state.issuedCount += 1
        return state.issuedCount
      }
      let nonce = user?.parameters["nonce"]
      let claims = self.fixture.server.claims(clientID: "notes", nonce: nonce, now: self.fixture.clock.now)
      let idToken = nonce == nil ? nil : try? self.fixture.server.token(claims)
      return .success(
        .json(
          encoding: TokenResponseJSON(
            TokenResponse(
              accessToken: Secret("access-\(number)"), tokenType: type, expiresIn: expiresIn,
              refreshToken: Secret("refresh-\(number)"), idToken: idToken))))
    }
  }

  /// Makes the API accept only the latest access token, with a valid proof of the key that has this thumbprint.
  func respondAtAPI(thumbprint: String) {
    self.fixture.transport.on(Self.api) { request in
      let latest = "access-\(self.state.withLock { $0.issuedCount })"
      guard request.head.headerFields[.authorization] == "DPoP \(latest)" else {
        return .success(Self.challenge("invalid_token"))
      }
      if let errorResponse = self.errorResponse(of: request, token: Secret(latest), thumbprint: thumbprint) {
        return .success(errorResponse)
      }
      return .success(.json("[]"))
    }
  }

  static func challenge(_ error: String, nonce: String? = nil) -> TransportResponse {
    var fields: HTTPFields = [.wwwAuthenticate: #"DPoP error="\#(error)", algs="ES256""#]
    fields[.dpopNonce] = nonce
    return .body([], type: nil, status: .unauthorized, headers: fields)
  }

  /// Checks the proof in a request, and records the proof or the error.
  /// - Parameters:
  ///   - token: The access token in a request to the API, or `nil` in a request to the authorization server.
  ///   - thumbprint: The thumbprint of the key that must have signed the proof, or `nil` if any key is accepted.
  /// - Returns: The error response if the proof is invalid, or `nil` if it is valid.
  private func errorResponse(
    of request: FakeTransport.RecordedRequest, token: Secret<String>?, thumbprint: String?
  ) -> TransportResponse? {
    let nonce = self.state.withLock { token == nil ? $0.nonce : $0.apiNonce }
    do throws(DPoPProofError) {
      // A missing proof is reported like a malformed one.
      guard let proof = try DPoPProof.proof(in: request.head.headerFields) else { throw .malformed(.notThreeParts) }
      guard let target = DPoPTarget(method: request.head.method.rawValue, url: request.url) else { throw .urlMismatch }
      let expectations = DPoPExpectations(
        target: target, accessToken: token, keyThumbprint: thumbprint, nonces: nonce.map { [$0] }, maximumAge: .seconds(60))
      let validated = try ValidatedDPoPProof(proof, expecting: expectations, at: self.fixture.clock.now)
      self.state.withLock { $0.proofs.append(validated) }
      return nil
    } catch {
      self.state.withLock { $0.rejections.append(error) }
      if token != nil { return Self.challenge(error.code.description, nonce: nonce) }
      var response = SignInFixture.error(error.code.description)
      response.head.headerFields[.dpopNonce] = nonce
      return response
    }
  }
}

extension FakeBrowser {
  /// The parameters of the URL that was opened last.
  var parameters: FormParameters {
    let query = self.opened.last?.split(separator: "?", maxSplits: 1).last ?? ""
    return (try? FormParameters(parsing: query, repeatable: ["resource"])) ?? FormParameters()
  }
}
