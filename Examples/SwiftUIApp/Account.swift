import AuthenticationServices
import Observation
import Sallyport

/// The signed-in account, for the app's views.
@MainActor
@Observable
final class Account {
  enum State {
    case unknown, signedOut
    case signedIn(OAuthSession)
  }

  private(set) var state = State.unknown
  private(set) var message: String?

  private let client: OAuthClient
  private let redirectURI: RedirectURI
  /// The API that the tokens are for. The API checks the audience of a token, and no other origin receives the tokens.
  private let api: ResourceIndicator

  init() throws {
    self.client = OAuthClient(
      issuer: try Issuer("https://id.example.com"), clientID: "notes", store: .keychain, transport: URLSessionTransport())
    self.api = try ResourceIndicator("https://api.example.com/")
    self.redirectURI = try RedirectURI("com.example.notes:/oauth2redirect/id.example.com")
  }

  /// Restores the session of an earlier run. This needs no network access.
  func restore() async {
    do {
      self.state = try await self.client.restoreSession().map(State.signedIn) ?? .signedOut
    } catch {
      self.state = .signedOut
      self.message = error.explanation.problem
    }
  }

  func signIn(in window: @escaping @MainActor () -> ASPresentationAnchor) async {
    self.message = nil
    let tab = WebAuthenticationTab(redirectURI: self.redirectURI, cookies: .shared, anchor: window)
    do {
      self.state = .signedIn(
        try await self.client.signIn(
          scopes: [.openID, .offlineAccess], resources: [self.api], via: tab, receiver: tab))
    } catch .dismissed, .denied, .cancelled {
      self.state = .signedOut
    } catch {
      self.message = error.explanation.problem
    }
  }

  /// Finishes a sign-in whose redirect arrives after the app was restarted.
  func resume(from url: URL) async {
    if let session = try? await self.client.resume(from: url) { self.state = .signedIn(session) }
  }

  func signOut() async {
    guard case .signedIn(let session) = self.state else { return }
    do {
      _ = try await session.signOut()
      self.state = .signedOut
    } catch {
      // The tokens could not be removed from the keychain, so the account is still signed in.
      self.message = error.explanation.problem
    }
  }
}
