/// How the authorization response is returned to the client (OAuth 2.0 Multiple Response Types §2.1 and Form Post
/// Response Mode).
package enum ResponseMode: String, Sendable, Codable, CaseIterable {
  case query
  case formPost = "form_post"
}
