import ArgumentParser
import Sallyport
import SallyportProtocol

/// The options of `login` that add parameters to the authorization request.
struct RequestParameterOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The API that the tokens are for, if the server expects \"audience\" instead of \"resource\"."))
  var audience: String?

  @Option(
    name: .customLong("login-hint"), help: "The user name or email address that the sign-in page suggests.")
  var loginHint: String?

  @Option(
    help: ArgumentHelp(
      "The prompts that the server must show: create, or one or more of login, consent, and select_account.",
      valueName: "prompt"),
    transform: Self.prompt)
  var prompt: Prompt?

  @Option(
    name: .customLong("acr-values"),
    help: ArgumentHelp("The authentication context classes to request, in order of preference.", valueName: "acr-values"))
  var acrValues: String?

  @Option(
    help: ArgumentHelp(
      "A parameter that the server defines, for example access_type=offline. Can be repeated.", valueName: "name=value"),
    transform: Self.parameter)
  var param: [Parameter] = []

  /// A parameter of the authorization request.
  struct Parameter: Equatable {
    var name: String
    var value: String
  }

  func validate() throws {
    do {
      _ = try AdditionalParameters(self.pairs)
    } catch .reserved(let name) {
      let option = Self.options[name.lowercased()].map { "use \($0)" } ?? "the command sets it itself"
      throw ValidationError("--param cannot set \"\(Printable.text(name))\"; \(option).")
    } catch .repeated(let name) {
      throw ValidationError("The parameter \"\(Printable.text(name))\" is specified more than once.")
    } catch {
      throw ValidationError("--param must have the form NAME=VALUE.")
    }
  }

  /// The options that apply to this sign-in only.
  var oneTimeParameters: OneTimeParameters {
    let acrValues = self.acrValues?.split(separator: " ").map(String.init) ?? []
    return OneTimeParameters(loginHint: self.loginHint, prompt: self.prompt ?? [], acrValues: acrValues)
  }

  /// Options that apply to one sign-in only.
  struct OneTimeParameters: Sendable {
    var loginHint: String?
    var prompt: Prompt
    var acrValues: [String]
  }

  /// The parameters that later sign-ins to the account repeat unless they specify others.
  var parameters: [String: String] {
    // `validate()` rejects repeated names, so it does not matter which value is kept.
    Dictionary(self.pairs.map { ($0.name, $0.value) }) { first, _ in first }
  }

  private var pairs: [(name: String, value: String)] {
    self.param.map { (name: $0.name, value: $0.value) } + (self.audience.map { [(name: "audience", value: $0)] } ?? [])
  }

  /// The reserved parameters that have an option.
  private static let options = [
    "scope": "--scope", "resource": "--resource", "redirect_uri": "--redirect-uri", "client_id": "--client-id",
    "prompt": "--prompt", "login_hint": "--login-hint", "acr_values": "--acr-values",
    "client_secret": "--client-secret-file", "dpop_jkt": "--dpop",
  ]

  @Sendable private static func parameter(_ text: String) throws -> Parameter {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw ValidationError("a parameter must have the form NAME=VALUE")
    }
    return Parameter(name: parts[0], value: parts[1])
  }

  @Sendable private static func prompt(_ text: String) throws -> Prompt {
    let words = Set(text.split { $0 == " " || $0 == "," }.map(String.init))
    let known = Set(Prompt([.login, .consent, .selectAccount, .create]).description.split(separator: " ").map(String.init))
    guard !words.isEmpty, words.isSubset(of: known), let prompt = Prompt(parsing: words.joined(separator: " ")) else {
      throw ValidationError("a prompt must be create, or one or more of login, consent, and select_account")
    }
    return prompt
  }
}
