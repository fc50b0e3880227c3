import HTTPTypes
import SallyportProtocol
import SallyportRemote

extension OAuthSession {
  /// Asks a server without OpenID Connect who signed in.
  func userInfo(_ account: ServerConfiguration.AccountRequest) async throws(SessionError) -> UserInfo {
    var request = HTTPRequest.get(account.url)
    request.method = account.method
    let response = try await self.sendAuthorized(
      request, to: account.url, at: .server, over: self.client.provider.transport, body: [], limits: .document)
    switch response.head.status.code {
    case 200: break
    case 429, 500...: throw .unavailable(status: response.head.status.code)
    default: throw .userInfo(.unexpectedStatus(response.head.status.code))
    }
    guard let members = JSONValue.members(of: response.body), let info = UserInfo(.object(members), account) else {
      throw .userInfo(.malformed)
    }
    return info
  }
}

extension UserInfo {
  /// Reads the members of a response that the account request names.
  /// - Returns: `nil` if the member that identifies the account is missing or empty.
  fileprivate init?(_ response: JSONValue, _ account: ServerConfiguration.AccountRequest) {
    /// Returns the text or number at a path of member names that are separated by periods, such as `user.id`.
    func text(_ path: String?) -> String? {
      guard let names = path?.split(separator: "."), !names.isEmpty else { return nil }
      switch names.reduce(response, { value, name in value?[String(name)] }) {
      case .string(let text) where !text.isEmpty: return text
      case .integer(let number): return String(number)
      default: return nil
      }
    }
    guard let subject = text(account.identifier) else { return nil }
    self.init(subject: subject)
    self.name = text(account.name)
    self.preferredUsername = text(account.username)
    self.email = text(account.email)
  }
}
