import ArgumentParser

/// The names of the commands, and the names that users may try instead.
enum CommandNames {
  private static let commandNames = RootCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]

  /// Names that other programs use for the same operations.
  private static let synonyms = [
    "auth": "login", "signin": "login", "sign-in": "login", "signout": "logout", "sign-out": "logout", "revoke": "logout",
    "list": "accounts", "ls": "accounts", "profiles": "accounts", "use": "switch", "select": "switch", "who": "whoami",
    "user": "whoami", "userinfo": "whoami", "info": "status", "api": "request", "curl": "request", "get": "request",
    "refresh": "token --refresh", "print": "token", "access-token": "token", "id-token": "token --output id-token",
  ]

  /// The usage error for a command that doesn't exist, or `nil` if the first word is a command or an option, or is
  /// missing.
  static func failure(for words: [String]) -> CommandFailure? {
    guard let word = words.first, !word.hasPrefix("-"), !self.commandNames.contains(word) else { return nil }
    let advice = self.suggestion(for: word).map { "Did you mean `sallyport \($0)`?" } ?? "Run `sallyport --help` for a list."
    return CommandFailure(.usage, "There is no command \"\(Printable.text(word))\".", advice)
  }

  /// The command that a synonym stands for, or the closest command if it differs from the word in at most two bytes.
  private static func suggestion(for word: String) -> String? {
    let word = word.lowercased()
    if let command = self.synonyms[word] { return command }
    let commands = self.commandNames.map { (name: $0, distance: self.distance(Array($0.utf8), Array(word.utf8))) }
    guard let closest = commands.min(by: { $0.distance < $1.distance }), closest.distance <= 2 else { return nil }
    return closest.name
  }

  /// The smallest number of bytes to insert, delete, or replace to turn one word into the other.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    // The distances between a prefix of `left` and all prefixes of `right`.
    var row = Array(0...right.count)
    for (index, byte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let replaced = diagonal + (right[column] == byte ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
