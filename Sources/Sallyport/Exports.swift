// An app imports `Sallyport` and writes issuers, scopes and transports without knowing which module they live in.
@_exported public import SallyportProtocol
@_exported public import SallyportRemote
