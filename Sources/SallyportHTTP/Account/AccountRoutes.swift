import Hummingbird
import Logging
import SallyportLanguages
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The account page, and its forms for the name, the language, the browsers, and the apps.
struct AccountRoutes: Sendable {
  let requests: AccountRequests

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.page.rawValue), use: self.page)
    router.post(RouterPath(AccountPath.profile.rawValue), use: self.changeProfile)
    router.post(RouterPath(AccountPath.language.rawValue), use: self.changeLanguage)
    router.post(RouterPath(AccountPath.browsers.rawValue), use: self.signOutBrowsers)
    router.post(RouterPath(AccountPath.apps.rawValue), use: self.withdrawAccess)
    for path in [AccountPath.profile, .language, .browsers, .apps] {
      router.get(RouterPath(path.rawValue)) { _, _ in self.requests.redirect(to: .page) }
    }
  }

  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let cookie = self.requests.cookies.session.value(in: request)
      guard let overview = try await self.requests.server.selfService.overview(cookie) else {
        return try await self.requests.signInPage(for: .page, nil, request)
      }
      let session = overview.session
      var page = AccountPage(
        overview, path: self.requests.path(.page), csrfToken: self.requests.csrfToken(.account, session),
        signOutAction: self.requests.render.issuer.path + SignOutRoutes.path,
        signOutCSRFToken: self.requests.server.csrfTokens.token(
          purpose: SignOutRoutes.purpose, session: session.record, interaction: nil))
      page.canChangeEmail = self.requests.server.mailDeliveries != nil
      page.canDelete = self.requests.server.configuration.allowsAccountDeletion
      page.activityDays = Int(self.requests.server.selfService.activityPeriod.components.seconds / 86_400)
      page.status = self.requests.status(in: request, session)
      let draft = self.requests.draft(in: request, session)
      if case .email(let email) = draft { page.newEmail = email }
      page.passkeys = self.passkeys(overview, draft, csrfToken: page.csrfToken)
      page.providers = try await self.providers(overview)
      let render = self.requests.render.localized(for: request, account: session.account)
      // The form that connects a provider leads to another site.
      return render.page(
        render.pages.account(page), policy: page.providers.choices.isEmpty ? .standalone : .leaving,
        script: page.passkeys?.prompt == nil ? nil : PasskeyPrompt.scriptHash)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  private func providers(_ overview: AccountOverview) async throws -> AccountPage.Providers {
    let upstreams = try await self.requests.server.upstreamSignIn?.choices() ?? []
    let connected = Set(overview.identities.map(\.issuer))
    return AccountPage.Providers(
      entries: overview.identities.map { identity in
        AccountPage.Providers.Entry(
          issuer: identity.issuer, subject: identity.subject,
          name: upstreams.first { $0.issuer == identity.issuer }?.name ?? identity.issuer, label: identity.label,
          connectedAt: identity.createdAt, lastUsedAt: identity.lastUsedAt)
      },
      choices: upstreams.filter { !connected.contains($0.issuer) }.map { UpstreamChoice(id: $0.id, name: $0.name) })
  }

  /// - Returns: Nil if passkeys cannot be used.
  private func passkeys(
    _ overview: AccountOverview, _ draft: AccountDraft?, csrfToken: String
  ) -> AccountPage.Passkeys? {
    guard let registration = self.requests.server.passkeys else { return nil }
    var passkeys = AccountPage.Passkeys(overview.passkeys)
    if case .passkeyName(let name, let id) = draft, let index = passkeys.entries.firstIndex(where: { $0.id == id }) {
      passkeys.entries[index].newName = name
    }
    if self.requests.server.selfService.isRecentlyAuthenticated(overview.session),
      overview.factors.permitChanges(with: overview.session.record.authenticationMethods)
    {
      passkeys.prompt = registration.form(for: overview.session, existing: overview.passkeys).map { form in
        PasskeyPrompt(.registration, form: form, action: self.requests.path(.passkeys), csrfToken: csrfToken)
      }
    }
    return passkeys
  }

  @Sendable func changeProfile(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.account, request, context) { form, session in
      do {
        let outcome = try await self.requests.server.selfService.setName(form["name"] ?? "", in: session, from: context.origin)
        return self.requests.response(to: outcome, .nameChanged, .page, session)
      } catch AccountError.invalidName {
        return self.requests.redirect(with: .nameInvalid, session)
      }
    }
  }

  @Sendable func changeLanguage(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.account, request, context) { form, session in
      // If the tag is unknown, no language is stored for the account, and its pages are in the browser's language.
      let language = form["language"].flatMap { Language(rawValue: $0) }
      let outcome = try await self.requests.server.selfService.setLanguage(language, in: session, from: context.origin)
      return self.requests.response(to: outcome, .languageChanged, .page, session)
    }
  }

  /// Signs the user out of one other browser or of all others.
  ///
  /// This requires a recent sign-in. Otherwise, a thief who has only a stolen cookie could sign out the user.
  @Sendable func signOutBrowsers(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.account, requiringRecentSignInFor: .browsers, request, context) { form, session in
      switch (form["action"], form["browser"]) {
      case ("sign-out", let browser?):
        let outcome = try await self.requests.server.selfService.signOutOtherBrowsers(browser, in: session, from: context.origin)
        return self.requests.response(to: outcome, .browserSignedOut, .browsers, session)
      case ("sign-out-others", nil):
        let outcome = try await self.requests.server.selfService.signOutOtherBrowsers(in: session, from: context.origin)
        return self.requests.response(to: outcome, .otherBrowsersSignedOut, .browsers, session)
      default: return self.requests.redirect(with: .unchanged, session)
      }
    }
  }

  /// Withdraws the access of an app. This does not require a recent sign-in, because it only takes rights away, and the
  /// user can allow the app again.
  @Sendable func withdrawAccess(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.account, request, context) { form, session in
      guard form["action"] == "revoke", let client = form["client"] else {
        return self.requests.redirect(with: .unchanged, session)
      }
      let outcome = try await self.requests.server.selfService.withdrawAccess(
        of: ClientID(rawValue: client), in: session, from: context.origin)
      if outcome == .done { context.logger.info("access withdrawn", metadata: ["account": "\(session.account.id.rawValue)"]) }
      return self.requests.response(to: outcome, .accessRevoked, .page, session)
    }
  }
}
