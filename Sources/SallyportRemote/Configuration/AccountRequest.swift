public import HTTPTypes
public import SallyportProtocol

extension ServerConfiguration {
  /// The request that identifies the signed-in user at a server without OpenID Connect.
  ///
  /// ``OAuthSession/userInfo()`` sends it with the access token. The response is not signed, and there is no ID
  /// token to compare it with.
  public struct AccountRequest: Sendable, Equatable {
    /// The URL to which the access token is sent. The URL must belong to the provider.
    public var url: EndpointURL
    /// The method. The request has no body.
    public var method: HTTPRequest.Method
    /// The member of the response that identifies the account, as a string or an integer. Periods separate the names of
    /// nested members, as in `name.display_name`.
    public var identifier: String
    /// The member that contains the user's full name.
    public var name: String?
    /// The member that contains the username (`preferred_username` in OpenID Connect).
    public var username: String?
    /// The member that contains the user's email address.
    public var email: String?

    /// Creates a request. The properties with the same names describe the parameters.
    public init(
      _ url: EndpointURL, method: HTTPRequest.Method = .get, identifier: String, name: String? = nil, username: String? = nil,
      email: String? = nil
    ) {
      self.url = url
      self.method = method
      self.identifier = identifier
      self.name = name
      self.username = username
      self.email = email
    }
  }
}
