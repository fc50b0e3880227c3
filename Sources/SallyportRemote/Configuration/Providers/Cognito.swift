public import SallyportProtocol

extension ServerConfiguration {
  /// A user pool of Amazon Cognito. You need not configure the pool's domain, because the metadata contains it.
  /// - Parameters:
  ///   - region: The AWS region, for example `eu-central-1`.
  ///   - userPool: The pool's identifier, for example `eu-central-1_a1b2c3d4e`.
  /// - Throws: `EndpointURLError` if the parameters don't form a valid URL.
  public static func cognito(region: String, userPool: String) throws(EndpointURLError) -> ServerConfiguration {
    // https://docs.aws.amazon.com/sdk-for-kotlin/api/latest/verifiedpermissions/aws.sdk.kotlin.services.verifiedpermissions.model/-cognito-user-pool-configuration-item/issuer.html
    // (read 2026-11-23)
    var server = ServerConfiguration(issuer: try .domain("cognito-idp.\(region).amazonaws.com", "/\(userPool)"))
    // Cognito always issues a refresh token, and rejects unknown scopes such as `offline_access`.
    // https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html (read 2026-11-23)
    server.unsupportedScopes = .offlineAccess
    // Cognito accepts redirect URIs with `http` only on the host `localhost`.
    // https://docs.aws.amazon.com/sdk-for-kotlin/api/latest/cognitoidentityprovider/aws.sdk.kotlin.services.cognitoidentityprovider.model/-create-user-pool-client-request/callback-urls.html
    // (read 2026-11-23)
    server.loopbackHost = .localhost
    return server
  }
}
