import ArgumentParser
import Sallyport
import SallyportProtocol

/// `sallyport credential-helper`
struct CredentialHelperCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential-helper", abstract: "Give tokens to programs that ask for passwords.",
    subcommands: [GitCredentialCommand.self])
}
