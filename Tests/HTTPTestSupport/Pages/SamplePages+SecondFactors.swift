package import SallyportHTTP
import SallyportProtocol

extension SamplePages {
  /// The pages that ask for a code, set up an authenticator app, and show recovery codes.
  package var secondFactors: [(name: String, html: String)] {
    let failures: [SecondFactorPage.Failure?] = [nil, .wrongCode, .throttled(seconds: 61)]
    let codes: [(name: String, html: String)] = failures.flatMap { failure in
      [(true, true), (true, false), (false, true)].map { acceptsApp, acceptsRecoveryCode in
        let page = self.secondFactor(failure, acceptsApp: acceptsApp, acceptsRecoveryCode: acceptsRecoveryCode)
        let name = "code, \(failure.map { "\($0)" } ?? "first"), \(acceptsApp), \(acceptsRecoveryCode)"
        return (name, self.pages.secondFactor(page))
      }
    }
    let apps: [(name: String, html: String)] = [true, false].map { isFirst in
      let page = AuthenticatorAppPage(
        qrCode: isFirst ? QRCode(Secret("otpauth://totp/x?secret=A")) : nil, secret: Secret("ABCD EFGH"),
        enrollment: Secret(self.untrusted), isCodeWrong: !isFirst, action: "/account/authenticator", csrfToken: self.untrusted,
        cancelAction: "/account")
      return ("authenticator app, \(isFirst ? "first" : "wrong code, no QR code")", self.pages.authenticatorApp(page))
    }
    let recovery = RecoveryCodesPage(
      .newCodes, username: self.untrusted, codes: [Secret("abcd-efgh-jkmn")], accountAction: "/account")
    return codes + apps + [("recovery codes", self.pages.recoveryCodes(recovery))]
  }

  package func secondFactor(
    _ failure: SecondFactorPage.Failure? = nil, acceptsApp: Bool = true, acceptsRecoveryCode: Bool = true
  ) -> SecondFactorPage {
    SecondFactorPage(
      username: self.untrusted, acceptsApp: acceptsApp, acceptsRecoveryCode: acceptsRecoveryCode, failure: failure,
      action: "/code?i=" + self.untrusted, csrfToken: self.untrusted, state: self.untrusted,
      startOverAction: "/interaction?i=" + self.untrusted)
  }
}
