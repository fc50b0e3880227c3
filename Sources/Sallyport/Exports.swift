// What an app needs with `import Sallyport`. Everything else of these modules stays out of an app's namespace (decision
// 0081).
@_exported public import struct SallyportProtocol.AdditionalParameters
@_exported public import struct SallyportProtocol.Audience
@_exported public import struct SallyportProtocol.ClaimRequest
@_exported public import struct SallyportProtocol.ClaimsRequest
@_exported public import struct SallyportProtocol.ClientIDDocumentURL
@_exported public import struct SallyportProtocol.ClientMetadata
@_exported public import protocol SallyportProtocol.DPoPKey
@_exported public import enum SallyportProtocol.DPoPKeyError
@_exported public import protocol SallyportProtocol.DPoPKeySource
@_exported public import struct SallyportProtocol.DPoPPublicKey
@_exported public import struct SallyportProtocol.EndpointURL
@_exported public import struct SallyportProtocol.IDTokenClaims
@_exported public import struct SallyportProtocol.Issuer
@_exported public import enum SallyportProtocol.JSONValue
@_exported public import enum SallyportProtocol.LoopbackHost
@_exported public import enum SallyportProtocol.OAuthErrorCode
@_exported public import struct SallyportProtocol.Prompt
@_exported public import struct SallyportProtocol.RedirectURI
@_exported public import struct SallyportProtocol.ResourceIndicator
@_exported public import struct SallyportProtocol.Scope
@_exported public import struct SallyportProtocol.Secret
@_exported public import struct SallyportProtocol.SoftwareDPoPKeys
@_exported public import struct SallyportRemote.TransferLimits
@_exported public import protocol SallyportRemote.Transport
@_exported public import enum SallyportRemote.TransportError
@_exported public import struct SallyportRemote.TransportResponse
