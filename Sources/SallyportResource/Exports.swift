// Lets an API use issuers, URLs, scopes, and transports without importing other modules. SallyportRemote is not
// exported as a whole, so that types for clients, such as `ServerConfiguration`, stay out of the API's namespace.
@_exported public import SallyportProtocol
@_exported public import enum SallyportRemote.DiscoveryError
@_exported public import enum SallyportRemote.JSONDocumentError
@_exported public import enum SallyportRemote.JWKSError
@_exported public import struct SallyportRemote.TransferLimits
@_exported public import protocol SallyportRemote.Transport
@_exported public import enum SallyportRemote.TransportError
@_exported public import struct SallyportRemote.TransportResponse
