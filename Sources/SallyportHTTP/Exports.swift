// Apps that embed the server import only `SallyportHTTP` to configure connections, metrics, and tracing.
@_exported public import SallyportHTTPServer
@_exported public import SallyportObservability
