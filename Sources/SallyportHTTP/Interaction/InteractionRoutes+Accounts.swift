import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

// The page on which the user chooses the account for an app's request.
extension InteractionRoutes {
  private static var purpose: String { "account choice" }

  var chooser: AccountChooser {
    AccountChooser(server: self.server, cookies: self.cookies, signInForms: self.signInForms)
  }

  func chooserPage(
    _ interaction: Interaction, _ sealed: String, _ sessions: [BrowserSessions.Active], _ request: Request
  ) -> Response {
    let redirect = interaction.redirect
    let page = AccountChooserPage(
      appName: redirect.client.name, isVerified: redirect.isRegisteredByOperator,
      entries: self.chooser.entries(sessions, request),
      action: InteractionPath.account.relativeURL(sealed, self.render.issuer),
      csrfToken: self.server.csrfTokens.token(
        purpose: Self.purpose, session: sessions.first?.record, interaction: interaction.id),
      otherAccountAction: InteractionPath.switchAccount.relativeURL(sealed, self.render.issuer))
    let render = self.render.localized(for: request, uiLocales: interaction.parameters.uiLocales)
    return render.page(render.pages.accountChooser(page), policy: .interaction)
  }

  /// Accepts the form. If its CSRF token is invalid, nothing changes, and the page is shown again. After an account was
  /// removed, the page is shown again even if only one account remains, because the app's request must not continue
  /// with this account unless the user chooses it.
  @Sendable func chooseAccount(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, _) = try await self.interaction(of: request)
      let sessions = try await self.sessions(of: request)
      guard
        self.server.csrfTokens.isValid(
          form["csrf"], purpose: Self.purpose, session: sessions.first?.record, interaction: interaction.id)
      else { return self.redirect(to: try self.server.interactions.askingForAccount(interaction)) }
      if let name = form[AccountChooser.Field.remove.rawValue] {
        var response = self.redirect(to: try self.server.interactions.askingForAccount(interaction))
        try await self.chooser.remove(name, sessions, request, context, on: &response)
        return response
      }
      switch self.chooser.choice(form, sessions, request) {
      case .session(let session):
        return self.redirect(to: try self.server.interactions.choosing(session.account.id, for: interaction))
      case .name(let name): return self.redirect(to: try self.server.interactions.switchingAccount(interaction, to: name))
      case nil: return self.redirect(to: try self.server.interactions.askingForAccount(interaction))
      }
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }
}
