/// Limits on the connections of other programs to a receiver, and on how long the browser waits for the last page.
package struct ReceiverLimits: Sendable {
  /// The maximum number of connections. When it is reached, a new connection replaces the oldest connection to which an
  /// error response was sent or, if there is none, the oldest connection.
  package var connections = 64
  /// The maximum time from accepting a connection to the end of its request head.
  package var connectionTime = Duration.seconds(10)
  /// The maximum time that a browser waits for the last page after it has delivered the response. After that, a neutral
  /// page is sent.
  package var lastPageTime = Duration.seconds(60)

  package init() {}
}
