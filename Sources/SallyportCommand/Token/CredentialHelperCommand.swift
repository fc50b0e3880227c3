import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport credential-helper`
struct CredentialHelperCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential-helper", abstract: "Provide tokens to programs that ask for credentials.",
    subcommands: [GitCredentialCommand.self])
}
