/// The page for a failed request: what happened, what to do next, and the request's identifier in the log.
package struct ErrorPage: Sendable {
  /// The heading, such as "This sign-in has expired".
  package var title: String
  /// What happened.
  package var explanation: String
  /// What to do next.
  package var advice: String
  package var requestID: String
  /// The HTTP status code.
  package var status: Int

  package init(title: String, explanation: String, advice: String, requestID: String, status: Int) {
    self.title = title
    self.explanation = explanation
    self.advice = advice
    self.requestID = requestID
    self.status = status
  }
}
