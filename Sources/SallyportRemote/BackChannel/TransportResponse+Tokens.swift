#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

extension TransportResponse {
  /// Replaces the tokens of a token response with those of the object in one of its members. Does nothing if the
  /// response is an error response or not a JSON object.
  /// - Parameters:
  ///   - name: The name of the member.
  ///   - isRefresh: Whether this is the response to a refresh. If the member contains no tokens, the tokens at the top
  ///     level of such a response are kept, because they replace the refreshed ones and so belong to the same user. In
  ///     any other response, they are removed.
  mutating func replaceTokens(from name: String, isRefresh: Bool) {
    guard var members = JSONValue.members(of: self.body), members["error"] == nil else { return }
    var tokens: [String: JSONValue] = [:]
    if case .object(let inner)? = members[name], inner["access_token"] != nil {
      tokens = inner
      members[name] = nil
    }
    if !tokens.isEmpty || !isRefresh {
      // Tokens at the top level don't belong to the user, but to a bot, for example.
      for token in ["access_token", "refresh_token", "id_token", "expires_in", "scope"] { members[token] = nil }
      members.merge(tokens) { _, inner in inner }
    }
    // Servers with such a member may use `token_type` for the token's owner, for example `user` or `bot`.
    members["token_type"] = "Bearer"
    guard let body = try? JSONEncoder().encode(members) else { return }
    self.body = Array(body)
  }
}
