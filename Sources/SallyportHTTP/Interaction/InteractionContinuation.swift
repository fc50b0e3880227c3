import Hummingbird
import SallyportProtocol
import SallyportServer

/// Returns a user to an app's request after the user has opened a mailed link.
///
/// The app's authorization request on its way through sign-in and consent is an *interaction*. The server does
/// not store it: the addresses of the pages contain it, encrypted.
///
/// 1. A sign-in page links to another page, such as the page for forgotten passwords. ``address(of:for:)`` adds the
///    encrypted interaction to the link.
/// 2. When the user submits the form of the linked page, ``keep(_:on:)`` stores the interaction in a cookie.
/// 3. When the user has completed the page of the mailed link, ``resume(_:as:)`` returns a redirect to the sign-in page
///    of the interaction. If it returns nil, this browser has no valid interaction, and the caller shows a page
///    instead.
///
/// The mailed link does not contain the interaction. The interaction therefore continues only in the browser that began
/// it, and no one can send a user a link that leads to someone else's request. The user must sign in, even if a session
/// exists, and the redirect leads only to the server's own sign-in page.
struct InteractionContinuation: Sendable {
  let server: AuthorizationServer
  let cookies: ServerCookies

  /// The maximum size of the encrypted interaction, in bytes. Browsers may ignore larger cookies: RFC 6265 §6.1
  /// requires them to support only 4,096 bytes, including the name and the attributes.
  private static var maximumSize: Int { 3_800 }
  private var issuer: Issuer { self.server.configuration.issuer }

  /// Returns the address of a page, with an encrypted interaction in its query.
  /// - Parameters:
  ///   - path: A path of the server, relative to the issuer.
  ///   - sealed: The encrypted interaction; nil if the user does not come from an app's request.
  func address(of path: String, for sealed: String?) -> String {
    self.issuer.path + path + (sealed.map { "?\(InteractionPath.parameter)=\($0)" } ?? "")
  }

  /// Returns the encrypted interaction in the address of a request; nil if there is none, or if it is invalid or has
  /// expired.
  func sealed(in request: Request) async -> String? { await self.interaction(in: request)?.sealed }

  /// Returns the interaction in the address of a request, both encrypted and opened; nil if there is no valid one.
  private func interaction(in request: Request) async -> (sealed: String, opened: Interaction)? {
    guard let query = request.uri.query, let form = try? FormParameters(parsing: query),
      let sealed = form[InteractionPath.parameter], let opened = try? await self.server.interactions.open(sealed)
    else { return nil }
    return (sealed, opened)
  }

  /// Returns the `ui_locales` of a request's interaction, which is in the address or in the cookie; nil if there is no
  /// interaction, or if it has no `ui_locales`.
  func uiLocales(of request: Request) async -> String? {
    if let (_, interaction) = await self.interaction(in: request) { return interaction.parameters.uiLocales }
    guard let kept = self.cookies.continuation.value(in: request) else { return nil }
    return (try? await self.server.interactions.open(kept))?.parameters.uiLocales
  }

  /// Stores the interaction from the address of a request in a cookie. If the address contains no valid interaction, or
  /// one that is too large, deletes the cookie, so that the user does not return to an earlier interaction.
  func keep(_ request: Request, on response: inout Response) async {
    if let sealed = await self.sealed(in: request), sealed.utf8.count <= Self.maximumSize {
      self.cookies.continuation.set(Secret(sealed), on: &response)
    } else {
      self.end(request, on: &response)
    }
  }

  /// Returns the redirect to the sign-in page of the browser's interaction, and removes the interaction from the
  /// browser.
  /// - Parameter username: The initial value of the field for the user name.
  /// - Returns: Nil if there is no interaction, or if it is invalid or has expired.
  func resume(_ request: Request, as username: String) async -> Response? {
    guard let kept = self.cookies.continuation.value(in: request),
      let interaction = try? await self.server.interactions.open(kept),
      let sealed = try? self.server.interactions.restartingSignIn(interaction, as: username)
    else { return nil }
    var response = Response.redirect(seeOther: InteractionPath.page.url(sealed, self.issuer))
    self.cookies.continuation.clear(on: &response)
    return response
  }

  /// Removes the interaction from the browser.
  func end(_ request: Request, on response: inout Response) {
    if self.cookies.continuation.value(in: request) != nil { self.cookies.continuation.clear(on: &response) }
  }
}
