public import ArgumentParser
import Hummingbird
public import Logging
import SallyportProtocol
import ServiceLifecycle
public import SallyportServer

/// `sallyportd serve`: runs the server until it is told to stop.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the authorization server.",
    discussion: """
      The issuer is https, behind a proxy that ends TLS, or http on this machine's loopback for development. SIGTERM and SIGINT stop it
      after the requests that have begun.
      """)
  @OptionGroup var data: DataOptions
  @Option(help: "The issuer; http://localhost:PORT where none is given.") var issuer: String?
  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on.") var port = 8080
  @Option(help: "The name that people see on the pages.") var name: String?
  @Flag(help: "Let redirect URIs on localhost match on any port, as those on 127.0.0.1 and [::1] do.")
  var anyLocalhostPort = false
  @Option(
    help: "Who may register an app without an operator: open (everybody), token (with a token of `client token`), or off.")
  var registration: RegistrationPolicy.Mode = .open
  @Option(help: "The most that an app which registered itself may ask for.")
  var registrationScope = "openid profile email offline_access"
  @Flag(inversion: .prefixedNo, help: "Let an app be known by the https URL of its metadata document.")
  var clientDocuments = true
  @Option(help: "trace, debug, info, notice, warning, error or critical.") var logLevel: Logger.Level = .notice

  func validate() throws {
    guard (0...65535).contains(self.port) else { throw ValidationError("--port: 0 to 65535") }
    guard self.port != 0 || self.issuer != nil else { throw ValidationError("--port 0 needs an --issuer") }
  }

  func run() async throws {
    let issuer = try self.checkedIssuer()
    let registration = try self.registrationPolicy()
    let directory = try self.data.open()
    let application = try await ServerApplication(
      directory: directory, issuer: issuer, name: self.name, host: self.host, port: self.port, logLevel: self.logLevel,
      anyLocalhostPort: self.anyLocalhostPort, registration: registration)
    try await application.run { port in
      let location = issuer.isHTTPS ? "http://\(self.host):\(port)" : issuer.value
      Console.say("sallyportd: serving \(issuer) at \(location)")
    }
  }

  private func registrationPolicy() throws -> RegistrationPolicy {
    guard let scope = Scope(self.registrationScope), !scope.isEmpty else {
      throw ValidationError("--registration-scope: scope names separated by spaces")
    }
    var policy = RegistrationPolicy()
    policy.mode = self.registration
    policy.acceptsDocuments = self.clientDocuments
    policy.scope = scope
    return policy
  }

  /// RFC 6749 §3.1: without TLS only where nothing leaves the machine, by name and by socket.
  private func checkedIssuer() throws -> Issuer {
    let text = self.issuer ?? "http://localhost:\(self.port)"
    let issuer: Issuer
    do { issuer = try Issuer(text) } catch {
      throw ValidationError("--issuer \(text): an https URL without query, or http on localhost, 127.0.0.1 or [::1]")
    }
    // Our own forms are known by the browser's Origin, which has this one spelling (RFC 6454 §6.2).
    guard issuer.origin == issuer.origin.lowercased(), !issuer.origin.hasSuffix(issuer.isHTTPS ? ":443" : ":80") else {
      throw ValidationError("--issuer \(text): write the host in lower case, and no port where it is the default one")
    }
    guard issuer.isHTTPS || ["127.0.0.1", "::1", "localhost"].contains(self.host) else {
      throw ValidationError("--host \(self.host): an http issuer is served on loopback only")
    }
    return issuer
  }
}

extension RegistrationPolicy.Mode: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
