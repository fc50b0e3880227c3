import HTTPTypes
import Hummingbird
import SallyportServer

extension Response {
  /// Returns a 303 redirect, so that the browser does not post a form again to the new location (RFC 9700 §4.12).
  static func redirect(seeOther location: String) -> Response {
    Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
  }

  static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) throws -> Response {
    self.json(bytes: try WireJSON.encode(value), status, headers)
  }

  static func json(_ value: some WireObject, headers: HTTPFields) -> Response {
    self.json(bytes: WireJSON.encode(value), .ok, headers)
  }

  private static func json(bytes: [UInt8], _ status: HTTPResponse.Status, _ headers: HTTPFields) -> Response {
    // Appending is faster than setting, which first searches for an existing field. `headers` never contains these
    // fields.
    var headers = headers
    headers.append(HTTPField(name: .contentType, value: "application/json"))
    headers.append(HTTPField(name: .contentLength, value: String(bytes.count)))
    return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
