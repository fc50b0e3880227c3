/// Features that depend on the transports of a running server, not only on its configuration.
package struct ServerCapabilities: Sendable, Equatable {
  /// Whether a client ID may be the URL of a client metadata document.
  package var acceptsClientIDDocuments = false
  /// Whether a registered `request_uri` is fetched. The `request_uri` of a pushed request is always supported.
  package var fetchesRequestObjects = false
  /// Whether the server can send back-channel logout requests.
  package var deliversLogout = false

  package init() {}
}
