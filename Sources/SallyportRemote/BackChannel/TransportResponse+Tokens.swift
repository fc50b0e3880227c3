#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

extension TransportResponse {
  /// Replaces the members of a token response with those of the object in one of its members. Does nothing if the
  /// response has no such object, for example if it is an error response.
  mutating func liftTokens(from name: String) {
    guard var members = JSONValue.members(of: self.body), case .object(let tokens)? = members.removeValue(forKey: name),
      tokens["access_token"] != nil
    else { return }
    // The tokens around the object are for someone else, for example an app's own.
    for token in ["access_token", "refresh_token", "id_token", "expires_in", "scope"] { members[token] = nil }
    members.merge(tokens) { _, inner in inner }
    members["token_type"] = "Bearer"
    guard let body = try? JSONEncoder().encode(members) else { return }
    self.body = Array(body)
  }
}
