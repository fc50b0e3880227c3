import FoundationEssentials
import SallyportProtocol
import SallyportServer

/// A file with clients: a JSON array of client metadata (RFC 7591 §2), each with a `client_id`, and optionally with
/// properties that only an operator can set. A file with one client needs no array.
struct ClientFile: Decodable {
  /// One element of the array. An element that cannot be decoded becomes an error, so that the others are still
  /// decoded.
  struct Element: Decodable {
    let entry: Result<Entry, ClientFileError>
    /// The client ID, even if the rest of the element cannot be decoded.
    let clientID: String?
    let unknownMembers: [ClientFileError]

    init(from decoder: any Decoder) throws {
      (self.clientID, self.unknownMembers) = Entry.clientIDAndUnknownMembers(from: decoder)
      do { self.entry = .success(try Entry(from: decoder)) } catch let error as ClientFileError {
        self.entry = .failure(error)
      } catch let error as DecodingError {
        self.entry = .failure(ClientFileError(error))
      }
    }
  }

  let elements: [Element]

  init(from decoder: any Decoder) throws {
    self.elements = try (try? [Element](from: decoder)) ?? [Element(from: decoder)]
  }

  /// One client, in a file or in the output of a command.
  struct Entry: Codable {
    let metadata: ClientMetadata
    let clientID: String?
    let secret: Secret<String>?
    /// How the client was registered: `operator`, `dynamic`, or `document`. An import treats nil like `operator`.
    let origin: String?
    let isFirstParty: Bool
    let requiresPKCE: Bool
    let requiredContext: String?
    let webViews: WebViewPolicy?
    let resources: [String]
    let audiences: [String]
    let appleAppIDs: [String]
    let androidApps: [AndroidApp]

    struct AndroidApp: Codable {
      let package: String
      let digests: [String]

      private enum CodingKeys: String, CodingKey {
        case package
        case digests = "sha256_cert_fingerprints"
      }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case clientID = "client_id"
      case secret = "client_secret"
      case origin
      case isFirstParty = "first_party"
      case requiresPKCE = "require_pkce"
      case requiredContext = "require_acr"
      case webViews = "web_views"
      case resources, audiences
      case appleAppIDs = "apple_app_ids"
      case androidApps = "android_apps"
    }

    private struct AnyKey: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    /// Returns the client ID and the errors about unknown members, which an import reports even if other members cannot
    /// be decoded.
    fileprivate static func clientIDAndUnknownMembers(from decoder: any Decoder) -> (String?, [ClientFileError]) {
      guard let container = try? decoder.container(keyedBy: AnyKey.self) else { return (nil, []) }
      let knownNames = ClientMetadata.memberNames.union(CodingKeys.allCases.map(\.rawValue))
      // A name such as `client_name#de` has a language tag (RFC 7591 §2.2).
      let unknownNames = container.allKeys.map(\.stringValue).filter {
        !knownNames.contains($0) && !$0.hasPrefix("client_name#")
      }
      let id = try? decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .clientID)
      return (id, unknownNames.sorted().map { ClientFileError(member: $0, "not a property of a client") })
    }

    init(from decoder: any Decoder) throws {
      self.metadata = try ClientMetadata(from: decoder)
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.clientID = try container.decodeIfPresent(String.self, forKey: .clientID)
      self.secret = try container.decodeIfPresent(String.self, forKey: .secret).map { Secret($0) }
      self.origin = try container.decodeIfPresent(String.self, forKey: .origin)
      self.isFirstParty = try container.decodeIfPresent(Bool.self, forKey: .isFirstParty) ?? false
      self.requiresPKCE = try container.decodeIfPresent(Bool.self, forKey: .requiresPKCE) ?? false
      self.requiredContext = try container.decodeIfPresent(String.self, forKey: .requiredContext)
      self.webViews = try container.decodeIfPresent(String.self, forKey: .webViews).map { text in
        guard let policy = WebViewPolicy(rawValue: text) else {
          throw ClientFileError(member: CodingKeys.webViews.rawValue, "must be block, warn, or off")
        }
        return policy
      }
      self.resources = try container.decodeIfPresent([String].self, forKey: .resources) ?? []
      self.audiences = try container.decodeIfPresent([String].self, forKey: .audiences) ?? []
      self.appleAppIDs = try container.decodeIfPresent([String].self, forKey: .appleAppIDs) ?? []
      self.androidApps = try container.decodeIfPresent([AndroidApp].self, forKey: .androidApps) ?? []
    }

    func encode(to encoder: any Encoder) throws {
      try self.metadata.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(self.clientID, forKey: .clientID)
      try container.encodeIfPresent(self.secret?.reveal(), forKey: .secret)
      try container.encodeIfPresent(self.origin, forKey: .origin)
      try container.encode(self.isFirstParty, forKey: .isFirstParty)
      try container.encode(self.requiresPKCE, forKey: .requiresPKCE)
      try container.encodeIfPresent(self.requiredContext, forKey: .requiredContext)
      try container.encodeIfPresent(self.webViews?.rawValue, forKey: .webViews)
      if !self.resources.isEmpty { try container.encode(self.resources, forKey: .resources) }
      if !self.audiences.isEmpty { try container.encode(self.audiences, forKey: .audiences) }
      if !self.appleAppIDs.isEmpty { try container.encode(self.appleAppIDs, forKey: .appleAppIDs) }
      if !self.androidApps.isEmpty { try container.encode(self.androidApps, forKey: .androidApps) }
    }
  }
}

/// An error in one of the file's clients.
struct ClientFileError: Error, Equatable {
  let text: String

  init(member: String, _ text: String) {
    self.text = "\(member): \(text)"
  }

  init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context): self.text = "\(Self.path(context.codingPath + [key])): the member is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      let path = Self.path(context.codingPath)
      self.text = path.isEmpty ? "must be a JSON object" : "\(path): the value has the wrong type"
    @unknown default: self.text = "cannot be read"
    }
  }

  /// Returns the path to a value: the names of the members that lead to it, separated by periods. Positions in arrays
  /// are left out.
  private static func path(_ keys: [any CodingKey]) -> String {
    keys.compactMap { $0.intValue == nil ? $0.stringValue : nil }.joined(separator: ".")
  }
}
