#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
package import SallyportProtocol
package import SallyportRemote

/// Sends an authorization request to the server before the browser opens, RFC 9126: what the person's browser, and whoever sees its
/// address, gets to know of it is a name that is good once.
package struct PushedRequestEndpoint: Sendable {
  private let url: EndpointURL
  private let channel: BackChannel

  package init(url: EndpointURL, channel: BackChannel) {
    self.url = url
    self.channel = channel
  }

  /// - Parameter key: whose thumbprint the request names as `dpop_jkt`, RFC 9449 §10.1.
  /// - Returns: `request_uri`
  /// - Throws: ``TokenRequestError`` or ``PushedRequestError``
  package func push(_ request: AuthorizationRequest, provenBy key: (any DPoPKey)?) async throws -> String {
    // The channel adds the client's name, in the form that goes with its authentication.
    let form = request.parameters.filter { $0.name != "client_id" }
    let answer: TransportResponse
    do {
      answer = try await self.channel.post(form, to: self.url, limits: Self.limits, provenBy: key)
    } catch {
      throw TokenRequestError(error)
    }
    let secrets = [Secret(request.state), Secret(request.nonce ?? "")] + self.channel.secrets
    return try PushedAnswer.validate(answer, hiding: secrets)
  }

  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(30))
}

/// Reads an answer of the pushed authorization request endpoint and checks it, RFC 9126 §2.2 and §2.3.
package enum PushedAnswer {
  package static func validate(_ answer: TransportResponse, hiding secrets: [Secret<String>]) throws -> String {
    switch answer.head.status.code {
    // §2.2 says 201; that some say 200 changes nothing that is relied on.
    case 200, 201: break
    case 429, 500...: throw TokenRequestError.unavailable(status: answer.head.status.code)
    case 400..<500:
      guard let json = try? JSONDecoder().decode(OAuthErrorJSON.self, from: Data(answer.body)) else { fallthrough }
      throw TokenRequestError.refused(ServerRefusal(error: json.error, description: json.errorDescription, hiding: secrets))
    default: throw PushedRequestError.unexpectedStatus(answer.head.status.code)
    }
    guard let json = try? JSONDecoder().decode(PushedResponseJSON.self, from: Data(answer.body)) else {
      throw PushedRequestError.malformed
    }
    try self.checkLifetime(json.expiresIn)
    try self.checkRequestURI(json.requestURI)
    return json.requestURI
  }

  private static func checkLifetime(_ seconds: Int) throws(PushedRequestError) {
    guard seconds > 0 else { throw .lifetimeInvalid }
  }

  /// An absolute URI of a bounded length: it goes into the URL that is opened.
  private static func checkRequestURI(_ text: String) throws(PushedRequestError) {
    guard text.utf8.count <= 2048, URIComponents(text) != nil else { throw .requestURIMalformed }
  }
}

/// Which rule an answer to a pushed authorization request breaks, RFC 9126 §2.2. Never holds a part of the answer.
public enum PushedRequestError: Error, Equatable, Sendable {
  /// The server demands pushed requests and names no endpoint for them.
  case endpointMissing
  /// A status that neither takes nor refuses the request, for example a redirect, which is not followed.
  case unexpectedStatus(Int)
  case malformed
  /// `expires_in` is not positive.
  case lifetimeInvalid
  /// `request_uri` is no URI, or too long.
  case requestURIMalformed
}
