import SallyportProtocol
import SallyportServer

@testable import SallyportHTTP

extension PageGallery {
  static func accounts(_ pages: Pages) -> [(name: String, html: String)] {
    let time = Timestamp(seconds: 1_795_442_700)
    var page = AccountPage(
      username: "alice", name: "Alice", email: "alice@example.com", passwordChangedAt: time - .seconds(86_400 * 40),
      browsers: [
        .init(
          id: "1", name: BrowserName(userAgent: "Firefox/ Linux"), address: "203.0.113.7", signedInAt: time - .seconds(700),
          lastSeenAt: time,
          isCurrent: true),
        .init(
          id: "2", name: BrowserName(userAgent: "Safari/ iPhone"), address: "2001:db8:85a3:8d3:1319:8a2e:370:7348",
          signedInAt: time - .seconds(86_400 * 12), lastSeenAt: time - .seconds(3_600)),
      ],
      apps: [
        .init(
          id: "notes", name: "Notes", scopes: ScopeLine.lines("openid profile offline_access"),
          since: time - .seconds(86_400 * 20),
          lastUsedAt: time - .seconds(600)),
        .init(
          id: "long", name: self.long, isVerified: false,
          documentHost: "accounts.with.a.very.long.name.of.labels.notes.example.com",
          scopes: ScopeLine.lines("openid https://api.example.com/scope/billing.readonly"),
          resources: ["https://mcp.notes.example.com/servers/quarterly-reports", "https://api.example.com/"],
          since: time - .seconds(86_400 * 3)),
        .init(id: "hostile", name: self.hostile, isVerified: false, since: time, lastUsedAt: time),
      ],
      activity: [
        .init(at: time, .activityGrant, app: "Notes", address: "203.0.113.7"),
        .init(at: time - .seconds(90), .activityWrongPassword, address: "198.51.100.23"),
      ],
      status: .accessRevoked, canDelete: true, path: "/account", csrfToken: "t", signOutAction: "/sign-out", signOutCSRFToken: "t"
    )
    var result = [("account", pages.account(page))]
    page.status = .expired
    result.append(("account-activity", pages.account(page).replacing("<details>", with: "<details open>")))
    (page.apps, page.activity, page.email, page.status) = ([], [], nil, nil)
    page.passwordChangedAt = nil
    page.browsers.removeLast()
    result.append(("account-empty", pages.account(page)))
    result += [false, true].map { isNameWrong in
      let deletion = AccountDeletionPage(
        username: "alice", isNameWrong: isNameWrong, action: "/", csrfToken: "t", cancelAction: "/account")
      return ("account-delete-\(isNameWrong)", pages.accountDeletion(deletion))
    }
    let confirmation = SignInPage.Confirmation(isRecent: true, acceptsPasskey: true, acceptsCode: true)
    let purposes: [(name: String, purpose: SignInPage.Purpose)] = [
      ("account", .account), ("confirmation", .confirmation(confirmation)),
    ]
    result += purposes.map { name, purpose in
      let signIn = SignInPage(appName: "", username: "alice", action: "/", csrfToken: "t", purpose: purpose)
      return ("account-sign-in-\(name)", pages.signIn(signIn))
    }
    let sample = SamplePages(untrusted: "alice")
    result += [
      ("account-code", pages.secondFactor(sample.secondFactor(.wrongCode))),
      ("account-code-recovery", pages.secondFactor(sample.secondFactor(acceptsApp: false))),
      (
        "account-authenticator",
        pages.authenticatorApp(
          AuthenticatorAppPage(
            qrCode: QRCode(Secret("otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example")),
            secret: Secret("GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"), enrollment: Secret("e"), action: "/", csrfToken: "t",
            cancelAction: "/"))
      ),
      (
        "account-recovery-codes",
        pages.recoveryCodes(
          RecoveryCodesPage(
            .appAdded, username: "alice", codes: (0..<10).map { Secret("7k3m-q8tw-z2x\($0)") }, accountAction: "/"))
      ),
    ]
    let change = ChangePasswordPage(
      username: "alice", minimumLength: 15, action: "/", csrfToken: "t", proof: nil, cancelAction: "/account")
    return result + [
      ("account-password", pages.changePassword(change)),
      ("account-deleted", pages.signedOut(SignedOutPage(isAccountDeleted: true))),
    ]
  }
}
