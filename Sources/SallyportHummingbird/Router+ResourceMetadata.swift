import HTTPTypes
public import Hummingbird
public import SallyportResource

extension RouterMethods {
  /// Adds the routes for an API's metadata at its well-known path (RFC 9728 §3.1). Call this on a router without a path
  /// prefix.
  ///
  /// Browser apps of any origin can read the metadata.
  @discardableResult
  public func addMetadata(of api: ResourceServer) -> Self {
    let body = ByteBuffer(bytes: api.metadataDocument)
    self.on(RouterPath(api.metadataPath), method: .options) { _, _ in
      Response(
        status: .noContent,
        headers: [
          .accessControlAllowOrigin: "*", .accessControlAllowMethods: "GET", .accessControlAllowHeaders: "*",
          .accessControlMaxAge: "3600",
        ])
    }
    return self.get(RouterPath(api.metadataPath)) { _, _ in
      Response(
        status: .ok,
        headers: [
          .contentType: "application/json", .cacheControl: "public, max-age=3600", .accessControlAllowOrigin: "*",
        ], body: .init(byteBuffer: body))
    }
  }
}
