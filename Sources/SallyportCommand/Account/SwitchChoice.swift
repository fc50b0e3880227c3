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
    let candidates = self.name == .unnamed ? accounts.filter { $0.profile == nil } : accounts
    return self.options.bestMatches(in: candidates, self.profile)
  }

  /// The error for a choice that matches several accounts. It lists a command for each of them.
  static func ambiguous(_ candidates: [Account], of accounts: [Account]) -> ValidationError {
    let commands = candidates.map { "\n  \(ShellWords("sallyport", "switch") + $0.options(among: accounts))" }
    return ValidationError("Several accounts match. Choose one of them:\(commands.joined())")
  }
}
