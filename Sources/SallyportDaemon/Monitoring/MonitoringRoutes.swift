import HTTPTypes
import Hummingbird
import SallyportMetrics
import SallyportServer

/// The routes for the operator: metrics, liveness, and readiness.
struct MonitoringRoutes: Sendable {
  let metrics: PrometheusMetrics
  let readiness: Readiness

  func router() -> Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.get("/metrics") { _, _ in
      Self.text(self.metrics.text(), type: PrometheusMetrics.contentType)
    }
    router.get("/healthz") { _, _ in Self.text("ok\n") }
    router.get("/readyz") { _, _ in
      let status = await self.readiness.status()
      return Self.text("\(status.rawValue)\n", status: status == .ready ? .ok : .serviceUnavailable)
    }
    return router
  }

  private static func text(
    _ text: String, status: HTTPResponse.Status = .ok, type: String = "text/plain; charset=utf-8"
  ) -> Response {
    Response(
      status: status, headers: [.contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
