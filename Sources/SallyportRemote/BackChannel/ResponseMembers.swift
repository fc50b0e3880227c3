#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
package import SallyportProtocol

/// The members of a response of the authorization server. The response is a JSON object or, from some servers, a form.
///
/// The media type is not required to be JSON, because some servers send JSON as `text/plain` or `text/javascript`.
package struct ResponseMembers: Sendable {
  package let all: [String: JSONValue]

  /// - Returns: `nil` if the body is neither a JSON object nor a valid form with the media type of a form.
  package init?(_ response: TransportResponse) {
    if let members = JSONValue.members(of: response.body) {
      self.all = members
    } else if Self.isForm(response.head.headerFields[.contentType]),
      let form = try? FormParameters(parsing: String(decoding: response.body, as: UTF8.self))
    {
      self.all = Dictionary(form.all.map { ($0.name, JSONValue.string($0.value)) }) { first, _ in first }
    } else {
      return nil
    }
  }

  /// The text of a member, or `nil` if it is absent, `null`, or empty.
  /// - Throws: ``WrongType`` if the member has another type.
  package func text(_ name: String) throws(WrongType) -> String? {
    switch self.all[name] {
    case nil, .null, .string(""): return nil
    case .string(let text): return text
    default: throw WrongType()
    }
  }

  /// The value of a member that is a number of seconds: a number, or a string that contains one. A fraction is rounded
  /// down. The result is `nil` if the member is absent, `null`, or empty.
  /// - Throws: ``WrongType`` if the member is not a number.
  package func seconds(_ name: String) throws(WrongType) -> Int? {
    switch self.all[name] {
    case nil, .null, .string(""): return nil
    case .integer(let seconds): return Int(clamping: seconds)
    case .number(let seconds): return try Self.wholeSeconds(seconds)
    case .string(let text):
      guard text.utf8.count <= 32, let seconds = Double(text) else { throw WrongType() }
      return try Self.wholeSeconds(seconds)
    default: throw WrongType()
    }
  }

  private static func wholeSeconds(_ seconds: Double) throws(WrongType) -> Int {
    guard seconds.isFinite else { throw WrongType() }
    return Int(exactly: seconds.rounded(.down)) ?? (seconds < 0 ? .min : .max)
  }

  private static func isForm(_ mediaType: String?) -> Bool {
    mediaType?.prefix { $0 != ";" }.lowercased().filter { $0 != " " } == "application/x-www-form-urlencoded"
  }

  /// A member has an unexpected type.
  package struct WrongType: Error {}
}

extension OAuthErrorResponse {
  /// Reads an error response (RFC 6749 §5.2) with any status: some servers send errors with status 200, or use 401 or
  /// 403.
  /// - Returns: `nil` if the response has no `error`.
  package init?(_ response: TransportResponse, redacting secrets: [Secret<String>] = []) {
    guard let members = ResponseMembers(response) else { return nil }
    self.init(members, redacting: secrets)
  }

  /// Reads the members of a response.
  /// - Returns: `nil` if there is no `error`.
  init?(_ members: ResponseMembers, redacting secrets: [Secret<String>]) {
    guard let error = try? members.text("error") else { return nil }
    let code = error == "invalid_grant" ? Self.interactionCode(members) ?? error : error
    self.init(error: code, description: try? members.text("error_description"), redacting: secrets)
  }

  /// The OpenID Connect code for an `invalid_grant` of Microsoft Entra whose `suberror` says that the user must
  /// interact. In this case, the refresh token is still valid.
  ///
  /// https://github.com/AzureAD/microsoft-authentication-library-for-dotnet/wiki/MsalUiRequiredException-classification
  private static func interactionCode(_ members: ResponseMembers) -> String? {
    switch members.all["suberror"] {
    case "consent_required": "consent_required"
    case "basic_action", "additional_action", "message_only", "user_password_expired": "interaction_required"
    default: nil
    }
  }
}
