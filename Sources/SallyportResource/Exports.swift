// API code uses issuers, URLs, scopes, and transports without further imports.
@_exported public import SallyportProtocol
@_exported public import SallyportRemote
