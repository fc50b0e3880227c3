import SallyportServer

// What a log says of a refusal: the name of the reason, never a text that came with the request.

extension TokenError.Reason {
  var label: String {
    switch self {
    case .repeatedParameter, .pushedPage(.repeatedParameter): "repeatedParameter"
    default: "\(self)"
    }
  }
}

extension AuthorizeError.PageReason {
  var label: String {
    switch self {
    case .repeatedParameter: "repeatedParameter"
    default: "\(self)"
    }
  }
}
