import Mustache

/// The templates. Each raw value is the name of a file in `Resources`, without the extension.
enum PageTemplate: String, CaseIterable {
  case layout, scopes, resources, passkey
  case appFacts = "app-facts"
  case signIn = "sign-in"
  case changePassword = "change-password"
  case consent, error, home
  case signedOut = "signed-out"
  case signOut = "sign-out"
  case device
  case account
  case accountChooser = "account-chooser"
  case accountDeletion = "account-deletion"
  case secondFactor = "second-factor"
  case authenticatorApp = "authenticator-app"
  case recoveryCodes = "recovery-codes"
  case accountLink = "account-link"
  case forgotPassword = "forgot-password"
  case formPost = "form-post"
  case webView = "web-view"

  /// Compiles all templates. A template includes another one by its raw value.
  static func library() throws -> MustacheLibrary {
    MustacheContentTypes.register(ScalarEscaping(), named: ScalarEscaping.name)
    var library = MustacheLibrary()
    for template in Self.allCases {
      try library.register(ScalarEscaping.pragma + String(decoding: template.source, as: UTF8.self), named: template.rawValue)
    }
    return library
  }

  private var source: [UInt8] {
    switch self {
    case .layout: PackageResources.layout_mustache
    case .scopes: PackageResources.scopes_mustache
    case .resources: PackageResources.resources_mustache
    case .appFacts: PackageResources.app_facts_mustache
    case .signIn: PackageResources.sign_in_mustache
    case .changePassword: PackageResources.change_password_mustache
    case .consent: PackageResources.consent_mustache
    case .error: PackageResources.error_mustache
    case .home: PackageResources.home_mustache
    case .signedOut: PackageResources.signed_out_mustache
    case .signOut: PackageResources.sign_out_mustache
    case .device: PackageResources.device_mustache
    case .account: PackageResources.account_mustache
    case .accountChooser: PackageResources.account_chooser_mustache
    case .accountDeletion: PackageResources.account_deletion_mustache
    case .secondFactor: PackageResources.second_factor_mustache
    case .authenticatorApp: PackageResources.authenticator_app_mustache
    case .recoveryCodes: PackageResources.recovery_codes_mustache
    case .accountLink: PackageResources.account_link_mustache
    case .forgotPassword: PackageResources.forgot_password_mustache
    case .formPost: PackageResources.form_post_mustache
    case .passkey: PackageResources.passkey_mustache
    case .webView: PackageResources.web_view_mustache
    }
  }
}
