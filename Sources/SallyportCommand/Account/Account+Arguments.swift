import SallyportProtocol

/// The arguments that choose an account, for the commands that messages tell the user to run.
extension Account {
  /// The options that choose this account in every command: its name, otherwise its API, issuer, and client.
  /// - Parameter accounts: The accounts to choose from. If another account has the same name, the options also contain
  ///   the issuer and the client.
  func options(among accounts: [Account] = []) -> ShellWords {
    var words = ShellWords()
    if let profile = self.profile {
      words = words.adding("--profile", profile.description)
      guard accounts.contains(where: { $0.profile == profile && $0 != self }) else { return words }
    } else if let resource = self.resource {
      words = words.adding("--resource", resource.value)
    }
    return words.adding("--issuer", self.issuer.value).adding("--client-id", self.clientID)
  }

  /// The command that signs in to this account again.
  var loginCommand: ShellWords { .login + self.options() }
}
