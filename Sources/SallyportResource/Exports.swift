// Lets an API use issuers, URLs, scopes, and transports without importing other modules.
@_exported public import SallyportProtocol
@_exported public import SallyportRemote
