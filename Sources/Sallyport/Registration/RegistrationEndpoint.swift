#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// The requests of dynamic client registration (RFC 7591 §3) and its management (RFC 7592 §2).
struct RegistrationEndpoint: Sendable {
  let transport: any Transport

  private static let limits = TransferLimits(maximumBodySize: 256 << 10, timeout: .seconds(30))

  /// Registers a client (RFC 7591 §3.1).
  func register(
    _ metadata: ClientMetadata, at url: EndpointURL, token: Secret<String>?
  ) async throws(RegistrationError) -> RegistrationResponse {
    let response = try await self.send(.post, url, token: token, body: metadata)
    return try Self.registration(response, redacting: [token].compactMap(\.self))
  }

  /// Reads a registration (RFC 7592 §2.1).
  func read(_ management: Management) async throws(RegistrationError) -> RegistrationResponse {
    let response = try await self.send(.get, management.url, token: management.token, body: NoBody?.none)
    return try Self.registration(response, redacting: [management.token], of: management.clientID)
  }

  /// Replaces a registration's metadata (RFC 7592 §2.2). The request includes the client identifier and secret, but
  /// nothing else that the server assigned.
  func update(_ metadata: ClientMetadata, secret: Secret<String>?, _ management: Management)
    async throws(RegistrationError) -> RegistrationResponse
  {
    var registration = RegistrationResponse(clientID: management.clientID, metadata: metadata)
    registration.clientSecret = secret
    let body = RegistrationResponseJSON(registration)
    let response = try await self.send(.put, management.url, token: management.token, body: body)
    return try Self.registration(response, redacting: [management.token, secret].compactMap(\.self), of: management.clientID)
  }

  /// Deletes a registration (RFC 7592 §2.3).
  func delete(_ management: Management) async throws(RegistrationError) {
    let response = try await self.send(.delete, management.url, token: management.token, body: NoBody?.none)
    guard response.head.status.kind == .successful else {
      throw Self.error(response, redacting: [management.token], isManaging: true)
    }
  }

  /// What a client needs to manage its registration.
  struct Management: Sendable {
    let clientID: String
    let url: EndpointURL
    let token: Secret<String>
  }

  /// The type of `body` in a request without a body, where `body` is `nil`.
  private struct NoBody: Encodable {}

  private func send(
    _ method: HTTPRequest.Method, _ url: EndpointURL, token: Secret<String>?, body: (some Encodable)?
  ) async throws(RegistrationError) -> TransportResponse {
    var request = HTTPRequest.get(url)
    request.method = method
    request.headerFields[.authorization] = token.map { "Bearer \($0.reveal())" }
    var bytes: [UInt8] = []
    if let body {
      request.headerFields[.contentType] = "application/json"
      guard let data = try? JSONEncoder().encode(body) else {
        throw .other(reason: "the client metadata could not be encoded as JSON")
      }
      bytes = Array(data)
    }
    do {
      return try await self.transport.send(request, body: bytes, limits: Self.limits)
    } catch {
      throw error == .cancelled ? .cancelled : .network(error)
    }
  }

  /// Reads and checks the response to a registration, a read, or an update.
  ///
  /// A registration returns 201 (RFC 7591 §3.2.1), though some servers return 200. A read or an update returns 200
  /// (RFC 7592 §2.1, §2.2). Both statuses are accepted for each of these requests.
  /// - Parameter clientID: The client that the response must be for, or `nil` for a registration.
  private static func registration(
    _ response: TransportResponse, redacting secrets: [Secret<String>], of clientID: String? = nil
  ) throws(RegistrationError) -> RegistrationResponse {
    guard [200, 201].contains(response.head.status.code) else {
      throw self.error(response, redacting: secrets, isManaging: clientID != nil)
    }
    guard let json = try? JSONDecoder().decode(RegistrationResponseJSON.self, from: Data(response.body)) else {
      throw .response(.malformed)
    }
    let response = json.response
    guard self.isVisible(response.clientID, upTo: 2048) else { throw .response(.clientIDInvalid) }
    // Compare bytes, because `String` equality treats canonically equivalent strings as equal.
    guard clientID.map({ $0.utf8.elementsEqual(response.clientID.utf8) }) ?? true else { throw .response(.clientIDChanged) }
    for secret in [response.clientSecret, response.registrationAccessToken].compactMap(\.self) {
      guard self.isVisible(secret.reveal(), upTo: 8192) else { throw .response(.credentialMalformed) }
    }
    return response
  }

  /// - Parameter isManaging: Whether the request was to read, update, or delete an existing registration.
  private static func error(
    _ response: TransportResponse, redacting secrets: [Secret<String>], isManaging: Bool
  ) -> RegistrationError {
    let status = response.head.status.code
    let json = try? JSONDecoder().decode(OAuthErrorJSON.self, from: Data(response.body))
    switch status {
    // RFC 7592 §2.1 requires 401 for an unknown client, and 403 for a client that may not read its record. Some servers
    // return 404 or 410 instead. A 403 without an OAuth error may come from a firewall.
    case 401, 404, 410: if isManaging { return .forgotten }
    case 403: if isManaging, json != nil { return .forgotten }
    case 405, 501: if isManaging { return .notManageable }
    case 429, 500...: return .unavailable(status: status)
    default: break
    }
    guard (400..<500).contains(status), let json else { return .response(.unexpectedStatus(status)) }
    return .refused(OAuthErrorResponse(error: json.error, description: json.errorDescription, redacting: secrets))
  }

  /// Whether the text consists of 1 to `length` visible ASCII characters.
  private static func isVisible(_ text: String, upTo length: Int) -> Bool {
    (1...length).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
