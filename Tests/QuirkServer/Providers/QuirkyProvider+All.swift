extension QuirkyProvider {
  package static var all: [QuirkyProvider] {
    [
      .google, .microsoftTenant, .microsoftCommon, .microsoftOrganizations, .microsoftB2C, .gitHub, .apple, .okta, .auth0,
      .keycloak, .cognito, .slack, .gitLab, .dropbox,
    ]
  }
}
