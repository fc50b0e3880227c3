import ArgumentParser
import Sallyport
import SallyportProtocol

/// Why a command failed: what happened, and what to do.
struct CommandFailure: Error {
  let status: ExitStatus
  /// What happened, as one or more sentences.
  let description: String
  /// What to do, as one or more sentences, or `nil` if there is nothing to do.
  let advice: String?
  /// The authorization server's error code, if it returned one.
  let serverError: OAuthErrorCode?

  init(_ status: ExitStatus, _ description: String, _ advice: String? = nil, serverError: OAuthErrorCode? = nil) {
    self.status = status
    self.description = description
    self.advice = advice
    self.serverError = serverError
  }

  /// A failure that the SDK explains.
  /// - Parameter subject: What the explanation is about, as the beginning of a sentence.
  init(_ status: ExitStatus, _ subject: String, _ explanation: ErrorExplanation) {
    self.init(status, "\(subject): \(explanation.finding).", explanation.advice)
  }

  /// A failure that the SDK explains, with the command's own advice.
  /// - Parameter advice: What to do, or `nil` if there is nothing to do.
  init(_ status: ExitStatus, _ explanation: ErrorExplanation, advice: String?, serverError: OAuthErrorCode? = nil) {
    let finding = explanation.finding
    self.init(status, finding.prefix(1).uppercased() + finding.dropFirst() + ".", advice, serverError: serverError)
  }

  /// A usage error.
  init(_ error: ValidationError) {
    self.init(.usage, error.message)
  }

  /// The text for a terminal.
  var message: String {
    let text = [self.description, self.advice].compactMap(\.self).joined(separator: " ")
    return self.status == .usage ? "Error: \(text)" : text
  }

  /// Writes the failure to standard error.
  /// - Parameter json: Whether to write one line of JSON.
  func report(json: Bool) {
    guard json, let line = try? Output.line(json: FailureReport(self)) else { return Output.message(self.message) }
    Output.message(line)
  }
}

/// The JSON form of a failure.
private struct FailureReport: Encodable {
  var error: String
  var description: String
  var advice: String?
  var serverError: String?
  var exitCode: Int32

  private enum CodingKeys: String, CodingKey {
    case error
    case description
    case advice
    case serverError = "server_error"
    case exitCode = "exit_code"
  }

  init(_ failure: CommandFailure) {
    self.error = failure.status.name
    self.description = failure.description
    self.advice = failure.advice
    self.serverError = failure.serverError?.description
    self.exitCode = failure.status.rawValue
  }
}
