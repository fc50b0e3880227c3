import Hummingbird
import SallyportResource

/// The parts of a JSON-RPC request that this server uses.
struct Message: Decodable {
  /// Nil in a notification, which gets no response.
  var id: Identifier?
  var method: String
  var params: Parameters?

  struct Parameters: Decodable {
    /// The name of the tool.
    var name: String?
  }

  /// A string or a number. The response repeats it.
  enum Identifier: Codable {
    case text(String)
    case number(Int)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      }
    }
  }
}

/// The response to a message.
struct Reply: ResponseEncodable {
  var jsonrpc = "2.0"
  var id: Message.Identifier
  var result: Result?
  var error: Failure?

  struct Result: Encodable {
    var protocolVersion: String?
    var capabilities: [String: [String: Bool]]?
    var serverInfo: [String: String]?
    var tools: [Tool]?
    var content: [Content]?
  }

  struct Tool: Encodable {
    var name = "whoami"
    var description = "Returns the user, the app, and the granted scope of the caller."
    var inputSchema = ["type": "object"]
  }

  struct Content: Encodable {
    var type = "text"
    var text: String
  }

  struct Failure: Encodable {
    var code: Int
    var message: String
  }

  init(id: Message.Identifier, to message: Message, caller: VerifiedAccessToken) {
    self.id = id
    switch (message.method, message.params?.name) {
    case ("initialize", _):
      self.result = Result(
        protocolVersion: "2025-06-18", capabilities: ["tools": [:]], serverInfo: ["name": "whoami", "version": "0.1.0"])
    case ("ping", _): self.result = Result()
    case ("tools/list", _): self.result = Result(tools: [Tool()])
    case ("tools/call", "whoami"?):
      let text = "You are \(caller.subject) of \(caller.issuer), calling through \(caller.clientID), for: \(caller.scope)"
      self.result = Result(content: [Content(text: text)])
    // The error codes of JSON-RPC 2.0: -32602 means invalid parameters, and -32601 an unknown method.
    case ("tools/call", _): self.error = Failure(code: -32602, message: "Unknown tool.")
    default: self.error = Failure(code: -32601, message: "Unknown method.")
    }
  }
}
