#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import SallyportRemote

extension OAuthClient {
  /// Imports a session that another library stored, so that the user need not sign in again.
  ///
  /// This method refreshes the tokens once and stores the new tokens, which replace the session of this client's
  /// account. Afterward, the other library must not use the old refresh token: a server that rotates refresh tokens
  /// treats the reuse of an old token as theft. Delete the other library's stored state when this method returns.
  ///
  /// The session's ``OAuthSession/claims`` come from the ID token in the server's response. They are `nil` if the
  /// server returns no ID token for a refresh, if the token's key cannot be fetched or is unknown, or if only the
  /// token's times are wrong, for example because of this machine's clock.
  /// - Throws: ``SessionImportError``
  @discardableResult
  public func importSession(_ imported: ImportedSession) async throws(SessionImportError) -> OAuthSession {
    guard imported.clientID == nil || imported.clientID == self.clientID else { throw .clientMismatch }
    if let issuer = imported.issuer {
      guard Self.withoutSlash(issuer) == Self.withoutSlash(self.issuer.value) else { throw .issuerMismatch }
    }
    do {
      let tokenSet = try await self.refreshed(imported)
      _ = try await self.tokenSets.replace(with: tokenSet)
      return OAuthSession(client: self, tokenSet: tokenSet)
    } catch let error as SessionImportError {
      throw error
    } catch is DPoPNotOffered {
      throw .dpopNotOffered
    } catch {
      throw .session(SessionError(any: error))
    }
  }

  private func refreshed(_ imported: ImportedSession) async throws -> TokenSet {
    let endpoints = try await self.provider.endpoints()
    if imported.issuer == nil, let endpoint = imported.tokenEndpoint {
      guard endpoint == endpoints.metadata.tokenEndpoint.value else { throw SessionImportError.issuerMismatch }
    }
    await endpoints.prefetchKeys()
    let key = try self.dpop.makeKey(for: endpoints.metadata)
    let requestedAt = self.now()
    let response = try await endpoints.token.refresh(
      imported.refreshToken, resources: imported.resources, binding: self.binding(key))
    let claims = try await endpoints.claims(ofRefreshed: response, previous: nil)
    if let expectedSubject = imported.idToken.flatMap(Self.subject), let receivedSubject = response.idToken.flatMap(Self.subject)
    {
      // Compare bytes, because `String` equality treats canonically equivalent strings as equal.
      guard receivedSubject.utf8.elementsEqual(expectedSubject.utf8) else { throw SessionImportError.subjectMismatch }
    }
    var details = SignInDetails()
    details.resources = imported.resources
    details.dpopKey = key?.storedForm
    var tokenSet = TokenSet(
      issuer: self.issuer, clientID: self.clientID, requestedScope: imported.scope, details: details, response: response,
      claims: claims, requestedAt: requestedAt)
    tokenSet.refreshToken = response.refreshToken ?? imported.refreshToken
    if claims != nil { tokenSet.idToken = response.idToken }
    return tokenSet
  }

  /// Reads the subject of an ID token without verifying the token, because the imported token may have expired, and the
  /// subject is only compared with the subject of another token.
  private static func subject(of idToken: Secret<String>) -> String? {
    struct Payload: Decodable {
      var sub: String
    }
    let parts = idToken.reveal().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])) else { return nil }
    return (try? JSONDecoder().decode(Payload.self, from: Data(payload)))?.sub
  }

  /// Issuers are compared without a trailing slash, which the other library may have added or removed.
  private static func withoutSlash(_ issuer: String) -> Substring {
    issuer.hasSuffix("/") ? issuer.dropLast() : issuer[...]
  }
}
