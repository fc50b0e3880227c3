import ArgumentParser
import SallyportDesktop

/// Asks the user for what the command line doesn't specify. Standard input and standard error must be terminals.
enum Questions {
  /// Asks the question until `parse` accepts the line that the user typed. If `parse` throws a `ValidationError`, the
  /// error's message is shown, and the question is repeated.
  /// - Throws: ``CommandFailure`` if no line can be read: the input has ended, the line is too long, reading failed, or
  ///   the task was canceled. Also an error of `parse` that is not a `ValidationError`.
  static func ask<R: Sendable>(_ question: String, parse: (String) throws -> R) async throws -> R {
    while true {
      Output.prompt("\(question): ")
      guard let line = try? await TerminalLine.next() else {
        Output.message("")
        throw CommandFailure(.denied, "Canceled.")
      }
      do {
        // Remove the spaces at both ends.
        return try parse(String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()))
      } catch let error as ValidationError {
        Output.message("Sorry, \(error.message).")
      }
    }
  }

  /// Lists the accounts, with a `*` before the current one, and asks for a number.
  static func chooseAccount(from accounts: [Account], current: Account?) async throws -> Account {
    for (number, account) in accounts.enumerated() {
      Output.message("\(account == current ? "*" : " ") \(number + 1)  \(account.summary)")
    }
    return try await self.ask("The number of the account") { line in
      guard let number = Int(line), accounts.indices.contains(number - 1) else {
        throw ValidationError("the number must be from 1 to \(accounts.count)")
      }
      return accounts[number - 1]
    }
  }
}
