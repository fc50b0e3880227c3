/// Schemes that an app cannot claim, because they are registered with IANA, or handled by the browser or the operating
/// system.
///
/// The list omits IANA's provisional entries that a vendor registered for its own app, such as `vscode`.
package enum IANASchemes {
  /// Whether `scheme` is one of these schemes. Case does not matter (RFC 3986 §3.1).
  package static func contains(_ scheme: String) -> Bool {
    let scheme = scheme.lowercased()
    return self.withPeriod.contains(scheme) || self.withoutPeriod.contains(scheme)
  }

  // Schemes that would otherwise count as a reversed domain name.
  private static let withPeriod: Set<String> = [
    "iris.beep", "iris.lwz", "iris.xpc", "iris.xpcs", "soap.beep", "soap.beeps", "xmlrpc.beep", "xmlrpc.beeps", "z39.50",
    "z39.50r", "z39.50s", "vnd.ms.radio",
  ]

  private static let withoutPeriod = Self.permanent.union(Self.historical).union(Self.handledBySystem)

  private static let permanent: Set<String> = [
    "aaa", "aaas", "about", "acap", "acct", "cap", "cid", "coap", "coap+tcp", "coap+ws", "coaps", "coaps+tcp", "coaps+ws", "crid",
    "data", "dav", "dict", "dns", "dtn", "example", "file", "ftp", "geo", "go", "gopher", "h323", "http", "https", "iax", "icap",
    "im", "imap", "info", "ipn", "ipp", "ipps", "iris", "jabber", "ldap", "leaptofrogans", "mailto", "mid", "msrp", "msrps", "mt",
    "mtqp", "mupdate", "news", "nfs", "ni", "nih", "nntp", "opaquelocktoken", "pkcs11", "pop", "pres", "reload", "rtsp", "rtsps",
    "rtspu", "service", "session", "shttp", "sieve", "sip", "sips", "sms", "snmp", "stun", "stuns", "tag", "tel", "telnet",
    "tftp",
    "thismessage", "tip", "tn3270", "turn", "turns", "tv", "urn", "vemmi", "vnc", "ws", "wss", "xcon", "xcon-userid", "xmpp",
  ]

  private static let historical: Set<String> = [
    "fax", "filesystem", "mailserver", "modem", "pack", "prospero", "snews", "upt", "videotex", "wais", "wpid",
  ]

  /// Provisional and unregistered schemes that the browser or the operating system handles. A redirect to such a scheme
  /// can run code, open a local file, or start another program.
  private static let handledBySystem: Set<String> = [
    "afp", "android-app", "app", "apt", "bitcoin", "blob", "callto", "chrome", "chrome-extension", "content", "facetime", "feed",
    "finger", "git", "hcp", "intent", "irc", "ircs", "itms", "itms-apps", "jar", "javascript", "livescript", "magnet", "maps",
    "market", "mms", "mocha", "moz-extension", "ms-settings", "ms-windows-store", "msapp", "res", "resource", "rsync",
    "search-ms", "sftp", "shell", "smb", "ssh", "svn", "vbscript", "view-source", "webcal", "wyciwyg",
  ]
}
