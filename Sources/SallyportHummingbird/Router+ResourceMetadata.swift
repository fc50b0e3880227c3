import HTTPTypes
public import Hummingbird
public import SallyportResource

extension RouterMethods {
  /// Publishes an API's metadata (RFC 9728 §3.1) at their well-known path. On a router without a prefix.
  ///
  /// Apps in browsers may read them from anywhere: there is nothing in them that is meant for some only.
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
