#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
package import SallyportProtocol

/// Reads and checks a response of the token endpoint (RFC 6749 §5.1 and §5.2).
package enum TokenResponseValidator {
  /// The maximum response size and the timeout.
  package static let limits = TransferLimits(maximumBodySize: 256 << 10, timeout: .seconds(30))

  /// - Parameters:
  ///   - secrets: Values of the request that an error text must not contain.
  ///   - binding: The key that the request was proven with.
  package static func validate(
    _ response: TransportResponse, hiding secrets: [Secret<String>], binding: DPoPBinding? = nil
  ) throws(TokenRequestError) -> TokenResponse {
    switch response.head.status.code {
    case 200: break
    case 400..<500 where response.head.status.code != 429: throw self.error(response, hiding: secrets)
    case 429, 500...: throw .unavailable(status: response.head.status.code)
    default: throw .invalid(.unexpectedStatus(response.head.status.code))
    }
    guard let json = try? JSONDecoder().decode(TokenResponseJSON.self, from: Data(response.body)) else {
      throw .invalid(.malformed)
    }
    let response = json.response
    try self.checkType(response, binding)
    try self.checkLifetime(response)
    try self.checkTokens(response)
    return response
  }

  private static func error(_ response: TransportResponse, hiding secrets: [Secret<String>]) -> TokenRequestError {
    guard let json = try? JSONDecoder().decode(OAuthErrorJSON.self, from: Data(response.body)) else {
      return .invalid(.unexpectedStatus(response.head.status.code))
    }
    return .refused(OAuthErrorResponse(error: json.error, description: json.errorDescription, hiding: secrets))
  }

  /// Checks the token type (RFC 6749 §7.1, RFC 9449 §5). `DPoP` is valid only if the request contained a proof.
  private static func checkType(_ response: TokenResponse, _ binding: DPoPBinding?) throws(TokenRequestError) {
    switch (response.type, binding) {
    case (.dpop, .some), (.bearer, .none): break
    case (.bearer, .some(let binding)): if binding.isRequired { throw .invalid(.tokenNotBound) }
    case (.dpop, .none), (.none, _): throw .invalid(.tokenTypeNotSupported)
    }
  }

  private static func checkLifetime(_ response: TokenResponse) throws(TokenRequestError) {
    guard let seconds = response.expiresIn else { return }
    guard (0...self.longestLifetime).contains(seconds) else { throw .invalid(.lifetimeInvalid) }
  }

  /// Checks the characters of the tokens, which are sent in a header and in forms: visible ASCII without spaces (RFC
  /// 6749 Appendix A.12 and A.17).
  private static func checkTokens(_ response: TokenResponse) throws(TokenRequestError) {
    let tokens = [response.accessToken, response.refreshToken, response.idToken].compactMap { $0?.reveal().utf8 }
    for token in tokens {
      guard (1...self.longestToken).contains(token.count), token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .invalid(.tokenMalformed)
      }
    }
  }

  /// Ten years, in seconds.
  private static let longestLifetime = 10 * 366 * 86_400
  /// In bytes.
  private static let longestToken = 64 << 10
}
