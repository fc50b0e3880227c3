import GRDB
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

/// Checks that the schema rejects statements that violate an invariant. A missing check in the code then cannot break
/// the invariant.
@Suite("Invariants of the schema")
struct SchemaTests {
  /// The rows that exist before each statement. The grant `r` is revoked, and the grant `b` is bound to a key.
  static let rows = """
    INSERT INTO account VALUES ('a', 'ada', '$', 0, NULL, NULL, 0, NULL, NULL, NULL);
    INSERT INTO client VALUES ('c', 'Notes', 'public', 'native', 'operator', 'openid', 'ES256', 'none', NULL, NULL, NULL,
      'authorization_code', 0, NULL, '{}', 0);
    INSERT INTO signing_key VALUES ('k', 'ES256', x'00', 0, 0, NULL, NULL);
    INSERT INTO oauth_grant VALUES ('g', 'c', 'a', 'openid', NULL, 0, 0, 100, NULL, NULL, NULL, '', NULL, NULL, NULL, '', NULL);
    INSERT INTO oauth_grant
      VALUES ('r', 'c', 'a', 'openid', NULL, 0, 0, 100, 5, 'userRequest', NULL, '', NULL, NULL, NULL, '', NULL);
    INSERT INTO oauth_grant VALUES ('b', 'c', 'a', 'openid', NULL, 0, 0, 100, NULL, NULL, NULL, '',
      'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk', NULL, NULL, '', NULL);
    INSERT INTO initial_access_token VALUES (zeroblob(32), 'partners', 0, 100, 1);
    INSERT INTO pushed_request VALUES (zeroblob(32), 'c', x'00', 60);
    INSERT INTO device_authorization (fingerprint, user_code, client_id, scope, resources, poll_interval, created_at, expires_at)
      VALUES (zeroblob(32), zeroblob(32), 'c', '', '', 5, 0, 60);
    INSERT INTO device_authorization VALUES (randomblob(32), randomblob(32), 'c', '', '', NULL, 5, NULL, 0, 60, 'allowed', 1, 'a', 0,
      NULL, 7, 'g', 'pwd');
    INSERT INTO used_identifier VALUES (zeroblob(32), 60);
    INSERT INTO attempt VALUES (zeroblob(32), 1, 60);
    INSERT INTO authorization_code VALUES ('g', zeroblob(32), 'https://a/', NULL, 60, 7, 0);
    INSERT INTO refresh_token VALUES ('g', 0, zeroblob(32), 0, 60, 7, x'01');
    INSERT INTO refresh_token VALUES ('g', 1, randomblob(32), 0, 60, NULL, NULL);
    """

  @Test(
    "a statement that violates an invariant fails",
    arguments: [
      "INSERT INTO account VALUES ('b', 'ada', '$', 0, NULL, NULL, 0, NULL, NULL, NULL)",
      "INSERT INTO account VALUES ('a', 'ben', '$', 0, NULL, NULL, 0, NULL, NULL, NULL)",
      "INSERT INTO account VALUES ('b', 'ben', '$', 'soon', NULL, NULL, 0, NULL, NULL, NULL)",
      "INSERT INTO client VALUES ('d', 'N', 'secret', 'native', 'operator', 'openid', 'ES256', 'none', NULL, NULL, NULL, '', 0, NULL, '{}', 0)",
      "INSERT INTO client VALUES ('d', 'N', 'public', 'phone', 'operator', 'openid', 'ES256', 'none', NULL, NULL, NULL, '', 0, NULL, '{}', 0)",
      "INSERT INTO client VALUES ('d', 'N', 'public', 'native', 'operator', 'openid', 'none', 'none', NULL, NULL, NULL, '', 0, NULL, '{}', 0)",
      "INSERT INTO client VALUES ('d', 'N', 'public', 'native', 'operator', '', 'ES256', 'none', x'0011', NULL, NULL, '', 0, NULL, '{}', 0)",
      "UPDATE client SET type = 'confidential'", "UPDATE client SET authentication_method = 'private_key_jwt'",
      "UPDATE client SET type = 'confidential', authentication_method = 'client_secret_basic'",
      "UPDATE client SET type = 'confidential', authentication_method = 'private_key_jwt'",
      "UPDATE client SET jwks = 'no json'", "UPDATE client SET jwks = '{}', jwks_uri = 'https://a/'",
      "UPDATE client SET details = '[]'", "UPDATE client SET origin = 'dynamic', is_first_party = 1",
      "UPDATE client SET registration_token = zeroblob(32)", "UPDATE client SET origin = 'friend'",
      "INSERT INTO client_lease VALUES ('nobody', 0, NULL)", "UPDATE initial_access_token SET remaining_uses = -1",
      "UPDATE oauth_grant SET bound_key = 'short'", "UPDATE oauth_grant SET claims = '[]'",
      "UPDATE oauth_grant SET bound_key = NULL WHERE id = 'b'",
      "UPDATE oauth_grant SET bound_key = '0000000000000000000000000000000000000000000' WHERE id = 'b'",
      "INSERT INTO pushed_request VALUES (randomblob(32), 'nobody', x'00', 0)",
      "UPDATE device_authorization SET decision = 'allowed' WHERE user_code = zeroblob(32)",
      "UPDATE device_authorization SET decision = 'allowed', decided_at = 1 WHERE user_code = zeroblob(32)",
      "UPDATE device_authorization SET decision = 'denied', decided_at = 1, account_id = 'a', authenticated_at = 0 WHERE grant_id IS NULL",
      "UPDATE device_authorization SET consumed_at = 1, grant_id = 'g' WHERE user_code = zeroblob(32)",
      "UPDATE device_authorization SET poll_interval = 0",
      "UPDATE device_authorization SET decision = 'denied', account_id = NULL, authenticated_at = NULL WHERE grant_id IS NOT NULL",
      "UPDATE device_authorization SET consumed_at = NULL, grant_id = NULL WHERE grant_id IS NOT NULL",
      "INSERT INTO used_identifier VALUES (zeroblob(32), 1)", "UPDATE attempt SET count = 0",
      "INSERT INTO client_redirect_uri VALUES ('nobody', 0, 'https://a/')",
      "UPDATE signing_key SET retired_at = 9, removed_at = 8",
      "INSERT INTO configuration VALUES (2, 0)",
      "INSERT INTO browser_session VALUES (randomblob(31), 's', 'a', 0, 0, 0, NULL, NULL, NULL, 'pwd', 0, NULL, NULL, NULL)",
      "INSERT INTO browser_session VALUES (randomblob(32), 's', 'nobody', 0, 0, 0, NULL, NULL, NULL, 'pwd', 0, NULL, NULL, NULL)",
      "INSERT INTO browser_session VALUES (randomblob(32), '', 'a', 0, 0, 0, NULL, NULL, NULL, 'pwd', 0, NULL, NULL, NULL)",
      "INSERT INTO browser_session VALUES (randomblob(32), 's', 'a', 0, 0, 0, NULL, NULL, NULL, 'pwd', 2, NULL, NULL, NULL)",
      "INSERT INTO session_client VALUES ('s', 'nobody', 'a', 0)", "INSERT INTO session_client VALUES ('s', 'c', 'nobody', 0)",
      "INSERT INTO session_client VALUES ('', 'c', 'a', 0)",
      "INSERT INTO logout_delivery VALUES ('d', 'nobody', 'a', 's', 0, 0, 0, 0)",
      "INSERT INTO logout_delivery VALUES ('d', 'c', 'a', '', 0, 0, 0, 0)",
      "INSERT INTO logout_delivery VALUES ('d', 'c', 'a', 's', -1, 0, 0, 0)",
      "INSERT INTO logout_delivery VALUES ('d', 'c', 'a', 's', 0, 0, 0, 2)",
      "INSERT INTO oauth_grant VALUES ('h', 'c', 'a', 'openid', NULL, 0, 0, 100, 5, NULL, NULL, '', NULL, NULL, NULL, '', NULL)",
      "UPDATE oauth_grant SET revoked_at = NULL, revocation_reason = NULL WHERE id = 'r'",
      "UPDATE oauth_grant SET revoked_at = 9 WHERE id = 'r'",
      "UPDATE authorization_code SET consumed_at = NULL", "UPDATE authorization_code SET consumed_at = 8",
      "INSERT INTO authorization_code VALUES ('r', randomblob(32), 'https://a/', NULL, 60, NULL, 0)",
      "INSERT INTO authorization_code VALUES ('none', randomblob(32), 'https://a/', NULL, 60, NULL, 0)",
      "INSERT INTO authorization_code VALUES ('g', randomblob(32), 'https://a/', NULL, 60, NULL, 0)",
      "INSERT INTO authorization_code VALUES ('b', zeroblob(31), 'https://a/', NULL, 60, NULL, 0)",
      "INSERT INTO refresh_token VALUES ('g', 2, randomblob(32), 0, 60, NULL, NULL)",
      "INSERT INTO refresh_token VALUES ('g', 2, randomblob(32), 0, 60, 8, NULL)",
      "INSERT INTO refresh_token VALUES ('g', -1, randomblob(32), 0, 60, 8, NULL)",
      "UPDATE refresh_token SET consumed_at = 8 WHERE number = 1; INSERT INTO refresh_token VALUES ('g', 3, randomblob(32), 0, 60, NULL, NULL)",
      "UPDATE refresh_token SET consumed_at = 8 WHERE number = 1; INSERT INTO refresh_token VALUES ('g', 1, randomblob(32), 0, 60, NULL, NULL)",
      "INSERT INTO refresh_token VALUES ('r', 1, randomblob(32), 0, 60, NULL, NULL)",
      "INSERT INTO refresh_token VALUES ('none', 1, randomblob(32), 0, 60, NULL, NULL)",
      "INSERT INTO refresh_token VALUES ('b', 1, randomblob(31), 0, 60, NULL, NULL)",
      "INSERT INTO refresh_token VALUES ('b', 0, zeroblob(32), 0, 60, NULL, NULL)",
      "INSERT INTO refresh_token VALUES ('b', 1, randomblob(32), 0, 60, NULL, x'01')",
      "UPDATE refresh_token SET consumed_at = NULL, sealed_successor = NULL WHERE consumed_at IS NOT NULL",
      "UPDATE refresh_token SET consumed_at = 8 WHERE consumed_at IS NOT NULL",
      "UPDATE refresh_token SET sealed_successor = x'01' WHERE consumed_at IS NULL",
      "UPDATE refresh_token SET number = 2 WHERE number = 1", "UPDATE refresh_token SET fingerprint = randomblob(32)",
      "UPDATE refresh_token SET grant_id = 'b'",
    ])
  func refuses(statement: String) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    try await store.pool.write { db in try db.execute(sql: Self.rows) }
    let error = await #expect(throws: DatabaseError.self) {
      try await store.pool.write { db in try db.execute(sql: statement) }
    }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT)
  }

  @Test("errors contain neither the statement nor its arguments")
  func errorTexts() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    let error = await #expect(throws: StoreError.self) {
      try await store.commits.run { (tx) throws(StoreError) in
        try tx.change("INSERT INTO account VALUES ('b', ?, '$', 'soon', NULL, NULL, 0, NULL, NULL, NULL)", ["ben-the-secret"])
      }
    }
    guard case .unavailable(let reason) = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
    #expect(!reason.contains("ben-the-secret"))
    #expect(!reason.contains("INSERT"))
  }
}
