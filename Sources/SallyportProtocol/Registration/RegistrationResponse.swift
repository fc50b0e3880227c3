/// The response to a registration (RFC 7591 §3.2.1), or to reading or updating a registration (RFC 7592 §3).
package struct RegistrationResponse: Sendable {
  /// The `client_id` that the server assigned.
  package var clientID: String
  /// The `client_secret`, or `nil` for a client without one.
  package var clientSecret: Secret<String>?
  /// Seconds since 1970.
  package var clientIDIssuedAt: Int64?
  /// Seconds since 1970, or 0 if the secret does not expire. Required if the response contains a secret.
  package var clientSecretExpiresAt: Int64?
  /// The token with which the client manages its registration (RFC 7592 §3).
  package var registrationAccessToken: Secret<String>?
  /// The URL at which the client can manage its registration (RFC 7592 §3).
  package var registrationClientURI: String?
  /// The metadata that the server registered, which can differ from the request.
  package var metadata: ClientMetadata

  /// - Parameters:
  ///   - clientID: The `client_id` that the server assigned.
  ///   - metadata: The registered metadata.
  package init(clientID: String, metadata: ClientMetadata) {
    self.clientID = clientID
    self.metadata = metadata
  }
}

/// The JSON of a ``RegistrationResponse``. Its secrets are encoded only here.
package struct RegistrationResponseJSON: Codable {
  package var response: RegistrationResponse

  package init(_ response: RegistrationResponse) {
    self.response = response
  }

  private enum CodingKeys: String, CodingKey {
    case clientID = "client_id"
    case clientSecret = "client_secret"
    case clientIDIssuedAt = "client_id_issued_at"
    case clientSecretExpiresAt = "client_secret_expires_at"
    case registrationAccessToken = "registration_access_token"
    case registrationClientURI = "registration_client_uri"
  }

  /// Decodes leniently, because some servers send times as fractions or strings, omit required members, or send empty
  /// strings.
  ///
  /// - A metadata member or a `client_id_issued_at` that cannot be decoded counts as absent. So does an empty
  ///   `client_secret`, `registration_access_token`, or `registration_client_uri`.
  /// - A time can be a number, whose fraction is dropped, or a string. If the string is not an integer, the time counts
  ///   as absent.
  /// - Decoding fails if `client_id` is missing. It also fails if `client_id`, `client_secret`,
  ///   `client_secret_expires_at`, `registration_access_token`, or `registration_client_uri` has the wrong type.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) throws -> String? {
      try container.decodeIfPresent(String.self, forKey: key).flatMap { $0.isEmpty ? nil : $0 }
    }
    func time(_ key: CodingKeys) throws -> Int64? {
      if let text = try? container.decodeIfPresent(String.self, forKey: key) { return Int64(text) }
      return try container.decodeIfPresent(Double.self, forKey: key).flatMap { Int64(exactly: $0.rounded(.down)) }
    }
    var response = RegistrationResponse(
      clientID: try container.decode(String.self, forKey: .clientID),
      metadata: try ClientMetadata(from: decoder, isLenient: true))
    response.clientSecret = try text(.clientSecret).map { Secret($0) }
    response.clientIDIssuedAt = try? time(.clientIDIssuedAt)
    response.clientSecretExpiresAt = try time(.clientSecretExpiresAt)
    response.registrationAccessToken = try text(.registrationAccessToken).map { Secret($0) }
    response.registrationClientURI = try text(.registrationClientURI)
    self.response = response
  }

  package func encode(to encoder: any Encoder) throws {
    try self.response.metadata.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(self.response.clientID, forKey: .clientID)
    try container.encodeIfPresent(self.response.clientSecret?.reveal(), forKey: .clientSecret)
    try container.encodeIfPresent(self.response.clientIDIssuedAt, forKey: .clientIDIssuedAt)
    try container.encodeIfPresent(self.response.clientSecretExpiresAt, forKey: .clientSecretExpiresAt)
    try container.encodeIfPresent(self.response.registrationAccessToken?.reveal(), forKey: .registrationAccessToken)
    try container.encodeIfPresent(self.response.registrationClientURI, forKey: .registrationClientURI)
  }
}
