import SallyportArgon2
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// The demo user, who gets a new password in each run.
struct DemoPerson: Sendable {
  static let username = "demo"
  let password: Secret<String>

  static func prepare(in directory: DataDirectory) async throws -> DemoPerson {
    let accounts = Accounts(store: directory.store, hasher: Argon2PasswordHasher())
    let password = Secret(RandomText.base64URL(bits: 96))
    do {
      _ = try await accounts.add(
        username: self.username, password: password, name: "Demo Person", email: "demo@example.com")
    } catch AccountError.usernameTaken {
      try await accounts.setPassword(password, of: self.username)
    }
    return DemoPerson(password: password)
  }
}

/// The client of the demo.
enum DemoClient {
  static let id = "sallyport-demo"

  /// Registers the client, unless an earlier run did.
  static func register(in store: SQLiteStore) async throws {
    let registration = ClientRegistration(
      id: self.id, name: "Sallyport demo app", kind: .native,
      redirectURIs: ["http://127.0.0.1/oauth2redirect/localhost", "http://[::1]/oauth2redirect/localhost"])
    let now = Timestamp.now()
    let record = try registration.register(at: now).record
    do throws(StoreError) {
      try await store.write { (tx) throws(StoreError) in try tx.add(record, from: .command, at: now) }
    } catch {
      guard error == .conflict else { throw error }
    }
  }
}
