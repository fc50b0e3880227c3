import HTTPTypes
import Hummingbird
import Logging

/// Gives an answer the request's identifier, which stands on error pages, in the log and in the audit trail too, and writes a line for
/// the request where the log's level is `info`.
///
/// Of the request itself the line has what this server has named: the route and not the address, whose query carries codes and states, and
/// no field. An identifier that a client sends is not taken over: then anybody could write into the log.
enum RequestLog {
  static func note(
    _ request: Request, _ response: inout Response, _ context: ServerRequestContext, since start: ContinuousClock.Instant
  ) {
    response.headers.append(HTTPField(name: .xRequestID, value: context.id))
    context.logger.info(
      "request",
      metadata: [
        "method": "\(request.method.rawValue)", "route": "\(context.endpointPath ?? "")", "status": "\(response.status.code)",
        "milliseconds": "\(Self.milliseconds(since: start))",
        "address": "\(context.address)",
      ])
  }

  /// With two digits behind the point.
  private static func milliseconds(since start: ContinuousClock.Instant) -> Double {
    ((ContinuousClock.now - start) / .microseconds(10)).rounded() / 100
  }
}

extension HTTPField.Name {
  static let xRequestID = Self.known("X-Request-ID")
}
