import SallyportServer
import SallyportSystem

extension SettingsReader {
  /// `mail.from` and `mail.name`.
  /// - Returns: Nil if the server sends no mail, because `mail.from` is not set.
  mutating func readMail() -> MailPolicy? {
    let from = self.read(.mailFrom, "an email address such as accounts@example.com") { EmailAddress($0) }
    let name = self.read(.mailName, "a name of at most 128 bytes without control characters") { name in
      (1...128).contains(name.utf8.count) && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        ? name : nil
    }
    for setting in [Setting.mailName, .mailCommand] where self.given(setting) != nil && self.given(.mailFrom) == nil {
      self.report(setting, "requires \(Setting.mailFrom.rawValue)")
    }
    return from.map { MailPolicy(from: $0, name: name) }
  }

  /// `accounts.sign-up`, which requires mail.
  mutating func readSignUp() -> SignUpPolicy {
    let policy = self.read(.signUp, "off, invite, or open", SignUpPolicy.init) ?? .off
    if policy != .off, self.given(.mailFrom) == nil {
      self.report(.signUp, "is \(policy.rawValue), which requires \(Setting.mailFrom.rawValue), because users get links by mail")
    }
    return policy
  }

  /// `mail.command`: the program and its arguments.
  mutating func readMailCommand() -> [String]? {
    self.read(.mailCommand, "a program and its arguments, such as '/usr/sbin/sendmail -t -i'") { text in
      (try? CommandWords.split(text)).flatMap { $0.isEmpty ? nil : $0 }
    }
  }
}
