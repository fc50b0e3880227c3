import SallyportProtocol

extension AuditEvent {
  /// Whether the server notifies the user of this event by mail. If so, the catalogs must contain a text for the event,
  /// whose key is `event.` followed by the event's raw value (``MailText``).
  var notifiesUser: Bool {
    switch self {
    case .accountDisabled, .accountEnabled, .accountRemoved, .emailChanged, .passwordChanged, .passkeyAdded, .passkeyRemoved,
      .totpAdded, .totpRemoved, .recoveryCodesCreated, .recoveryCodesRemoved, .recoveryCodeUsed,
      .identityConnected, .identityDisconnected:
      true
    case .signedIn, .signInRejected, .signedOut, .grantIssued, .consentDenied, .deviceApproved, .deviceDenied, .codeReplayed,
      .refreshTokenReused, .tokenRevoked, .accessRevoked, .logoutNotDelivered, .clientAuthenticationFailed, .clientAdded,
      .clientChanged, .clientRemoved, .registrationRejected, .initialAccessTokenAdded, .initialAccessTokenRemoved, .accountAdded,
      .profileChanged, .emailVerified, .accountLinkIssued, .signUpLinkIssued, .keyAdded, .keyRetired, .serverStarted,
      .serverStopped, .databaseRestored, .upstreamAdded, .upstreamChanged, .upstreamRemoved:
      false
    }
  }
}

extension StoreTransaction {
  /// The maximum number of notifications to a user within an hour. Without this limit, a user who repeatedly changes
  /// something could delay the mail of all other users.
  package static var notificationsPerHour: Int { 20 }

  /// Adds a record to the audit trail. If ``AuditEvent/notifiesUser`` is true for its event and mail can be sent to the
  /// account's address, also queues a mail to the user, up to ``notificationsPerHour``. When an invited user chooses a
  /// password, no mail is queued, unless the user could already sign in with a passkey or through an upstream.
  ///
  /// Call this function before the change, because the mail goes to the address that the account has at this time.
  /// Another process may send the mail, so this process may not know whether mail is configured. The mail is therefore
  /// always queued, and expires if no process sends it.
  public mutating func insert(_ record: AuditRecord) throws(StoreError) {
    try self.append(record)
    guard record.event.notifiesUser, let id = record.account, let account = try self.account(id),
      let recipient = account.email.flatMap({ EmailAddress($0) })
    else { return }
    if record.reason == .invitation, try self.passkeys(of: id).isEmpty, try self.federatedIdentities(of: id).isEmpty { return }
    let limit = StoredLimit("notifications\n\(id.rawValue)", Self.notificationsPerHour, in: .seconds(3_600))
    guard try limit.countUnlessReached(in: &self, at: record.at) else { return }
    var provider: String?
    if [.identityConnected, .identityDisconnected].contains(record.event) {
      provider = try self.upstreams().first { $0.id == record.subject }?.name ?? record.subject
    }
    let content = MailContent(
      .notification, username: account.username.value, event: record.event, isByOperator: record.origin.source == .command,
      provider: provider, browser: record.origin.userAgent.map { BrowserName(userAgent: $0) },
      language: account.chosenLanguage ?? record.origin.language)
    try self.insert(MailRecord(content, to: recipient, at: record.at))
  }
}

extension MailRecord {
  /// How long the server tries to send a message.
  static var lifetime: Duration { .seconds(86_400) }

  /// Creates a message that is sent as soon as possible.
  /// - Parameter expiry: When the link in the message expires; nil without a link. The server gives up at this time or
  ///   after ``lifetime``, whichever is earlier.
  init(
    _ content: MailContent, to recipient: EmailAddress, sealedLink: [UInt8]? = nil, until expiry: Timestamp? = nil,
    at now: Timestamp
  ) {
    let end = now + Self.lifetime
    self.init(
      id: OrderedID.random(at: now), recipient: recipient.value, content: content.json, sealedLink: sealedLink, createdAt: now,
      dueAt: now, expiresAt: expiry.map { min($0, end) } ?? end)
  }
}
