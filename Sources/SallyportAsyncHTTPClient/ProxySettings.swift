#if os(Windows)
  import ucrt
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// Which requests go through a proxy. ``environment`` reads the same variables as most command-line tools.
///
/// Requests to this machine (`localhost` and loopback addresses) never use a proxy. For `https` URLs, a proxy
/// only forwards bytes: TLS still ends at the server, whose certificate is verified as usual (RFC 9110 §9.3.6).
public struct ProxySettings: Sendable, Equatable {
  /// The URL of the proxy for `https` URLs, for example `http://proxy.example:3128`, or `nil` for none.
  public var https: String?
  /// The URL of the proxy for `http` URLs, or `nil` for none.
  public var http: String?
  /// The hosts that are contacted directly: `example.com` also covers its subdomains, `example.com:8443` covers only
  /// this port, and `*` covers all hosts.
  public var exceptions: [String]

  /// Creates settings. The properties with the same names describe the parameters.
  public init(https: String? = nil, http: String? = nil, exceptions: [String] = []) {
    self.https = https
    self.http = http
    self.exceptions = exceptions
  }

  /// No proxy.
  public static let none = ProxySettings()

  /// The settings in the environment variables `HTTPS_PROXY`, `HTTP_PROXY`, and `NO_PROXY`. The same names in lowercase
  /// take precedence. In a CGI program, `HTTP_PROXY` is ignored in both spellings.
  public static var environment: ProxySettings {
    self.init { name in getenv(name).map { String(cString: $0) } }
  }

  /// Reads the variables. Empty values count as unset.
  init(variable: (String) -> String?) {
    func value(_ name: String) -> String? {
      [name.lowercased(), name].lazy.compactMap(variable).first { !$0.isEmpty }
    }
    self.https = value("HTTPS_PROXY")
    // REQUEST_METHOD is set in a CGI program. There, a client can set HTTP_PROXY with the header field `Proxy`
    // (CVE-2016-5385), so the variable is ignored.
    self.http = variable("REQUEST_METHOD") == nil ? value("HTTP_PROXY") : nil
    self.exceptions = (value("NO_PROXY") ?? "").split { $0 == "," || $0 == " " }.map(String.init)
  }
}
