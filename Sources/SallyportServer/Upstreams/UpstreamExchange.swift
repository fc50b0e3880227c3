import HTTPTypes
import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Redeems the code of an upstream's response, and verifies the ID token.
struct UpstreamExchange: Sendable {
  let upstream: Upstream
  let provider: UpstreamProviders.Provider
  let secrets: UpstreamSecrets
  let now: TimeSource

  /// The tolerated difference between the clocks of the provider and of this server, in seconds.
  static let leeway: Int64 = 60

  /// A user, and the access token with which the userinfo endpoint can be asked about the user.
  struct Result: Sendable {
    var user: FederatedUser
    let accessToken: Secret<String>
  }

  enum Outcome: Sendable {
    case success(Result)
    /// The provider did not redeem the code. Any other failure is thrown by ``run(code:_:)``.
    case failed(UpstreamFailure, UpstreamTokenError)
  }

  /// Checks the `iss` parameter of a response (RFC 9207 §2.4).
  static func isIssuerValid(_ form: FormParameters, _ metadata: ProviderMetadata) -> Bool {
    guard let issuer = form["iss"] else { return !metadata.announcesIssuer }
    return metadata.accepts(issuer: issuer)
  }

  func run(code: String, _ request: UpstreamRequests.Content) async throws(UpstreamFailure) -> Outcome {
    guard let verifier = try? CodeVerifier(request.codeVerifier) else { throw .invalid }
    let metadata = self.provider.metadata
    let authentication = try self.authentication()
    let channel = BackChannel(
      clientID: self.upstream.record.clientID,
      authentication: { () throws(BackChannelError) in authentication }, transport: self.provider.transport, now: self.now)
    let response: TokenResponse
    do throws(TokenRequestError) {
      response = try await SallyportRemote.TokenEndpoint(url: metadata.tokenEndpoint, channel: channel).exchange(
        code: Secret(code), redirectURI: self.upstream.redirectURI, codeVerifier: verifier)
    } catch {
      switch error {
      case .network, .unavailable: return .failed(.unavailable, UpstreamTokenError(error))
      default: return .failed(.invalid, UpstreamTokenError(error))
      }
    }
    guard let idToken = response.idToken else { throw .invalid }
    let user = try await self.verify(idToken, response.accessToken, request)
    return .success(Result(user: user, accessToken: response.accessToken))
  }

  private func authentication() throws(UpstreamFailure) -> SallyportRemote.ClientAuthentication {
    guard let sealed = self.upstream.record.sealedSecret else { return .none }
    guard let secret = try? self.secrets.open(sealed, of: self.upstream.id) else { throw .unavailable }
    return switch self.upstream.record.details.authenticationMethod {
    case .clientSecretBasic: .secretBasic(secret)
    case .clientSecretPost: .secretPost(secret)
    default: .init(secret: secret, methods: self.provider.metadata.document.tokenEndpointAuthMethodsSupported)
    }
  }

  private func verify(
    _ idToken: Secret<String>, _ accessToken: Secret<String>, _ request: UpstreamRequests.Content
  ) async throws(UpstreamFailure) -> FederatedUser {
    let metadata = self.provider.metadata
    let verifier = IDTokenVerifier(
      issuer: metadata.tokenIssuer, tenants: metadata.tenants, clientID: self.upstream.record.clientID, keys: self.provider.keys,
      allowedAlgorithms: metadata.idTokenSigningAlgorithms, leeway: .seconds(Self.leeway), now: self.now)
    var expectations = IDTokenExpectations(nonce: request.nonce, accessToken: accessToken)
    expectations.maxAge = self.maximumAge(request)
    let claims: IDTokenClaims
    do throws(IDTokenError) {
      claims = try await verifier.verify(idToken, expecting: expectations)
    } catch {
      switch error {
      case .authenticationTimeMissing, .authenticatedTooLongAgo: throw .notFresh
      case .key(.document): throw .unavailable
      default: throw .invalid
      }
    }
    var user = FederatedUser(claims)
    guard user.hasValidSubject else { throw .invalid }
    // The verified ID token is parsed again, because `IDTokenClaims` lacks the claims that the operator chose.
    let parts = idToken.reveal().split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 3, let payload = Base64URL.decode(parts[1]) {
      user.addClaims(chosenBy: self.upstream.record.details, from: payload)
    }
    return user
  }

  /// The maximum time since the user authenticated at the provider; nil if any time is acceptable.
  private func maximumAge(_ request: UpstreamRequests.Content) -> Duration? {
    guard request.needsNewAuthentication else { return nil }
    // The user must have authenticated after the request began, or at most `request.maxAge` seconds before it began.
    // `IDTokenVerifier` adds the leeway.
    let elapsed = self.now() - request.startedAt
    return request.maxAge.map { elapsed + .seconds($0) } ?? elapsed
  }

  /// Adds claims from the userinfo endpoint, if the ID token lacks the user name, the email address, or a claim that
  /// the operator chose. Some providers return profile claims only from this endpoint (OpenID Connect Core §5.4).
  /// - Throws: ``UpstreamFailure/unavailable`` if the endpoint cannot be reached, or ``UpstreamFailure/invalid`` if the
  ///   response is about another user. An error response or a malformed response is ignored.
  func complete(_ result: Result) async throws(UpstreamFailure) -> FederatedUser {
    var user = result.user
    let details = self.upstream.record.details
    guard user.email == nil || user.preferredUsername == nil || user.lacksClaims(chosenBy: details),
      let url = self.provider.metadata.userinfoEndpoint
    else { return user }
    var request = HTTPRequest.get(url)
    request.headerFields[.authorization] = "Bearer \(result.accessToken.reveal())"
    let response: TransportResponse
    do throws(TransportError) {
      response = try await self.provider.transport.send(request, body: [], limits: .document)
    } catch { throw .unavailable }
    guard response.head.status.code == 200, let claims = try? JSONDecoder().decode(Userinfo.self, from: Data(response.body))
    else { return user }  // The claims of the ID token suffice.
    // OpenID Connect Core §5.3.2: a response about another user must not be used.
    guard claims.sub.utf8.elementsEqual(user.subject.utf8) else { throw .invalid }
    user.name = user.name ?? claims.name
    user.preferredUsername = user.preferredUsername ?? claims.preferredUsername
    if user.email == nil { (user.email, user.emailVerified) = (claims.email, claims.emailVerified) }
    user.addClaims(chosenBy: details, from: response.body)
    return user
  }
}

/// The claims of a userinfo response. Claims of unexpected types count as absent.
private struct Userinfo: Decodable {
  let sub: String
  let name: String?
  let preferredUsername: String?
  let email: String?
  let emailVerified: Bool?

  private enum CodingKeys: String, CodingKey {
    case sub, name, email
    case preferredUsername = "preferred_username"
    case emailVerified = "email_verified"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.sub = try container.decode(String.self, forKey: .sub)
    self.name = try? container.decode(String.self, forKey: .name)
    self.preferredUsername = try? container.decode(String.self, forKey: .preferredUsername)
    self.email = try? container.decode(String.self, forKey: .email)
    self.emailVerified = try? container.decode(Bool.self, forKey: .emailVerified)
  }
}
