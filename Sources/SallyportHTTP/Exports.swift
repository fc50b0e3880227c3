// With these exports, programs that embed the server can configure connections, metrics, and tracing without importing
// more modules.
@_exported public import SallyportHTTPServer
@_exported public import SallyportObservability
