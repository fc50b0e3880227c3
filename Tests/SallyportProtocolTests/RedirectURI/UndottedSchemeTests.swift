import SallyportProtocol
import Testing

struct UndottedSchemeTests {
  private static let editorSchemes = UndottedSchemes(["cursor", "vscode"])

  @Test(
    "S-09: a redirect URI whose scheme has no period is accepted if the scheme is listed, with a host or a single slash",
    arguments: ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor:/cb", "vscode://pub.ext/cb?x=1", "CURSOR://a/b"])
  func listed(text: String) throws {
    let uri = try RedirectURI(text, schemes: Self.editorSchemes)
    #expect(uri.kind == .privateUse && uri.value == text && uri.hasUndottedScheme)
    #expect(throws: RedirectURIError.schemeWithoutPeriod) { try RedirectURI(text) }
  }

  @Test(
    "S-09, S-32: a listed scheme allows no other scheme and relaxes no other rule",
    arguments: [
      ("zed://x/cb", .schemeWithoutPeriod), ("cursor:cb", .notSingleSlash), ("cursor:///cb", .notSingleSlash),
      ("cursor://a/cb#f", .fragment), ("cursor://u@a/cb", .userInfo), ("cursor://a/../cb", .dotSegment),
      ("com.example.app://a/cb", .notSingleSlash), ("iris.beep:/x", .registeredScheme), ("http://a.example/", .plainHTTP),
    ] as [(String, RedirectURIError)])
  func unlisted(text: String, error: RedirectURIError) {
    #expect(throws: error) { try RedirectURI(text, schemes: Self.editorSchemes) }
  }

  @Test(
    "S-32: a reserved or invalid scheme cannot be allowed, and neither can a scheme with a period",
    arguments: [
      "javascript", "data", "file", "http", "https", "mailto", "blob", "about", "intent", "tel", "urn", "ws", "chrome",
      "vbscript",
      "JavaScript", "msapp", "com.example", "a b", "1a", "", "cursor:", "é",
    ])
  func reserved(scheme: String) {
    #expect(!UndottedSchemes.canAllow(scheme))
    // An https URI is a valid redirect URI anyway.
    guard scheme != "https" else { return }
    #expect(throws: RedirectURIError.self) { try RedirectURI("\(scheme)://x/cb", schemes: UndottedSchemes([scheme])) }
  }

  @Test("S-09: schemes of apps can be allowed", arguments: ["cursor", "vscode", "vscode-insiders", "windsurf", "zed"])
  func allowed(scheme: String) {
    #expect(UndottedSchemes.canAllow(scheme))
  }
}
