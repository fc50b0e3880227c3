import SallyportHTTP
import SallyportServer

extension SamplePages {
  /// The pages on which users create accounts, in several variants.
  package var signUps: [(name: String, html: String)] {
    let states: [SignUpPage.State] = [
      .form, .sent, .failed(.invalid), .failed(.throttled), .failed(.overloaded), .failed(.expired),
    ]
    let failures: [NewAccountPage.Failure?] = [
      nil, .usernameInvalid, .usernameTaken, .nameInvalid, .entriesDiffer, .passwordNotAccepted(.tooShort(minimumLength: 15)),
      .busy, .throttled, .expired,
    ]
    return states.map { state in
      let page = SignUpPage(
        state, email: self.untrusted, action: "/account/sign-up?i=" + self.untrusted, csrfToken: self.untrusted,
        signInAction: "/interaction/switch-account?i=" + self.untrusted)
      return ("sign up, \(state)", self.pages.signUp(page))
    }
      + failures.map { failure in
        let page = NewAccountPage(
          email: self.untrusted, username: self.untrusted, name: self.untrusted, failure: failure, minimumLength: 15,
          action: "/account/sign-up/account", csrfToken: self.untrusted)
        return ("new account, \(failure.map { "\($0)" } ?? "first")", self.pages.newAccount(page))
      }
  }
}
