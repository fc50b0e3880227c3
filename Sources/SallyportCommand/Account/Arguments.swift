import ArgumentParser
import SallyportProtocol

/// Reads the values of flags, and says what is wrong with those that are refused.
enum Arguments {
  static let defaultScope: Scope = "openid profile offline_access"

  @Sendable static func issuer(_ text: String) throws -> Issuer {
    do {
      return try Issuer(text)
    } catch EndpointURLError.plainHTTP {
      throw ValidationError("an issuer is reached over https; http is for servers on this machine only")
    } catch {
      throw ValidationError("an issuer is an https URL without query and fragment, for example https://id.example.com")
    }
  }

  @Sendable static func resource(_ text: String) throws -> EndpointURL {
    do {
      return try EndpointURL(text)
    } catch .plainHTTP {
      throw ValidationError("an API is reached over https; http is for servers on this machine only")
    } catch {
      throw ValidationError("an API is named by its https URL, for example https://mcp.example.com/mcp")
    }
  }

  @Sendable static func scope(_ text: String) throws -> Scope {
    guard let scope = Scope(text), !scope.isEmpty else {
      throw ValidationError("scopes are words separated by spaces, for example \"openid profile\"")
    }
    return scope
  }

  @Sendable static func profile(_ text: String) throws -> ProfileName {
    guard let name = ProfileName(text) else {
      throw ValidationError("a profile is named with up to 64 letters, digits, dots, hyphens, underscores and @")
    }
    return name
  }

  @Sendable static func redirectURI(_ text: String) throws -> RedirectURI {
    guard let uri = try? RedirectURI(text), case .loopback = uri.kind else {
      throw ValidationError("a command receives its answer on a loopback URI, for example http://127.0.0.1/callback")
    }
    return uri
  }
}
