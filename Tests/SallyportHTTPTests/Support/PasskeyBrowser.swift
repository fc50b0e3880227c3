import Foundation
import HTTPTestSupport
import SallyportProtocol
import SallyportWebAuthn
import Testing
import WebAuthnTestSupport

/// The form of a page that asks the browser for a passkey.
struct PasskeyFormFields {
  let action: String
  let csrf: String
  let challenge: String
  let options: Data

  /// - Returns: Nil if the page has no such form.
  init?(_ page: Reply) {
    let pattern =
      /<form id="passkey" method="post" action="([^"]*)" data-kind="[a-z]*" data-options="([^"]*)" hidden>\s*<input type="hidden" name="csrf" value="([^"]*)">\s*<input type="hidden" name="challenge" value="([^"]*)">/
    guard let match = page.body.firstMatch(of: pattern) else { return nil }
    self.action = String(match.1)
    self.options = Data(String(match.2).replacing("&quot;", with: "\"").utf8)
    self.csrf = String(match.3)
    self.challenge = String(match.4)
  }
}

extension TestBrowser {
  /// Adds a passkey on the account page, after signing in with a password if necessary.
  /// - Returns: The page with new recovery codes if the account had no unused ones, and otherwise the account page.
  func addPasskey(_ authenticator: inout SoftwareAuthenticator, as username: String = "ada") async throws -> Reply {
    let signIn = try await self.open("/account")
    let page = signIn.isSignInPage ? try await self.signIn(signIn, as: username) : signIn
    let form = try #require(PasskeyFormFields(page))
    let options = try JSONDecoder().decode(PublicKeyCredentialCreationOptionsJSON.self, from: form.options)
    let response = try authenticator.register(options).json()
    return try await self.send(form, response)
  }

  /// Signs in with a passkey on a sign-in page.
  func signIn(_ page: Reply, with authenticator: inout SoftwareAuthenticator) async throws -> Reply {
    let form = try #require(PasskeyFormFields(page))
    return try await self.send(form, try Self.response(to: form, with: &authenticator))
  }

  /// Returns the browser's response to the options of a sign-in page.
  static func response(to form: PasskeyFormFields, with authenticator: inout SoftwareAuthenticator) throws -> [UInt8] {
    let options = try JSONDecoder().decode(PublicKeyCredentialRequestOptionsJSON.self, from: form.options)
    return try authenticator.authenticate(options).json()
  }

  /// Posts a response, and follows the redirects.
  func send(_ form: PasskeyFormFields, _ response: [UInt8]) async throws -> Reply {
    let fields = [
      ("csrf", form.csrf), ("challenge", form.challenge), ("response", String(decoding: response, as: UTF8.self)),
    ]
    let reply = try await self.post(form.action, fields)
    guard let location = reply.location else { return reply }
    return try await self.open(location)
  }
}
