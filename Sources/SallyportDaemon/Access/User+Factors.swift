import ArgumentParser
import FoundationEssentials
import SallyportProtocol
import SallyportServer

extension User {
  struct Factors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List how a user can sign in, remove a factor, or disconnect another provider.",
      discussion: """
        Prints when the password was last set, when the authenticator app ('totp') and each passkey were added and last used, the number \
        of unused recovery codes, and the identities at other providers. With --remove, removes one factor, for example because the user \
        has lost the device. Recovery codes remain until they are removed too. With --disconnect, the user can no longer sign in through \
        that provider. Sessions that began with the factor or the provider continue: to end them, use 'sallyportd user sign-out'.
        """)
    @OptionGroup var data: DataOptions
    @Argument(help: "The user name.") var username: String
    @Option(
      help: ArgumentHelp("The factor to remove: 'totp', 'recovery-codes', or the ID of a passkey.", valueName: "factor"))
    var remove: String?
    @Option(
      help: ArgumentHelp("The provider whose identity to disconnect: the issuer, as it is listed.", valueName: "issuer"))
    var disconnect: String?
    @Option(
      help: ArgumentHelp(
        "The identity to disconnect, as it is listed. Required if the user has several at the provider.", valueName: "sub"))
    var subject: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
      guard self.remove == nil || self.disconnect == nil else {
        throw ValidationError("--remove and --disconnect cannot be combined")
      }
      guard self.subject == nil || self.disconnect != nil else { throw ValidationError("--subject requires --disconnect") }
    }

    func run() async throws {
      let accounts = try await self.data.accounts()
      if let factor = self.remove { return try await self.remove(factor, accounts) }
      if let issuer = self.disconnect { return try await self.disconnect(issuer, accounts) }
      let account = try await User.explaining { try await accounts.find(self.username) }
      let passkeys = try await User.explaining { try await accounts.passkeys(of: self.username) }
      let (totp, codes) = try await User.explaining { try await accounts.secondFactors(of: self.username) }
      let identities = try await User.explaining { try await accounts.federatedIdentities(of: self.username) }
      let factors = Result(account, passkeys, totp, codes, identities)
      if self.json { return try Console.print(json: factors) }
      if let time = factors.passwordChanged { Console.print("password\t\(time)") }
      if let totp = factors.totp { Console.print("totp\t\(totp.created)\t\(totp.lastUsed ?? "-")") }
      if let codes = factors.recoveryCodes { Console.print("recovery-codes\t\(codes.unused)\t\(codes.created)") }
      for passkey in factors.passkeys {
        // Quoted, because users choose the names.
        Console.print(
          "passkey\t\(passkey.id)\t\(passkey.name.debugDescription)\t\(passkey.created)\t\(passkey.lastUsed ?? "-")")
      }
      self.print(factors.identities)
    }

    private func print(_ identities: [Result.Identity]) {
      for identity in identities {
        // Quoted, because providers choose the subjects.
        Console.print(
          "identity\t\(identity.issuer)\t\(identity.sub.debugDescription)\t\(identity.created)\t\(identity.lastUsed ?? "-")")
      }
    }

    private func remove(_ factor: String, _ accounts: Accounts) async throws {
      let isRemoved = try await User.explaining {
        switch factor {
        case "totp": return try await accounts.removeTOTP(of: self.username)
        case "recovery-codes": return try await accounts.removeRecoveryCodes(of: self.username)
        default:
          guard let id = Base64URL.decode(factor) else { return false }
          return try await accounts.removePasskey(id, of: self.username)
        }
      }
      guard isRemoved else { throw Failure(self.missing(factor)) }
      if self.json { try Console.print(json: ["id": factor]) } else { Console.printMessage("removed \(factor)") }
    }

    private func disconnect(_ issuer: String, _ accounts: Accounts) async throws {
      let identities = try await User.explaining { try await accounts.federatedIdentities(of: self.username) }
        .filter { $0.issuer == issuer && (self.subject == nil || $0.subject == self.subject) }
      guard let identity = identities.first else {
        let subject = self.subject.map { " with the subject \($0.debugDescription)" } ?? ""
        throw Failure("\(self.username) has no identity\(subject) at \"\(issuer)\"")
      }
      guard identities.count == 1 else {
        throw Failure("\(self.username) has \(identities.count) identities at \"\(issuer)\": specify one with --subject")
      }
      let isRemoved = try await User.explaining {
        try await accounts.removeFederatedIdentity(issuer: issuer, subject: identity.subject, of: self.username)
      }
      guard isRemoved else { throw Failure("\(self.username) has no identity at \"\(issuer)\"") }
      if self.json {
        try Console.print(json: ["issuer": issuer, "sub": identity.subject])
      } else {
        Console.printMessage("disconnected \(issuer)")
      }
    }

    private func missing(_ factor: String) -> String {
      switch factor {
      case "totp": "\(self.username) has no authenticator app"
      case "recovery-codes": "\(self.username) has no recovery codes"
      default: "\(self.username) has no passkey with the ID \"\(factor)\""
      }
    }

    /// The factors as they are printed, in JSON or as lines of text. Times are in UTC (ISO 8601).
    struct Result: Encodable {
      struct Passkey: Encodable {
        /// The credential ID in base64url.
        let id: String
        let name: String
        let isBackedUp: Bool
        let isAttested: Bool
        let created: String
        let lastUsed: String?

        private enum CodingKeys: String, CodingKey {
          case id, name, created
          case isBackedUp = "backed_up"
          case isAttested = "attested"
          case lastUsed = "last_used"
        }
      }

      struct TOTP: Encodable {
        let created: String
        let lastUsed: String?

        private enum CodingKeys: String, CodingKey {
          case created
          case lastUsed = "last_used"
        }
      }

      struct RecoveryCodes: Encodable {
        let created: String
        let unused: Int
      }

      /// The user's identity at another provider.
      struct Identity: Encodable {
        let issuer: String
        let sub: String
        let created: String
        let lastUsed: String?

        private enum CodingKeys: String, CodingKey {
          case issuer, sub, created
          case lastUsed = "last_used"
        }
      }

      /// Nil if the user has no password.
      let passwordChanged: String?
      let totp: TOTP?
      let recoveryCodes: RecoveryCodes?
      let passkeys: [Passkey]
      let identities: [Identity]

      private enum CodingKeys: String, CodingKey {
        case totp, passkeys, identities
        case passwordChanged = "password_changed"
        case recoveryCodes = "recovery_codes"
      }

      init(
        _ account: AccountRecord, _ passkeys: [PasskeyRecord], _ totp: TOTPRecord?, _ codes: [RecoveryCodeRecord],
        _ identities: [FederatedIdentityRecord]
      ) {
        self.identities = identities.map { identity in
          Identity(
            issuer: identity.issuer, sub: identity.subject, created: identity.createdAt.date.formatted(.iso8601),
            lastUsed: identity.lastUsedAt?.date.formatted(.iso8601))
        }
        self.totp = totp.map { totp in
          TOTP(created: totp.createdAt.date.formatted(.iso8601), lastUsed: totp.lastUsedAt?.date.formatted(.iso8601))
        }
        self.recoveryCodes = codes.first.map { code in
          RecoveryCodes(created: code.createdAt.date.formatted(.iso8601), unused: codes.count { $0.usedAt == nil })
        }
        self.passwordChanged = account.hasPassword ? account.passwordChangedAt.date.formatted(.iso8601) : nil
        self.passkeys = passkeys.map { passkey in
          Passkey(
            id: Base64URL.encode(passkey.id), name: passkey.name, isBackedUp: passkey.isBackedUp, isAttested: passkey.isAttested,
            created: passkey.createdAt.date.formatted(.iso8601), lastUsed: passkey.lastUsedAt?.date.formatted(.iso8601))
        }
      }
    }
  }
}
