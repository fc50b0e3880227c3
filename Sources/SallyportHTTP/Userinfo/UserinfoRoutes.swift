import HTTPTypes
import Hummingbird
import Logging
import SallyportProtocol
import SallyportServer

/// The userinfo endpoint, OpenID Connect Core §5.3, by GET and POST.
struct UserinfoRoutes<S: Store>: Sendable {
  let server: AuthorizationServer<S>

  func add(to router: some RouterMethods<BasicRequestContext>) {
    router.addCrossOrigin(EndpointPath.userinfo, methods: [.get, .post], use: self.userinfo)
  }

  @Sendable func userinfo(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    do throws(UserinfoEndpoint<S>.Refusal) {
      let claims = try await self.server.userinfo.claims(for: request.bearerToken)
      return try Self.encode(claims)
    } catch {
      context.logger.notice("userinfo refused", metadata: ["reason": "\(error)"])
      return Self.refusal(error)
    }
  }

  private static func encode(_ claims: UserinfoEndpoint<S>.Claims) throws(UserinfoEndpoint<S>.Refusal) -> Response {
    do { return try .json(claims, headers: [.cacheControl: "no-store"]) } catch { throw .signing }
  }

  /// RFC 6750 §3: the challenge has at least one parameter, says what is wrong, and no error where no token was presented.
  private static func refusal(_ refusal: UserinfoEndpoint<S>.Refusal) -> Response {
    let (status, challenge): (HTTPResponse.Status, String?) =
      switch refusal {
      case .tokenMissing: (.unauthorized, #"Bearer realm="userinfo""#)
      case .invalidToken: (.unauthorized, #"Bearer realm="userinfo", error="invalid_token""#)
      case .insufficientScope: (.forbidden, #"Bearer realm="userinfo", error="insufficient_scope", scope="openid""#)
      case .storage: (.serviceUnavailable, nil)
      case .signing: (.internalServerError, nil)
      }
    var response = Response(status: status, headers: [.cacheControl: "no-store"])
    response.headers[.wwwAuthenticate] = challenge
    return response
  }
}

extension Request {
  /// The token of `Authorization: Bearer …`, RFC 6750 §2.1. A token in the query is not looked at (§2.3, RFC 9700 §4.3.2).
  fileprivate var bearerToken: Secret<String>? {
    // By bytes: to find the characters of a long token takes longer than all else that is done with it.
    guard let parts = self.headers[.authorization]?.utf8.split(separator: UInt8(ascii: " ")), parts.count == 2,
      Substring(parts[0]).lowercased() == "bearer"
    else { return nil }
    return Secret(String(Substring(parts[1])))
  }
}
