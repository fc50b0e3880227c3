import SallyportProtocol

/// The arguments that choose an account, for the commands in messages.
extension Account {
  /// The options that choose this account in every command: its name, otherwise its API, issuer, and client.
  var options: String {
    if let profile = self.profile { return "--profile \(profile)" }
    let resource = self.resource.map { "--resource \(ShellWord.quoted($0.value)) " } ?? ""
    return "\(resource)--issuer \(ShellWord.quoted(self.issuer.value)) --client-id \(ShellWord.quoted(self.clientID))"
  }

  /// The command that signs in to this account again.
  var loginCommand: String { "sallyport login \(self.options)" }
}
