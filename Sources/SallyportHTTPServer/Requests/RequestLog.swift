package import HTTPTypes
package import Hummingbird
import Logging

/// Adds the request's identifier to a response, and logs the request at level `info`.
///
/// The log line contains the route instead of the URL, because the query may contain secrets. It contains no header
/// fields. A request identifier that the client sends is ignored, because otherwise a client could write arbitrary text
/// into the log.
package enum RequestLog {
  package static func note(
    _ request: Request, _ response: inout Response, _ context: ServerRequestContext, since start: ContinuousClock.Instant
  ) {
    response.headers.append(HTTPField(name: .xRequestID, value: context.id))
    context.logger.info(
      "request",
      metadata: [
        "method": "\(request.method.rawValue)", "route": "\(context.endpointPath ?? "")", "status": "\(response.status.code)",
        "milliseconds": "\(Self.milliseconds(since: start))",
        "address": "\(context.remoteAddress)",
      ])
  }

  /// Rounded to two decimal places.
  private static func milliseconds(since start: ContinuousClock.Instant) -> Double {
    ((ContinuousClock.now - start) / .microseconds(10)).rounded() / 100
  }
}

extension HTTPField.Name {
  package static let xRequestID = Self.known("X-Request-ID")
}
