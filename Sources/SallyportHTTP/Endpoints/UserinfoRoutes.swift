import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportObservability
import SallyportProtocol
import SallyportServer

/// The userinfo endpoint, by GET and POST (OpenID Connect Core §5.3).
struct UserinfoRoutes: Sendable {
  let server: AuthorizationServer
  let metrics: ServerMetrics

  private typealias PresentedToken = UserinfoEndpoint.PresentedToken

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.addCrossOrigin(EndpointPath.userinfo, methods: [.get, .post], use: self.userinfo)
  }

  @Sendable func userinfo(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    var response: Response
    do throws(UserinfoError) {
      response = Self.encode(try await self.server.userinfo.respond(to: try await Self.presentedToken(in: request)))
    } catch {
      // A missing nonce is normal, so it is only logged at debug level: the client receives the nonce and repeats the
      // request (RFC 9449 §9).
      let level: Logger.Level = error.code == .useDPoPNonce ? .debug : .notice
      context.logger.log(level: level, "userinfo request rejected", metadata: ["reason": "\(error.label)"])
      self.metrics.rejected(.userinfo, error.code)
      response = Self.errorResponse(error)
    }
    if request.headers.contains(.dpop) { response.headers[.dpopNonce] = self.server.nonces.current }
    return response
  }

  /// Returns the token in the Authorization field (RFC 6750 §2.1, RFC 9449 §7.1) or in a posted form (RFC 6750 §2.2);
  /// nil if the request has no such token.
  ///
  /// A request may have only one token (RFC 6750 §2). A token in the query is never accepted (RFC 9700 §4.3.2).
  private static func presentedToken(in request: Request) async throws(UserinfoError) -> PresentedToken? {
    let header = request.headers.value(of: .authorization).flatMap { AuthorizationToken($0) }
    let posted = try await self.postedToken(request)
    if header != nil, posted != nil { throw .malformedRequest }
    guard let token = header?.token ?? posted else { return nil }
    if self.hasTokenInQuery(request) { throw .malformedRequest }
    return PresentedToken(
      token: token, scheme: header?.scheme == .dpop ? .dpop : .bearer, proofs: request.proofs, method: request.method.rawValue)
  }

  private static func postedToken(_ request: Request) async throws(UserinfoError) -> Secret<String>? {
    guard request.method == .post, request.hasFormContentType else { return nil }
    do { return try FormParameters(parsing: try await request.formText())["access_token"].map { Secret($0) } } catch {
      throw .malformedRequest
    }
  }

  private static func hasTokenInQuery(_ request: Request) -> Bool {
    guard let query = request.uri.query else { return false }
    // A malformed query is treated as one with a token, because it may contain one.
    return (try? FormParameters(parsing: query)).map { $0["access_token"] != nil } ?? true
  }

  private static func encode(_ response: UserinfoEndpoint.Response) -> Response {
    switch response {
    case .claims(let claims):
      return .json(claims, headers: [.cacheControl: "no-store"])
    case .signed(let token):
      return Response(
        status: .ok, headers: [.cacheControl: "no-store", .contentType: "application/jwt"],
        body: .init(byteBuffer: ByteBuffer(string: token.reveal())))
    }
  }

  /// Returns an error response, with a challenge unless the server itself failed. The challenge names an error only if
  /// the request is malformed or has a token (RFC 6750 §3). It uses the DPoP scheme if the request used the wrong
  /// scheme or its proof is missing or invalid (RFC 9449 §7.1).
  private static func errorResponse(_ error: UserinfoError) -> Response {
    var response = Response(status: error.status, headers: [.cacheControl: "no-store"])
    response.headers[.wwwAuthenticate] = error.challenge?.fieldValue
    return response
  }
}

extension UserinfoError {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .malformedRequest: .badRequest
    case .tokenMissing, .invalidToken, .wrongScheme, .proofMissing: .unauthorized
    case .proof(.storage), .storage: .serviceUnavailable
    case .proof: .unauthorized
    case .insufficientScope: .forbidden
    case .signing: .internalServerError
    }
  }

  fileprivate var challenge: AuthenticationChallenge? {
    let algorithms = DPoPAlgorithm.allCases.map(\.rawValue).joined(separator: " ")
    return switch self {
    case .tokenMissing: AuthenticationChallenge(scheme: "Bearer", parameters: ["realm": "userinfo"])
    case .malformedRequest:
      AuthenticationChallenge(scheme: "Bearer", parameters: ["realm": "userinfo", "error": "invalid_request"])
    case .invalidToken: AuthenticationChallenge(scheme: "Bearer", parameters: ["realm": "userinfo", "error": "invalid_token"])
    case .insufficientScope:
      AuthenticationChallenge(
        scheme: "Bearer", parameters: ["realm": "userinfo", "error": "insufficient_scope", "scope": "openid"])
    case .wrongScheme:
      AuthenticationChallenge(
        scheme: "DPoP", parameters: ["realm": "userinfo", "error": "invalid_token", "algs": algorithms])
    case .proofMissing:
      AuthenticationChallenge(
        scheme: "DPoP", parameters: ["realm": "userinfo", "error": "invalid_dpop_proof", "algs": algorithms])
    case .proof(.storage), .storage, .signing: nil
    case .proof(let error):
      AuthenticationChallenge(
        scheme: "DPoP", parameters: ["realm": "userinfo", "error": error.code.description, "algs": algorithms])
    }
  }

  fileprivate var label: String { "\(self)" }

  /// The error code for metrics and for the level of the log message. The response itself contains no error code if the
  /// token is missing or the server failed.
  fileprivate var code: OAuthErrorCode {
    switch self {
    case .malformedRequest: .invalidRequest
    case .tokenMissing, .invalidToken, .wrongScheme: .invalidToken
    case .insufficientScope: .insufficientScope
    case .proofMissing: .invalidDPoPProof
    case .proof(let error): error.code
    case .storage, .signing: .serverError
    }
  }
}
