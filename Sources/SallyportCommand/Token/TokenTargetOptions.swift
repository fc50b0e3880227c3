import ArgumentParser
import Sallyport
import SallyportProtocol

/// The options that choose what a token is for.
struct TokenTargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Print a token for these scopes, separated by spaces, instead of the account's own token.",
      discussion: "Microsoft Entra determines the API from the scopes, so use this option there instead of --for-resource."),
    transform: Arguments.scope)
  var scope: Scope?

  @Option(
    help: ArgumentHelp(
      "Print a token for this API instead of the account's own token. Can be repeated.",
      discussion:
        "The server must support resource indicators (RFC 8707). Most servers allow only the API of `login --resource`; some also allow other APIs.",
      valueName: "resource"),
    transform: Arguments.resourceIndicator)
  var forResource: [ResourceIndicator] = []

  /// Checks that the account's provider supports the options. At GitHub and GitLab, a new token would replace the
  /// account's own token. Dropbox, GitHub, and Google would ignore `--for-resource` and issue a token with all rights
  /// of the account.
  /// - Throws: `ValidationError`
  func check(_ account: Account) throws(ValidationError) {
    guard self.target != nil, let provider = account.provider else { return }
    guard !provider.replacesAccessToken else {
      throw ValidationError(
        "--scope and --for-resource cannot be used with \(provider.text), where a new access token replaces the account's own. Use "
          + "`sallyport token`, or sign in to a second account with another --profile and --scope.")
    }
    guard self.forResource.isEmpty || !provider.ignoresResource else {
      throw ValidationError(
        "--for-resource cannot be used with \(provider.text), which does not support resource indicators (RFC 8707). The token would be "
          + "for all of the account's APIs.")
    }
  }

  /// `nil` for the account's own token.
  var target: TokenTarget? {
    guard self.scope != nil || !self.forResource.isEmpty else { return nil }
    return TokenTarget(scope: self.scope ?? [], resources: self.forResource)
  }
}
