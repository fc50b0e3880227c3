// Lets programs that embed the server configure connections, metrics, and tracing without importing other modules.
@_exported public import SallyportHTTPServer
@_exported public import SallyportObservability
