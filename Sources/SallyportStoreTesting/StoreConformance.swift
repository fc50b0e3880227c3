public import SallyportServer

/// The rules that every ``Store`` must follow, as named cases.
///
/// With Swift Testing, each case becomes its own test:
/// ```swift
/// import SallyportSQLite
/// import SallyportStoreTesting
/// import Testing
///
/// @Test(arguments: StoreConformance.cases)
/// func conforms(to rule: StoreConformance.Case) async throws {
///   try await rule.run { name in try SQLiteStore(path: "/tmp/\(name).sqlite") }
/// }
/// ```
/// A case throws ``ConformanceFailure``, or any unexpected error of the store.
public enum StoreConformance: Sendable {
  /// Opens the database with this name. The database is empty at first. Opening the same name again provides a second
  /// connection to the same database, as if another process had opened it.
  public typealias Opening = @Sendable (_ name: String) async throws -> any Store

  /// A rule, and the code that checks whether a store follows it.
  public struct Case: Sendable, CustomStringConvertible {
    /// The text of the rule. It can begin with the identifiers of requirements that depend on the rule, for example
    /// `S-22: …`, or with RFCs.
    public let description: String
    private let check: @Sendable (Harness) async throws -> Void

    init(_ description: String, _ check: @escaping @Sendable (Harness) async throws -> Void) {
      self.description = description
      self.check = check
    }

    /// Checks the rule with a new database.
    /// - Throws: ``ConformanceFailure``, or any unexpected error of the store.
    public func run(opening open: @escaping Opening) async throws {
      try await self.check(Harness(open: open))
    }
  }

  /// All rules.
  public static var cases: [Case] {
    self.transactionCases + self.accountCases + self.passkeyCases + self.secondFactorCases + self.clientCases + self.keyCases
      + self.sessionCases + self.consentCases
      + self.grantCases + self.codeCases + self.refreshTokenCases + self.concurrencyCases + self.expiryCases
      + self.pushedRequestCases + self.deviceCases + self.attemptCases + self.leaseCases + self.logoutCases + self.auditCases
      + self.selfServiceCases + self.mailCases + self.signUpCases + self.upstreamCases
  }
}
