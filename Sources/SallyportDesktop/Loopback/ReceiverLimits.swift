/// What strangers can cost a receiver, and how long the browser waits for the last page.
package struct ReceiverLimits: Sendable {
  /// Connections at a time; the oldest makes room for the next.
  package var connections = 64
  /// From accepting a connection to the end of its request head.
  package var connectionTime = Duration.seconds(10)
  /// From the answer to the last page; then a neutral one is sent.
  package var patience = Duration.seconds(60)

  package init() {}
}
