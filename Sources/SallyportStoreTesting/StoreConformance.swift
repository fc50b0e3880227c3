public import SallyportServer

/// The rules that every ``Store`` must keep, as named cases.
///
/// With Swift Testing each case becomes a test of its own:
/// ```swift
/// @Test(arguments: StoreConformance.cases)
/// func conforms(to rule: StoreConformance.Case) async throws {
///   try await rule.run { name in try SQLiteStore(path: "\(directory)/\(name).sqlite") }
/// }
/// ```
/// A case throws ``ConformanceFailure``, or what the store threw where nothing should have been thrown.
public enum StoreConformance: Sendable {
  /// Opens the database of that name, empty at first. The same name opened again is a second way to the same data, as another
  /// process would have it.
  public typealias Opening = @Sendable (_ name: String) async throws -> any Store

  /// One rule.
  public struct Case: Sendable, CustomStringConvertible {
    /// What a store does, with the identifiers of the requirements that rest on it.
    public let description: String
    private let check: @Sendable (Harness) async throws -> Void

    init(_ description: String, _ check: @escaping @Sendable (Harness) async throws -> Void) {
      self.description = description
      self.check = check
    }

    /// Checks the rule on a database of its own.
    /// - Throws: ``ConformanceFailure``, or an error of the store.
    public func run(opening open: @escaping Opening) async throws {
      try await self.check(Harness(open: open))
    }
  }

  /// All rules.
  public static var cases: [Case] {
    self.transactionCases + self.accountCases + self.clientCases + self.keyCases + self.sessionCases + self.consentCases
      + self.grantCases + self.codeCases + self.refreshTokenCases + self.concurrencyCases + self.expiryCases
      + self.pushedRequestCases + self.deviceCases + self.attemptCases + self.leaseCases + self.logoutCases + self.auditCases
  }
}
