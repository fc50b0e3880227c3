// What an API's code names all the time: issuers, URLs, scopes, transports.
@_exported public import SallyportProtocol
@_exported public import SallyportRemote
