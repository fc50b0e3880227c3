import SallyportHTTP

extension SamplePages {
  /// The page for a forgotten password in all states, and the pages of one-time links with all contents.
  package var links: [(name: String, html: String)] {
    let states: [ForgotPasswordPage.State] = [.form, .sent, .throttled]
    let withForm: [AccountLinkPage.Content] = [
      .invitation, .passwordReset, .emailVerification(email: self.untrusted), .signUp(email: self.untrusted),
    ]
    let withoutForm: [AccountLinkPage.Content] = [.signInNeeded, .passwordSet, .accountCreated]
    return states.map { state in
      let page = ForgotPasswordPage(state, action: "/account/forgot-password?i=" + self.untrusted, csrfToken: self.untrusted)
      return ("forgot password, \(state)", self.pages.forgotPassword(page))
    }
      + withForm.map { content in
        // The user of a sign-up link has no user name yet.
        let page = AccountLinkPage(
          content, username: content == .signUp(email: self.untrusted) ? "" : self.untrusted, action: "/account/link",
          form: (csrfToken: self.untrusted, token: self.untrusted))
        return ("link, \(content)", self.pages.accountLink(page))
      }
      + withoutForm.map { content in
        var page = AccountLinkPage(content, username: self.untrusted, action: "/account")
        page.passkeyAction = content == .signInNeeded ? nil : "/account/sign-in?for=passkeys"
        return ("link, \(content)", self.pages.accountLink(page))
      }
  }
}
