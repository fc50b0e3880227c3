import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The accounts of a browser, among which users choose for an app's request or on the account page.
///
/// The page shows only accounts that the browser's own cookies name, and looks up no other account. It therefore does
/// not reveal which accounts exist.
struct AccountChooser: Sendable {
  let server: AuthorizationServer
  let cookies: ServerCookies
  let signInForms: SignInForms

  /// The fields of the form whose values are user names.
  enum Field: String {
    case choose, remove
  }

  /// What the user chose.
  enum Choice: Sendable {
    /// A signed-in account.
    case session(BrowserSessions.Active)
    /// The user name of an account that is not signed in. The browser's cookie for returning users contains the name.
    case name(String)
  }

  /// Returns the accounts of the browser. Accounts that are signed in come first.
  func entries(_ sessions: [BrowserSessions.Active], _ request: Request) -> [AccountChooserPage.Entry] {
    let signedIn = sessions.map {
      AccountChooserPage.Entry(username: $0.account.username.value, name: $0.account.name, isSignedIn: true)
    }
    let others = self.signInForms.usernames(in: request).filter { name in !signedIn.contains { $0.username == name } }
    return signedIn + others.map { AccountChooserPage.Entry(username: $0, isSignedIn: false) }
  }

  /// Returns the choice in a form; nil if the form does not name one of the browser's accounts.
  func choice(_ form: FormParameters, _ sessions: [BrowserSessions.Active], _ request: Request) -> Choice? {
    guard let name = form[Field.choose.rawValue] else { return nil }
    if let session = sessions.first(where: { $0.account.username.value == name }) { return .session(session) }
    return self.signInForms.usernames(in: request).contains(name) ? .name(name) : nil
  }

  /// Signs an account out of this browser, if it is signed in, and removes its name from the browser.
  func remove(
    _ name: String, _ sessions: [BrowserSessions.Active], _ request: Request, _ context: ServerRequestContext,
    on response: inout Response
  ) async throws {
    if let session = sessions.first(where: { $0.account.username.value == name }) {
      let cookie = try await self.server.sessions.end(
        self.cookies.session.value(in: request), only: [session.account.id], for: LogoutRequest(), from: context.origin)
      self.cookies.setSession(cookie, on: &response)
    }
    self.forget([name], request, on: &response)
  }

  /// Removes user names from the browser's cookie for returning users.
  func forget(_ names: [String], _ request: Request, on response: inout Response) {
    guard var cookie = self.cookies.returningUser.value(in: request) else { return }
    for name in names {
      // If no name is left, the result is nil, and the cookie is deleted.
      guard let rest = self.server.returningUser.seal(removing: name, from: cookie) else {
        return self.cookies.setReturningUser(nil, on: &response)
      }
      cookie = rest.reveal()
    }
    self.cookies.setReturningUser(Secret(cookie), on: &response)
  }
}
