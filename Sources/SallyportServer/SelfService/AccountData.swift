import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The data about a user that the user can download. It contains no hashes, keys, or tokens. Times are in UTC (ISO
/// 8601).
package struct AccountData: Encodable, Sendable {
  struct Profile: Encodable {
    let username: String
    /// The `sub` of the user's tokens.
    let sub: String
    let name: String?
    let email: String?
    let emailVerified: Bool
    let language: String?
    let createdAt: String
    /// Nil if the user has no password.
    let passwordChangedAt: String?
  }

  struct Passkey: Encodable {
    let name: String
    let createdAt: String
    let lastUsedAt: String?
    let isBackedUp: Bool
  }

  struct AuthenticatorApp: Encodable {
    let createdAt: String
    let lastUsedAt: String?
  }

  struct RecoveryCodes: Encodable {
    let createdAt: String
    /// The number of codes that have not been used.
    let unused: Int
  }

  /// An identity at another provider.
  struct Identity: Encodable {
    let issuer: String
    let sub: String
    let label: String?
    let connectedAt: String
    let lastUsedAt: String?
  }

  struct Browser: Encodable {
    let signedInAt: String
    let lastSeenAt: String
    let expiresAt: String
    let userAgent: String?
    let address: String?
    let isOnPublicDevice: Bool
  }

  struct App: Encodable {
    struct Grant: Encodable {
      let scope: String
      let resources: [String]
      let createdAt: String
      let lastUsedAt: String
      let expiresAt: String
    }

    struct Consent: Encodable {
      let scope: String
      let resources: [String]
      let redirectURI: String
      let givenAt: String
    }

    /// A device that the user has approved and that has not obtained its tokens yet.
    struct Device: Encodable {
      let scope: String
      let resources: [String]
      let approvedAt: String?
      let expiresAt: String
    }

    let clientID: String
    let name: String
    let grants: [Grant]
    let consents: [Consent]
    let devices: [Device]
  }

  struct Activity: Encodable {
    let at: String
    let event: String
    let reason: String?
    let address: String?
    let app: String?
  }

  let profile: Profile
  let passkeys: [Passkey]
  let authenticatorApp: AuthenticatorApp?
  let recoveryCodes: RecoveryCodes?
  let identities: [Identity]
  let browsers: [Browser]
  let apps: [App]
  /// The same records as ``AccountOverview/activity``, newest first.
  let activity: [Activity]

  package init(_ overview: AccountOverview) {
    let account = overview.session.account
    self.profile = Profile(
      username: account.username.value, sub: account.id.rawValue, name: account.name, email: account.email,
      emailVerified: account.emailVerifiedAt != nil, language: account.language,
      createdAt: account.createdAt.text, passwordChangedAt: account.hasPassword ? account.passwordChangedAt.text : nil)
    self.passkeys = overview.passkeys.map { passkey in
      Passkey(
        name: passkey.name, createdAt: passkey.createdAt.text, lastUsedAt: passkey.lastUsedAt?.text,
        isBackedUp: passkey.isBackedUp)
    }
    self.authenticatorApp = overview.totp.map { totp in
      AuthenticatorApp(createdAt: totp.createdAt.text, lastUsedAt: totp.lastUsedAt?.text)
    }
    self.recoveryCodes = overview.recoveryCodes.first.map { code in
      RecoveryCodes(createdAt: code.createdAt.text, unused: overview.factors.recoveryCodes)
    }
    self.identities = overview.identities.map { identity in
      Identity(
        issuer: identity.issuer, sub: identity.subject, label: identity.label, connectedAt: identity.createdAt.text,
        lastUsedAt: identity.lastUsedAt?.text)
    }
    self.browsers = overview.browsers.map { browser in
      Browser(
        signedInAt: browser.authenticatedAt.text, lastSeenAt: browser.lastSeenAt.text, expiresAt: browser.expiresAt.text,
        userAgent: browser.userAgent, address: browser.address, isOnPublicDevice: browser.isOnPublicDevice)
    }
    self.apps = overview.apps.map { access in
      App(
        clientID: access.client.id.rawValue, name: access.client.name,
        grants: access.grants.map { use in
          App.Grant(
            scope: use.grant.scope.description, resources: use.grant.resources, createdAt: use.grant.createdAt.text,
            lastUsedAt: (use.lastRefreshAt ?? use.grant.createdAt).text, expiresAt: use.grant.expiresAt.text)
        },
        consents: access.consents.map { consent in
          App.Consent(
            scope: consent.scope.description, resources: consent.resources, redirectURI: consent.redirectURI,
            givenAt: consent.givenAt.text)
        },
        devices: access.devices.map { device in
          App.Device(
            scope: device.scope.description, resources: device.resources, approvedAt: device.decidedAt?.text,
            expiresAt: device.expiresAt.text)
        })
    }
    self.activity = overview.activity.map { activity in
      Activity(
        at: activity.record.at.text, event: activity.record.event.rawValue, reason: activity.record.reason?.name,
        address: activity.record.origin.address, app: activity.record.client?.rawValue)
    }
  }
}

extension Timestamp {
  fileprivate var text: String { self.date.formatted(.iso8601) }
}
