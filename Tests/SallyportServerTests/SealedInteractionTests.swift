import Foundation
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// An interaction contains the authorization request, and is sealed in the URL of the sign-in page. Only the server can
/// seal interactions, so a malformed parameter means a defect or a change to the format. Neither may weaken the
/// request.
@Suite("Sealed interactions")
struct SealedInteractionTests {
  private static let request = AuthorizeParameters().with("max_age", "60").with("login_hint", "ada").query

  /// Opens an interaction whose sealed parameters were changed.
  private static func opened(
    changing change: (inout [String: Any]) -> Void
  ) async throws -> Interaction {
    let fixture = try await TestServer()
    let interactions = fixture.server.interactions
    let sealed = try interactions.seal(try await fixture.server.authorization.receive(self.request))
    let sealer = Sealer(key: fixture.masterKey.key(for: "interactions"))
    let json = try sealer.open(try #require(Base64URL.decode(sealed)), context: "interaction")
    var object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    var parameters = try #require(object["p"] as? [String: Any])
    change(&parameters)
    object["p"] = parameters
    let changed = try sealer.seal(JSONSerialization.data(withJSONObject: object), context: "interaction")
    return try await interactions.open(Base64URL.encode(changed))
  }

  @Test("an opened interaction has the parameters of the request")
  func unchanged() async throws {
    let interaction = try await Self.opened { _ in }
    let parameters = interaction.parameters
    #expect(parameters.challenge?.value == AuthorizeParameters.challenge)
    #expect(parameters.scope == "openid profile email offline_access" && parameters.nonce == "n-0S6_WzA2Mj")
    #expect(parameters.maxAge == 60 && parameters.loginHint == "ada")
    #expect(interaction.redirect.state == "af0ifjsldkj")
  }

  @Test("an interaction of an earlier version, which does not say whether the user chose another account, can be opened")
  func earlierVersion() async throws {
    let fixture = try await TestServer()
    let interactions = fixture.server.interactions
    let sealer = Sealer(key: fixture.masterKey.key(for: "interactions"))
    let interaction = try await fixture.server.authorization.receive(Self.request)
    // An interaction as it begins, and after the user chose to use another account (with an empty user name).
    for sealed in [try interactions.seal(interaction), try interactions.switchingAccount(interaction, to: "")] {
      let json = try sealer.open(try #require(Base64URL.decode(sealed)), context: "interaction")
      var object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
      // This member says that the user chose to use another account.
      object["w"] = nil
      let earlier = try sealer.seal(JSONSerialization.data(withJSONObject: object), context: "interaction")
      // Without the member, the user must choose an account if the interaction has prompt=select_account, which
      // `switchingAccount` adds.
      let opened = try await interactions.open(Base64URL.encode(earlier))
      #expect(opened.asksForAccount == (try await interactions.open(sealed)).parameters.prompt.contains(.selectAccount))
    }
  }

  @Test("an interaction with an essential acr is sealed so that servers that do not check this claim cannot open it")
  func essentialContext() async throws {
    let fixture = try await TestServer()
    let interactions = fixture.server.interactions
    let sealer = Sealer(key: fixture.masterKey.key(for: "interactions"))
    let claims = #"{"id_token":{"acr":{"essential":true,"value":"phr"}}}"#
    for (request, isEssential) in [(AuthorizeParameters(), false), (AuthorizeParameters().with("claims", claims), true)] {
      let sealed = try interactions.seal(try await fixture.server.authorization.receive(request.query))
      let bytes = try #require(Base64URL.decode(sealed))
      // Versions that do not check the claim open interactions only with this context.
      let opensInEarlierVersion = (try? sealer.open(bytes, context: "interaction")) != nil
      #expect(opensInEarlierVersion != isEssential)
      let opened = try await interactions.open(sealed)
      #expect((opened.parameters.essentialContexts == ["phr"]) == isEssential)
    }
  }

  @Test(
    "S-02: an interaction with a malformed parameter is invalid as a whole",
    // The names are the coding keys of `AuthorizationParameters`.
    arguments: [
      ("h", "short"), ("h", ""), ("h", 1), ("s", "a\u{7F}b"), ("q", "\""), ("p", "login"), ("m", "soon"), ("r", "x"), ("x", "y"),
    ] as [(String, any Sendable)])
  func malformed(name: String, value: any Sendable) async throws {
    do {
      _ = try await Self.opened { $0[name] = value }
      Issue.record("the interaction was opened")
    } catch AuthorizeError.page(let reason) { #expect(reason == .interactionInvalid) }
  }
}
