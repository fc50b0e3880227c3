#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

extension TransportResponse {
  /// Replaces the tokens at the top level of a token response with the tokens in one of its members. Does nothing if
  /// the response is an error response or not a JSON object.
  /// - Parameters:
  ///   - name: The name of the member, whose value is an object.
  ///   - isRefresh: Whether this is the response to a refresh. If the member contains no tokens, a refresh response
  ///     keeps the tokens at its top level, because they replace the user's previous tokens. From any other response,
  ///     these tokens are removed.
  mutating func replaceTokens(from name: String, isRefresh: Bool) {
    guard var members = JSONValue.members(of: self.body), members["error"] == nil else { return }
    var tokens: [String: JSONValue] = [:]
    if case .object(let inner)? = members[name], inner["access_token"] != nil {
      tokens = inner
      members[name] = nil
    }
    if !tokens.isEmpty || !isRefresh {
      // The tokens at the top level can belong to a bot instead of the user.
      for token in ["access_token", "refresh_token", "id_token", "expires_in", "scope"] { members[token] = nil }
      members.merge(tokens) { _, inner in inner }
    }
    // Servers with such a member may use `token_type` for the token's owner, for example `user` or `bot`.
    members["token_type"] = "Bearer"
    guard let body = try? JSONEncoder().encode(members) else { return }
    self.body = Array(body)
  }
}
