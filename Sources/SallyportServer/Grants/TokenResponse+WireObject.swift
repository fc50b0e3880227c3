package import SallyportProtocol

// Members are written in alphabetical order, so that the bytes are the same as those of `WireJSON`.

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
    object.add("locale", self.locale)
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
