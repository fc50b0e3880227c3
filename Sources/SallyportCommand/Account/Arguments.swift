import ArgumentParser
import SallyportProtocol

/// Parses the values of options.
enum Arguments {
  static let defaultScope: Scope = "openid profile offline_access"

  @Sendable static func issuer(_ text: String) throws -> Issuer {
    do {
      return try Issuer(text)
    } catch EndpointURLError.plainHTTP {
      throw ValidationError("an issuer must use https; http is allowed only for servers on this machine")
    } catch {
      throw ValidationError(
        "an issuer must be an https URL without a query or fragment, for example https://id.example.com")
    }
  }

  @Sendable static func resource(_ text: String) throws -> EndpointURL {
    do {
      return try EndpointURL(text)
    } catch .plainHTTP {
      throw ValidationError("an API must use https; http is allowed only for servers on this machine")
    } catch {
      throw ValidationError("an API must be an https URL, for example https://mcp.example.com/mcp")
    }
  }

  @Sendable static func scope(_ text: String) throws -> Scope {
    guard let scope = Scope(text), !scope.isEmpty else {
      throw ValidationError("scopes must be words separated by spaces, for example \"openid profile\"")
    }
    return scope
  }

  @Sendable static func profile(_ text: String) throws -> ProfileName {
    guard let name = ProfileName(text) else {
      throw ValidationError(
        "a profile name must have 1 to 64 letters, digits, dots, hyphens, underscores, or @, and must not start with a hyphen")
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
