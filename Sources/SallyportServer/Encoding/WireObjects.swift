package import SallyportProtocol

// The JSON objects of a token response. Members are in the order of their names.

extension AccessTokenClaims: WireObject {
  package func write(to object: inout JSONObjectWriter) {
    object.add("acr", self.authenticationContext)
    object.add("amr", self.authenticationMethods)
    object.add("aud", self.audience)
    object.add("auth_time", self.authenticationTime)
    object.add("client_id", self.clientID)
    object.add("cnf", self.confirmation)
    object.add("exp", self.expiration)
    object.add("grant_id", self.grant)
    object.add("iat", self.issuedAt)
    object.add("iss", self.issuer)
    object.add("jti", self.id)
    object.add("scope", self.scope)
    object.add("sub", self.subject)
  }
}

extension IDTokenClaims: WireObject {
  package func write(to object: inout JSONObjectWriter) {
    object.add("acr", self.authenticationContext)
    object.add("amr", self.authenticationMethods)
    object.add("at_hash", self.accessTokenHash)
    object.add("aud", self.audience)
    object.add("auth_time", self.authenticationTime)
    object.add("azp", self.authorizedParty)
    object.add("email", self.email)
    object.add("email_verified", self.emailVerified)
    object.add("exp", self.expiration)
    object.add("iat", self.issuedAt)
    object.add("iss", self.issuer)
    object.add("name", self.name)
    object.add("nonce", self.nonce)
    object.add("preferred_username", self.preferredUsername)
    object.add("sid", self.sessionID)
    object.add("sub", self.subject)
  }
}

extension TokenResponseJSON: WireObject {
  package func write(to object: inout JSONObjectWriter) {
    object.add("access_token", self.accessToken)
    object.add("expires_in", self.expiresIn)
    object.add("id_token", self.idToken)
    object.add("refresh_token", self.refreshToken)
    object.add("scope", self.scope)
    object.add("token_type", self.tokenType)
  }
}

extension IntrospectionResponse: WireObject {
  package func write(to object: inout JSONObjectWriter) {
    object.add("active", self.active)
    object.add("aud", self.audience)
    object.add("auth_time", self.authenticationTime)
    object.add("client_id", self.clientID)
    object.add("cnf", self.confirmation)
    object.add("exp", self.expiration)
    object.add("iat", self.issuedAt)
    object.add("iss", self.issuer)
    object.add("jti", self.id)
    object.add("scope", self.scope)
    object.add("sub", self.subject)
    object.add("token_type", self.tokenType)
    object.add("username", self.username)
  }
}

extension UserinfoEndpoint.Claims: WireObject {
  package func write(to object: inout JSONObjectWriter) {
    object.add("aud", self.aud)
    object.add("email", self.email)
    object.add("email_verified", self.emailVerified)
    object.add("iss", self.iss)
    object.add("name", self.name)
    object.add("preferred_username", self.preferredUsername)
    object.add("sub", self.sub)
  }
}
