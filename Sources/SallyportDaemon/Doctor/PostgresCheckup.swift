import SallyportPostgres

/// Reports the version of a PostgreSQL database, and checks its indexes, clock, and replication.
struct PostgresCheckup {
  /// A standby with a greater lag than this is reported, because promoting it would take longer and might lose more
  /// transactions.
  private static var toleratedLag: Duration { .seconds(10) }
  /// The maximum number of bytes of the write-ahead log that a standby may be behind. If nothing has changed recently,
  /// PostgreSQL reports the lag only in bytes, and not in seconds.
  private static var toleratedBytes: Int64 { 64 << 20 }

  let condition: PostgresCondition
  let hosts: [String]

  func findings() -> [Finding] {
    let version = "PostgreSQL \(self.condition.serverVersion / 10_000) at \(self.hosts.joined(separator: ", "))"
    return [.ok("database", "\(version), with the current schema version")] + self.indexFindings + self.clockFindings
      + self.replicationFindings
  }

  private var indexFindings: [Finding] {
    let (missing, invalid) = (self.condition.missingIndexes, self.condition.invalidIndexes)
    var findings: [Finding] = []
    if !missing.isEmpty {
      findings.append(
        .problem(
          "database",
          "indexes are missing (\(missing.joined(separator: ", "))); create them as in the output of 'sallyportd store init --print-sql'"
        ))
    }
    if !invalid.isEmpty {
      findings.append(
        .problem(
          "database",
          "indexes are invalid (\(invalid.joined(separator: ", "))), because their creation was interrupted; if the next start of the server does not repair them, run REINDEX INDEX CONCURRENTLY sallyport.NAME for each, or drop those whose names end in _ccnew or _ccold"
        ))
    }
    return findings
  }

  private var clockFindings: [Finding] {
    let offset = self.condition.clockOffset
    guard max(offset, .zero - offset) > ClockCheckup.toleratedOffset else { return [] }
    return [
      .problem("clock", "the clock of the database differs by \(offset) from the clock of this machine; synchronize both")
    ]
  }

  private var replicationFindings: [Finding] {
    var findings: [Finding] = []
    if self.condition.isCommitWeak {
      findings.append(
        .warning(
          "replication",
          "synchronous_commit is \(self.condition.synchronousCommit); the server uses 'on' for its own sessions, but other programs may lose data"
        ))
    }
    guard let standbys = self.condition.standbys else {
      findings.append(
        .warning(
          "replication", "this role is not allowed to see the standbys; to check replication, grant it pg_read_all_stats"))
      return findings
    }
    if self.condition.synchronousStandbyNames.isEmpty {
      findings.append(
        .warning(
          "replication",
          "commits wait for no standby (synchronous_standby_names is empty), so acknowledged data can be lost if this database fails"
        )
      )
    } else if !standbys.contains(where: { $0.mode == "sync" || $0.mode == "quorum" }) {
      findings.append(.problem("replication", "no synchronous standby is connected, so writes do not complete"))
    }
    for standby in standbys where standby.lag ?? .zero > Self.toleratedLag {
      findings.append(.warning("replication", "the standby \(standby.name) is \(standby.lag ?? .zero) behind"))
    }
    // A standby whose lag in seconds was reported above is not reported again for its lag in bytes.
    for standby in standbys where standby.lag ?? .zero <= Self.toleratedLag {
      guard let bytes = standby.missingBytes, bytes > Self.toleratedBytes else { continue }
      findings.append(.warning("replication", "the standby \(standby.name) is \(bytes >> 20) MiB of the log behind"))
    }
    return Finding.list(
      "replication", findings, otherwise: "\(standbys.count) standbys, none more than \(Self.toleratedLag) behind")
  }
}
