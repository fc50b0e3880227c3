import ArgumentParser
import SallyportProtocol

/// The parsers of option values, the default scope, and checks of the whole command line.
enum Arguments {
  /// Whether the command line contains `--json` or `--output json`. Reads the arguments directly, because this is also
  /// needed for an error of the argument parser, which then provides no options.
  static var requestsJSON: Bool {
    let words = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
    return words.contains("--json") || words.contains("--output=json")
      || zip(words, words.dropFirst()).contains { $0 == ("--output", "json") }
  }

  /// Whether an option occurs more than once.
  /// - Parameter words: The arguments of the command.
  static func isRepeated(_ option: String, in words: [String] = Array(CommandLine.arguments.dropFirst())) -> Bool {
    words.prefix { $0 != "--" }.count { $0 == option || $0.hasPrefix("\(option)=") } > 1
  }

  /// The scope that `login` requests by default. If `login` reads an API's metadata, it instead requests the scope that
  /// the API names, if any, and the values of `defaultScope` that the server supports.
  static let defaultScope: Scope = "openid profile offline_access"

  @Sendable static func issuer(_ text: String) throws -> Issuer {
    let issuer: Issuer
    do {
      issuer = try Issuer(text)
    } catch EndpointURLError.plainHTTP {
      throw ValidationError("an issuer must use https; http is allowed only for servers on this machine")
    } catch {
      if (try? Issuer("https://\(text)")) != nil {
        throw ValidationError("an issuer must begin with https://; did you mean https://\(text)?")
      }
      throw ValidationError(
        "an issuer must be an https URL without a query or fragment, for example https://id.example.com")
    }
    if let range = text.firstRange(of: "/.well-known/") {
      throw ValidationError("this is the URL of a metadata document; the issuer is probably \(text[..<range.lowerBound])")
    }
    return issuer
  }

  @Sendable static func apiURL(_ text: String) throws -> EndpointURL {
    do {
      return try EndpointURL(text)
    } catch .plainHTTP {
      throw ValidationError("the URL of an API must use https; http is allowed only for servers on this machine")
    } catch {
      if (try? EndpointURL("https://\(text)")) != nil {
        throw ValidationError("the URL of an API must begin with https://; did you mean https://\(text)?")
      }
      throw ValidationError("the URL of an API must be an https URL, for example https://mcp.example.com/mcp")
    }
  }

  @Sendable static func resourceIndicator(_ text: String) throws -> ResourceIndicator {
    do {
      return try ResourceIndicator(text)
    } catch .fragment {
      throw ValidationError("a resource must not have a fragment (RFC 8707)")
    } catch .userInfo {
      throw ValidationError("a resource must not have a user name or password (RFC 8707)")
    } catch {
      throw ValidationError(
        "a resource must be an absolute URI of at most 2,048 bytes, for example https://api.example.com (RFC 8707)")
    }
  }

  @Sendable static func scope(_ text: String) throws -> Scope {
    guard let scope = Scope(text), !scope.isEmpty else {
      throw ValidationError("a scope must consist of words separated by spaces, for example \"openid profile\"")
    }
    return scope
  }

  @Sendable static func profile(_ text: String) throws -> ProfileName {
    guard let name = ProfileName(text) else {
      throw ValidationError(
        "a profile name must have 1 to 64 characters from A-Z, a-z, 0-9, and .-_@, and must not start with a hyphen")
    }
    return name
  }

  @Sendable static func redirectURI(_ text: String) throws -> RedirectURI {
    guard let uri = try? RedirectURI(text), case .loopback = uri.kind else {
      throw ValidationError("a redirect URI must be a loopback URI, for example http://127.0.0.1/callback")
    }
    return uri
  }
}
