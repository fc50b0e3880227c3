import ArgumentParser
import Sallyport
import SallyportProtocol

/// The options that choose what a token is for.
struct TokenTargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Print a token for these scopes, separated by spaces, instead of the account's own.",
      discussion: "Microsoft Entra recognizes the API by its scopes."),
    transform: Arguments.scope)
  var scope: Scope?

  @Option(
    help: ArgumentHelp(
      "Print a token for this API, instead of the account's own. Can be repeated.",
      discussion: "The server must support resource indicators (RFC 8707), and the sign-in must have named the API.",
      valueName: "resource"),
    transform: Arguments.resourceIndicator)
  var forResource: [ResourceIndicator] = []

  /// `nil` for the account's own token.
  var target: TokenTarget? {
    guard self.scope != nil || !self.forResource.isEmpty else { return nil }
    return TokenTarget(scope: self.scope ?? [], resources: self.forResource)
  }
}
