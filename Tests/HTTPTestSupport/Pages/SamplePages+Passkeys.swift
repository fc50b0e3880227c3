package import SallyportHTTP
import SallyportProtocol
import SallyportServer

extension SamplePages {
  /// The pages with the script for passkeys, and the page for an authorization response (`form_post`), which has a
  /// script too.
  package var scripted: [(name: String, html: String)] {
    let purposes: [SignInPage.Purpose] = [
      .app, .account, .confirmation(SignInPage.Confirmation(isRecent: true, acceptsPasskey: true)),
      .confirmation(SignInPage.Confirmation(acceptsCode: true)),
    ]
    // Properties that do not depend on the purpose also vary, so that each of their values is on one of the pages.
    let signIns: [(name: String, html: String)] = purposes.map { purpose in
      var page = self.signIn(failure: purpose == .app ? nil : .wrongPasskey)
      page.purpose = purpose
      page.passkey = self.passkey(.signIn)
      page.forgotAction = "/account/forgot-password?i=" + self.untrusted
      page.signUpAction = "/account/sign-up?i=" + self.untrusted
      page.upstreams = [UpstreamChoice(id: "corp", name: self.untrusted)]
      page.isOnPublicDevice = purpose == .account
      return ("sign in, passkey, \(purpose)", self.pages.signIn(page))
    }
    let parameters = [("code", self.untrusted), ("state", self.untrusted)]
    return signIns + [
      ("account, passkey, prompt", self.pages.account(self.account(self.passkey(.registration)))),
      (
        "form post",
        self.pages.formPost(to: "https://web.example/cb?i=" + self.untrusted, appName: self.untrusted, parameters)
      ),
    ]
  }

  /// Returns the account page of a user who has passkeys.
  /// - Parameter prompt: The button that adds a passkey with a script; nil for the button that asks for a sign-in
  ///   first.
  package func account(_ prompt: PasskeyPrompt?) -> AccountPage {
    var page = self.account
    let time = Timestamp(seconds: 1_795_442_700)
    page.passkeys = AccountPage.Passkeys(
      entries: [
        .init(id: self.untrusted, name: self.untrusted, isBackedUp: true, createdAt: time),
        .init(
          id: self.untrusted + "2", name: "", createdAt: time, lastUsedAt: time),
      ],
      prompt: prompt)
    page.newEmail = self.untrusted
    page.passkeys?.entries[0].newName = self.untrusted
    // The email address is verified only with a prompt, so that the pages show both states.
    (page.canChangeEmail, page.isEmailVerified) = (true, prompt != nil)
    return page
  }

  package func passkey(_ kind: PasskeyPrompt.Kind) -> PasskeyPrompt {
    PasskeyPrompt(
      kind, form: PasskeyForm(options: "{\"challenge\":\"\(self.untrusted)\"}", challenge: Secret(self.untrusted)),
      action: "/passkey?i=" + self.untrusted, csrfToken: self.untrusted)
  }
}
