import ArgumentParser
import Sallyport
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the user specified about the authorization server with `--provider` or `--server-config`.
enum ServerDescription: Equatable, Sendable {
  case provider(Provider)
  /// Members of the server's metadata, as in a file for `--server-config`.
  case members([String: JSONValue])

  /// Reads the file of `--server-config`.
  /// - Parameters:
  ///   - path: The path of the file, or "-" for standard input.
  ///   - issuer: The value of `--issuer`, if any.
  init(file path: String, issuer: Issuer?) throws {
    guard let content = Input.file(path, limit: 256 << 10) else {
      throw ValidationError("--server-config: the file \"\(Printable.text(path))\" cannot be read, or is too long.")
    }
    do {
      _ = try ServerConfiguration(json: content, issuer: issuer)
    } catch {
      throw ValidationError("--server-config: \(Self.words(error)).")
    }
    // The content is a JSON object, because the configuration could be read from it. So the decoding cannot fail.
    self = .members((try? JSONDecoder().decode([String: JSONValue].self, from: Data(content))) ?? [:])
  }

  /// - Parameters:
  ///   - issuer: The issuer identifier, if the user specified it separately.
  ///   - audience: The value of the request parameter `audience` of Auth0, if the user specified one. Only
  ///     ``provider(_:)`` uses it.
  func configuration(issuer: Issuer?, audience: String?) throws -> ServerConfiguration {
    switch self {
    case .provider(let provider): try provider.configuration(audience: audience)
    case .members(let members): try ServerConfiguration(json: JSONEncoder().encode(members), issuer: issuer)
    }
  }

  private static func words(_ error: ServerConfiguration.JSONError) -> String {
    switch error {
    case .malformed: "the file must contain a JSON object"
    case .issuerMissing: "the file must contain \"issuer\", unless you specify --issuer"
    case .issuerMismatch: "\"issuer\" must be the value of --issuer"
    case .missing(let member): "without discovery, the file must contain \"\(member)\""
    case .loopbackHost: "\"loopback_host\" must be 127.0.0.1, [::1], or localhost"
    case .type(let member): "\"\(Printable.text(member))\" has the wrong type"
    case .url(let member, let error): "\"\(Printable.text(member))\" is not a usable URL: \(error.explanation.finding)"
    }
  }
}

extension Account {
  /// A note for the user if the granted scope differs from the scope that the account requested, or `nil`.
  func noteAboutScope(granted: Scope) throws(CommandFailure) -> String? {
    try self.scope.flatMap { scope throws(CommandFailure) in try self.noteAboutScope(requested: scope, granted: granted) }
  }

  /// A note for the user if the granted scope differs from the requested scope, or `nil`. Two kinds of scope values are
  /// not compared: values that the server is known not to support, and `offline_access`, which many servers grant
  /// without listing it.
  func noteAboutScope(requested scope: Scope, granted: Scope) throws(CommandFailure) -> String? {
    let requested = scope.subtracting(try self.configuration.unsupportedScopes).subtracting(.offlineAccess)
    guard requested != granted.subtracting(.offlineAccess) else { return nil }
    return "The server granted the scope \"\(granted)\". You requested \"\(scope)\"."
  }

  /// A note for the user if the session ends when its access token expires, and the requested scope does not contain
  /// `offline_access`. Otherwise `nil`. If the scope contains `offline_access`, no note is needed, because the SDK
  /// reports a missing refresh token during the sign-in.
  func noteAboutRenewal(of session: OAuthSession) async throws(CommandFailure) -> String? {
    guard await !session.isRenewable, await session.expiration != nil, let scope = self.scope,
      !scope.contains(.offlineAccess)
    else { return nil }
    let note = "The server returned no refresh token, so you must sign in again when the access token expires."
    guard try !self.configuration.unsupportedScopes.contains(.offlineAccess) else { return note }
    let command = self.loginCommand.adding("--scope", Scope([scope, .offlineAccess]).description)
    return "\(note) To stay signed in, run `\(command)`."
  }

  /// What is known about the account's server.
  var configuration: ServerConfiguration {
    get throws(CommandFailure) {
      guard let server = self.server else { return ServerConfiguration(issuer: self.issuer) }
      do {
        return try server.configuration(issuer: self.issuer, audience: self.parameters["audience"])
      } catch {
        throw CommandFailure(
          .failed, "The stored description of the server is not valid.", "Sign in again with --provider or --server-config.")
      }
    }
  }
}
