import SallyportServer

/// A verified email address of more than one account.
///
/// Users may share a mailbox, so this is not an error. However, a sign-in through an upstream (another OpenID provider)
/// does not use such an address to find an account.
struct SharedAddress {
  let usernames: [String]

  /// Returns the shared addresses of these accounts, in the order of the accounts. Case does not matter.
  static func find(in accounts: [AccountRecord]) -> [SharedAddress] {
    var usernames: [String: [String]] = [:]
    var addresses: [String] = []
    for account in accounts where account.emailVerifiedAt != nil {
      guard let address = account.email?.lowercased() else { continue }
      if usernames[address] == nil { addresses.append(address) }
      usernames[address, default: []].append(account.username.value)
    }
    return addresses.compactMap { usernames[$0] }.filter { $0.count > 1 }.map { SharedAddress(usernames: $0) }
  }

  var warning: String {
    """
    the users \(self.usernames.joined(separator: ", ")) have the same verified email address, so a sign-in \
    through a provider with --trusted-domain cannot find an account by it, and apps that recognize users by address may mix \
    them up; change the address of all but one with 'sallyportd user edit --email'
    """
  }
}
