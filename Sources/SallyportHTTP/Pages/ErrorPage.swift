/// The page for a failed request: what happened, what to do next, and the request's identifier in the log.
package struct ErrorPage: Sendable {
  /// The heading, such as "This sign-in has expired".
  package var title: String
  /// One sentence that says what happened.
  package var what: String
  /// One sentence that says what to do next.
  package var next: String
  package var requestID: String
  package var status: Int

  package init(title: String, what: String, next: String, requestID: String, status: Int) {
    self.title = title
    self.what = what
    self.next = next
    self.requestID = requestID
    self.status = status
  }
}
