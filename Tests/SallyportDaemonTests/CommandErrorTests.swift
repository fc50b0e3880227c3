import ArgumentParser
import SallyportServer
import Testing

@testable import SallyportDaemon

@Suite("Errors of commands")
struct CommandErrorTests {
  @Test("an error about an account or a one-time link becomes a message for the operator")
  func accountErrors() async {
    let message = "there is no user with this user name"
    await #expect(throws: Failure(message)) { try await User.explaining { throw AccountLinkError.notFound } }
    await #expect(throws: Failure(message)) { try await User.explaining { throw AccountError.notFound } }
    await #expect(throws: Failure("a user with this user name already exists")) {
      try await User.explaining { throw AccountError.usernameTaken }
    }
  }

  @Test(
    "a list for a user or a client that does not exist is an error",
    arguments: [
      (["grant", "list", "--user", "nobody"], "there is no user \"nobody\""),
      (["grant", "list", "--client", "nobody"], "there is no client \"nobody\""),
      (["grant", "list", "--client", "nobody", "--json"], "there is no client \"nobody\""),
      (["session", "list", "--user", "nobody"], "there is no user \"nobody\""),
    ])
  func unknownNames(_ arguments: [String], _ message: String) async throws {
    let folder = try Folder()
    defer { folder.remove() }
    var command = try #require(try Sallyportd.parseAsRoot(arguments + ["--data", folder.path]) as? any AsyncParsableCommand)
    do {
      try await command.run()
      Issue.record("the command succeeded")
    } catch {
      #expect(error as? Failure == Failure(message))
    }
  }

  @Test(
    "options that cannot be combined and an empty client ID are rejected when the command line is parsed",
    arguments: [
      (["restore", "folder", "--online", "--replace"], "--replace"), (["restore", "folder", "--online", "--key", "k"], "--key"),
      (["upstream", "edit", "corp", "--client-id", ""], "--client-id is empty"),
    ])
  func invalidOptions(_ arguments: [String], _ word: String) {
    do {
      _ = try Sallyportd.parseAsRoot(arguments)
      Issue.record("the options were accepted")
    } catch {
      #expect(Sallyportd.message(for: error).contains(word))
    }
  }
}
