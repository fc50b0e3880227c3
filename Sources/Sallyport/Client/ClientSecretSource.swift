#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import SallyportRemote
import Synchronization

/// Gets a client's secret when a request needs it. If the app provides the secret with a function
/// (``ClientSecret/provided(by:)``) and the function returns a JWT with `exp`, keeps the JWT until one minute before it
/// expires.
final class ClientSecretSource: Sendable {
  private let secret: ClientSecret
  private let clientID: String
  private let audience: Issuer
  private let now: TimeSource
  private let cached = Mutex<(secret: Secret<String>, until: Timestamp)?>(nil)
  private let calls = SingleFlight<Int, Result<Secret<String>, ClientSecretError>>()

  /// - Parameter audience: The server that the secret is for.
  init(_ secret: ClientSecret, clientID: String, audience: Issuer, now: @escaping TimeSource) {
    self.secret = secret
    self.clientID = clientID
    self.audience = audience
    self.now = now
  }

  /// Returns the secret for a request.
  func current() async throws(BackChannelError) -> Secret<String> {
    switch self.secret.source {
    case .shared(let secret): return secret
    case .signed(let key, let issuer):
      // The JWT is valid for five minutes.
      let claims = ClientAssertionKey.Claims(
        issuer: issuer, subject: self.clientID, audience: self.audience, at: self.now(), lifetime: 300)
      guard let secret = key.sign(claims) else { throw .clientSecret(ClientSecretError.notSigned) }
      return secret
    case .provided(let provide): return try await self.provided(by: provide)
    }
  }

  /// Forgets a secret that the server rejected.
  func forget() {
    self.cached.withLock { $0 = nil }
  }

  private func provided(
    by provide: @escaping @Sendable () async throws -> Secret<String>
  ) async throws(BackChannelError) -> Secret<String> {
    if let cached = self.cached.withLock(\.self), self.now() < cached.until { return cached.secret }
    // Concurrent requests share one call. The key is always 0, because there is only one secret.
    let result: Result<Secret<String>, ClientSecretError>? = await self.calls.valueUnlessCanceled(for: 0) {
      do {
        let secret = try await provide()
        self.cache(secret)
        return .success(secret)
      } catch {
        return .failure(.notProvided(reason: "\(type(of: error))"))
      }
    }
    switch result {
    case nil: throw .transport(.cancelled)
    case .success(let secret): return secret
    case .failure(let error): throw .clientSecret(error)
    }
  }

  private func cache(_ secret: Secret<String>) {
    guard let expiration = Self.expiration(of: secret) else { return }
    self.cached.withLock { $0 = (secret, expiration - .seconds(60)) }
  }

  /// The time at which a secret expires, if it is a JWT with `exp` (RFC 7519 §4.1.4).
  private static func expiration(of secret: Secret<String>) -> Timestamp? {
    struct Claims: Decodable {
      let exp: Double
    }
    guard let jwt = try? JWSCompact(secret.reveal()),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(jwt.payload)),
      let seconds = Int64(exactly: claims.exp.rounded())
    else { return nil }
    return Timestamp(seconds: seconds)
  }
}
