// Apps import only `Sallyport` to use issuers, scopes, and transports.
@_exported public import SallyportProtocol
@_exported public import SallyportRemote
