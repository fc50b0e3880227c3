import CLibPQ
public import SallyportServer

/// The URL of a database, such as `postgres://sallyport@db1.example:5432,db2.example:5432/sallyport`.
///
/// The URL has the format of libpq, with any of libpq's parameters. It must not contain a password, because other users
/// can often read command lines and settings files. libpq reads the password from the file that the parameter
/// `passfile` names, from `~/.pgpass`, or from the environment variable `PGPASSWORD`.
///
/// If at least one host is on another machine, the default of `sslmode` is `verify-full`. The URL and the environment
/// variable `PGSSLMODE` can specify another value. Only a host that accepts writes is used, unless the URL specifies
/// `target_session_attrs`.
public struct PostgresAddress: Sendable {
  /// The parameters for each host, in the order in which the hosts are specified.
  let endpoints: [[(keyword: String, value: String)]]
  /// The hosts, with their ports if these are specified, for messages.
  public let hosts: [String]

  /// - Throws: ``StoreError/unusable(reason:)`` if the URL is invalid or contains a password, or libpq is not
  ///   installed.
  public init(_ url: String) throws(StoreError) {
    try self.init(url, environment: { name in Self.environmentValue(name) })
  }

  init(_ url: String, environment: (_ name: String) -> String?) throws(StoreError) {
    guard Self.isPostgresURL(url) else {
      throw .unusable(reason: "the database must be a URL such as postgres://sallyport@db.example/sallyport")
    }
    if let reason = libpq_load() { throw .unusable(reason: String(cString: reason)) }
    guard !Self.containsPassword(url) else { throw Self.passwordError }
    guard Self.hasNumericPorts(url) else { throw Self.portError }
    var parameters = try Self.parse(url)
    guard Self.secretParameters.allSatisfy({ parameters[$0] == nil }) else { throw Self.passwordError }
    let hosts = Self.list(parameters["host"] ?? environment("PGHOST"))
    let addresses = Self.list(parameters["hostaddr"] ?? environment("PGHOSTADDR"))
    let ports = Self.list(parameters["port"] ?? environment("PGPORT"))
    let count = max(hosts.count, addresses.count, 1)
    let addressesMatchHosts = hosts.isEmpty || addresses.isEmpty || hosts.count == addresses.count
    // A single port is the port of all hosts.
    let portsMatchHosts = ports.count <= 1 || ports.count == count
    guard addressesMatchHosts, portsMatchHosts else {
      throw .unusable(reason: "the database URL has different numbers of hosts, addresses, or ports")
    }
    guard ports.allSatisfy({ $0.isEmpty || (UInt16($0) ?? 0) > 0 }) else { throw Self.portError }
    // libpq connects to the addresses, if there are any, and does not resolve the hosts.
    let destinations = addresses.isEmpty ? hosts : addresses
    if parameters["sslmode"] == nil, environment("PGSSLMODE") == nil, !destinations.allSatisfy(Self.isLocal) {
      parameters["sslmode"] = "verify-full"
    }
    parameters["target_session_attrs"] = parameters["target_session_attrs"] ?? "read-write"
    parameters["client_encoding"] = "UTF8"
    parameters["fallback_application_name"] = "sallyport"
    parameters["options"] = [parameters["options"], Self.sessionOptions].compactMap(\.self).joined(separator: " ")
    let names = hosts.isEmpty ? addresses : hosts
    self.hosts = (0..<count).map { index in
      let name = names.isEmpty ? "the local server" : names[index]
      let port = ports.count > 1 ? ports[index] : ports.first
      return port.map { "\(name):\($0)" } ?? name
    }
    self.endpoints = (0..<count).map { index in
      var endpoint = parameters
      endpoint["host"] = hosts.isEmpty ? nil : hosts[index]
      endpoint["hostaddr"] = addresses.isEmpty ? nil : addresses[index]
      endpoint["port"] = ports.count > 1 ? ports[index] : ports.first
      return endpoint.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  /// Whether a text is the URL of a PostgreSQL database and not, for example, the path of a file.
  public static func isPostgresURL(_ text: String) -> Bool {
    text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
  }

  /// The value of `search_path` in each session and, behind PgBouncer, in each transaction.
  static let searchPath = "sallyport,pg_temp"

  /// The settings of each session. In addition to the search path, these are:
  /// - `enable_seqscan`: If there is an index, it is used even in small tables. A serializable transaction that reads a
  ///   whole table conflicts with every concurrent write to this table.
  /// - `jit`: It is off, because `enable_seqscan=off` makes the estimated cost of a statement without an index so high
  ///   that PostgreSQL would compile the statement, which takes far longer than running it.
  /// - `plan_cache_mode`: A prepared statement is planned only once.
  /// - `idle_in_transaction_session_timeout`: PostgreSQL ends a session that sends nothing for ten seconds while it has
  ///   an open transaction, and releases its locks.
  /// - `lock_timeout`: A statement waits for a lock for at most ten seconds.
  private static let sessionOptions = """
    -c search_path=\(Self.searchPath) -c enable_seqscan=off -c jit=off \
    -c plan_cache_mode=force_generic_plan -c idle_in_transaction_session_timeout=10000 -c lock_timeout=10000
    """

  private static let passwordError = StoreError.unusable(
    reason: """
      the database URL must not contain a password; put the password into ~/.pgpass, into the file of the URL's parameter \
      'passfile', or into the environment variable PGPASSWORD
      """)

  /// The message does not quote the port, which can be a part of a password whose special characters are not encoded.
  private static let portError = StoreError.unusable(
    reason: "each port of the database must be a number from 1 to 65535, and the database URL must not contain a password")

  /// The parameters whose values are secrets.
  private static let secretParameters = [
    "password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key",
  ]

  /// Whether the URL contains a password before the host, or has an "@" after the host, which can be the end of a
  /// password whose special characters are not encoded. In such a URL, libpq would mistake a part of the password for a
  /// port, the name of the database, or a parameter.
  ///
  /// This is checked before libpq parses the URL, because libpq's messages quote parts of the URL.
  private static func containsPassword(_ url: String) -> Bool {
    let (authority, path, query) = Self.parts(url)
    guard !path.contains("@") else { return true }
    guard let end = authority.firstIndex(of: "@") else {
      // In `postgres://user:pass?word@host/db`, the authority ends at the question mark in the password, so the part of
      // the password before it looks like a port, and the rest like a query. An authority that ends with "]" is an IPv6
      // address without a port.
      let seemsToHavePort = authority.contains(":") && !authority.hasSuffix("]")
      return seemsToHavePort && query.contains("@")
    }
    return authority[..<end].contains(":") || authority[end...].dropFirst().contains("@")
  }

  /// Whether the port of each host consists only of digits. An IPv6 address is in brackets.
  private static func hasNumericPorts(_ url: String) -> Bool {
    let authority = Self.parts(url).authority
    let hosts = authority.firstIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
    return hosts.split(separator: ",").allSatisfy { host in
      let afterAddress = host.hasPrefix("[") ? host.drop { $0 != "]" } : host
      return afterAddress.drop { $0 != ":" }.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
  }

  private static func parts(_ url: String) -> (authority: Substring, path: Substring, query: Substring) {
    let rest = url.drop { $0 != "/" }.dropFirst(2)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest.dropFirst(authority.count).prefix { $0 != "?" }
    return (authority, path, rest.dropFirst(authority.count + path.count))
  }

  private static func parse(_ url: String) throws(StoreError) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = libpq_PQconninfoParse(url, &message) else {
      let reason = message.map { String(cString: $0) } ?? ""
      libpq_PQfreemem(message)
      // A message can quote the value of a parameter, such as the password.
      let canContainSecret = ["password", "secret", "scram"].contains { url.lowercased().contains($0) }
      let detail = canContainSecret ? "" : ": " + reason.split(whereSeparator: \.isNewline).joined(separator: " ")
      throw .unusable(reason: "the database URL is invalid\(detail)")
    }
    defer { libpq_PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    return values
  }

  private static func list(_ text: String?) -> [String] {
    guard let text, !text.isEmpty else { return [] }
    return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Whether a host is on this machine: a Unix domain socket or a loopback address.
  private static func isLocal(_ host: String) -> Bool {
    host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
      || Self.isLoopbackIPv4(host)
  }

  /// Whether a host is an IPv4 address of `127.0.0.0/8`, and not a name such as `127.example`.
  private static func isLoopbackIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension PostgresAddress {
  private static func environmentValue(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
