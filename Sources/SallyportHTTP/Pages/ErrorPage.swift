/// The page for a request that ends here: what happened, one next step, and the number under which the log has it.
package struct ErrorPage: Sendable {
  /// The heading, such as "This sign-in has expired".
  package var title: String
  /// One sentence: what happened.
  package var what: String
  /// One sentence: what to do now.
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
