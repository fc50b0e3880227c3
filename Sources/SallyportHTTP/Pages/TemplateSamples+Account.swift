import SallyportProtocol
import SallyportServer

/// Samples of the account page, and of the pages that lead to it or belong to it.
///
/// Most values are the Mustache tags that stand for the values in the template. Together, the samples of a list show
/// every form of the template.
extension TemplateSamples {
  var accounts: [AccountPage] {
    let empty = AccountPage(
      username: "{{username}}", passwordChangedAt: Self.time, path: "{{path}}", csrfToken: "{{csrfToken}}",
      signOutAction: "{{signOutAction}}", signOutCSRFToken: "{{signOutCSRFToken}}")
    var full = empty
    full.email = "{{email}}"
    full.canChangeEmail = true
    full.canDelete = true
    full.status = .accessRevoked
    full.twoStep = AccountPage.TwoStep(authenticatorAddedAt: Self.time, recoveryCodes: 10, canCreateCodes: true)
    full.passkeys = AccountPage.Passkeys(
      entries: [.init(id: "{{id}}", name: "{{name}}", createdAt: Self.time)], prompt: Self.passkey(.registration))
    full.providers = AccountPage.Providers(
      entries: [.init(issuer: "{{issuer}}", subject: "{{subject}}", name: "{{name}}", connectedAt: Self.time)],
      choices: [UpstreamChoice(id: "{{id}}", name: "{{name}}")])
    full.browsers = [true, false].map { isCurrent in
      AccountPage.Browser(
        id: "{{id}}", name: BrowserName(userAgent: nil), address: "{{address}}", signedInAt: Self.time, lastSeenAt: Self.time,
        isCurrent: isCurrent)
    }
    full.apps = [.init(id: "{{id}}", name: "{{name}}", scopes: [ScopeLine("{{token}}")], since: Self.time)]
    full.activity = [.init(at: Self.time, .activityGrant, app: "{{name}}", address: "{{address}}")]
    var signInNeeded = full
    signInNeeded.passkeys?.prompt = nil
    signInNeeded.isEmailVerified = true
    signInNeeded.status = .nameInvalid
    return [empty, full, signInNeeded]
  }

  var choosers: [AccountChooserPage] {
    let entries = [true, false].map {
      AccountChooserPage.Entry(username: "{{value}}", name: $0 ? "{{name}}" : nil, isSignedIn: $0)
    }
    return [
      AccountChooserPage(
        entries: entries, action: "{{action}}", csrfToken: "{{csrfToken}}", otherAccountAction: "{{otherAccountAction}}",
        signsOutAll: true, accountAction: "{{accountAction}}"),
      AccountChooserPage(
        appName: "{{appName}}", isVerified: false, entries: entries, action: "{{action}}", csrfToken: "{{csrfToken}}",
        otherAccountAction: "{{otherAccountAction}}"),
    ]
  }

  var deletions: [AccountDeletionPage] {
    [true, false].map {
      AccountDeletionPage(
        username: "{{username}}", isNameWrong: $0, action: "{{action}}", csrfToken: "{{csrfToken}}",
        cancelAction: "{{cancelAction}}")
    }
  }

  var authenticatorApps: [AuthenticatorAppPage] {
    [true, false].map {
      AuthenticatorAppPage(
        qrCode: $0 ? QRCode(Secret("otpauth://totp/")) : nil, secret: Secret("{{secret}}"),
        enrollment: Secret("{{enrollment}}"), isCodeWrong: !$0, action: "{{action}}", csrfToken: "{{csrfToken}}",
        cancelAction: "{{cancelAction}}")
    }
  }

  static var recoveryCodes: RecoveryCodesPage {
    RecoveryCodesPage(
      .newCodes, username: "{{username}}", codes: [Secret("{{code}}")], accountAction: "{{accountAction}}")
  }

  var links: [AccountLinkPage] {
    var done = AccountLinkPage(.passwordSet, username: "{{username}}", action: "{{action}}")
    done.passkeyAction = "{{passkeyAction}}"
    let form = (csrfToken: "{{csrfToken}}", token: "{{token}}")
    return [
      done, AccountLinkPage(.signInNeeded, username: "{{username}}", action: "{{action}}"),
      AccountLinkPage(.invitation, username: "{{username}}", action: "{{action}}", form: form),
      AccountLinkPage(.signUp(email: "{{email}}"), username: "", action: "{{action}}", form: form),
    ]
  }

  var forgotPasswords: [ForgotPasswordPage] {
    let states: [ForgotPasswordPage.State] = [.form, .throttled, .sent]
    return states.map { ForgotPasswordPage($0, action: "{{action}}", csrfToken: "{{csrfToken}}") }
  }

  var signUps: [SignUpPage] {
    let states: [SignUpPage.State] = [.form, .failed(.invalid), .sent]
    return states.map {
      SignUpPage(
        $0, email: "{{email}}", action: "{{action}}", csrfToken: "{{csrfToken}}", signInAction: "{{signInAction}}")
    }
  }

  var newAccounts: [NewAccountPage] {
    let failures: [NewAccountPage.Failure?] = [nil, .entriesDiffer]
    return failures.map {
      NewAccountPage(
        email: "{{email}}", username: "{{username}}", name: "{{name}}", failure: $0, minimumLength: 15, action: "{{action}}",
        csrfToken: "{{csrfToken}}")
    }
  }

  private static var time: Timestamp { Timestamp(seconds: 1_700_000_000) }
}
