import ArgumentParser
import Sallyport
import SallyportProtocol

/// The account that the arguments of `switch` choose. Unlike with ``AccountChoice``, it is an error if several accounts
/// match.
struct SwitchChoice {
  /// The name of an account on the command line.
  enum Name: Equatable {
    /// `-`, which means an account without a profile, as in the output of `accounts`.
    case unnamed
    case profile(ProfileName)

    @Sendable static func parse(_ text: String) throws -> Name {
      text == "-" ? .unnamed : .profile(try Arguments.profile(text))
    }
  }

  var name: Name?
  var options = AccountChoice()

  var isEmpty: Bool { self.name == nil && self.options.isEmpty }

  /// The chosen account.
  /// - Throws: ``CommandFailure`` if no account matches, `ValidationError` if several do.
  func account(in accounts: [Account]) throws -> Account {
    let matching = self.matches(in: accounts)
    guard let account = matching.first else {
      if self.name == .unnamed, self.options.isEmpty {
        throw CommandFailure(.failed, "All your accounts have names.", "Run `sallyport accounts` for a list.")
      }
      throw self.options.notSignedIn(self.profile, signedIn: accounts, .failed)
    }
    guard matching.count == 1 else { throw Self.ambiguous(matching, of: accounts) }
    return account
  }

  private var profile: ProfileName? {
    if case .profile(let name) = self.name { name } else { self.options.profile }
  }

  /// The accounts that match the choice.
  func matches(in accounts: [Account]) -> [Account] {
    let matching = accounts.filter { account in
      if self.name == .unnamed, account.profile != nil { return false }
      return self.options.matches(account, self.profile)
    }
    guard let resource = self.options.resource, matching.count > 1 else { return matching }
    // An account for https://api.example also matches the resource https://api.example/notes, so an account for exactly
    // this resource is preferred.
    let exact = matching.filter { $0.resource == resource }
    return exact.isEmpty ? matching : exact
  }

  /// The error for a choice that matches several accounts. It lists a command for each of them.
  static func ambiguous(_ candidates: [Account], of accounts: [Account]) -> ValidationError {
    let commands = candidates.map { "\n  sallyport switch \(self.arguments(for: $0, in: accounts))" }
    return ValidationError("Several accounts match. Choose one of them:\(commands.joined())")
  }

  /// The arguments of `switch` that choose this account.
  static func arguments(for account: Account, in accounts: [Account]) -> String {
    let matchesOnlyThis = { (choice: SwitchChoice) in choice.matches(in: accounts) == [account] }
    if let profile = account.profile {
      guard !matchesOnlyThis(SwitchChoice(name: .profile(profile))) else { return "\(profile)" }
      return "--profile \(profile) --issuer \(account.issuer)"
    }
    if matchesOnlyThis(SwitchChoice(name: .unnamed)) { return "-" }
    if let resource = account.resource { return "- --resource \(resource)" }
    let options = AccountChoice(issuer: account.issuer)
    guard !matchesOnlyThis(SwitchChoice(name: .unnamed, options: options)) else { return "- --issuer \(account.issuer)" }
    return "- --issuer \(account.issuer) --client-id \(Printable.text(account.clientID))"
  }
}
