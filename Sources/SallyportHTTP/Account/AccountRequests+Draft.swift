import Hummingbird
import SallyportProtocol
import SallyportServer

extension AccountRequests {
  /// Redirects to the page that asks for a sign-in. An encrypted cookie, the draft, keeps what the user has entered in
  /// a form of `target`. Passwords and codes are never kept.
  func redirectToSignIn(
    for target: AccountTarget, keeping form: FormParameters, _ session: BrowserSessions.Active
  ) -> Response {
    var response = self.redirectToSignIn(for: target)
    let draft: AccountDraft? =
      switch (target, form["email"], form["name"], form["passkey"]) {
      case (.email, let email?, _, _): .email(email)
      case (.passkeys, _, let name?, let id?) where form["action"] == "rename": .passkeyName(name, id: id)
      default: nil
      }
    if let draft, let sealed = self.server.accountDrafts.seal(draft, in: session) {
      self.cookies.draft.set(sealed, isPersistent: !session.record.isOnPublicDevice, on: &response)
    }
    return response
  }

  /// Removes the draft from the browser.
  func endDraft(_ request: Request, on response: inout Response) {
    if self.cookies.draft.value(in: request) != nil { self.cookies.draft.clear(on: &response) }
  }

  func draft(in request: Request, _ session: BrowserSessions.Active) -> AccountDraft? {
    self.server.accountDrafts.open(self.cookies.draft.value(in: request), in: session)
  }
}
