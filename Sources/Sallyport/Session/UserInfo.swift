#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
public import SallyportProtocol
import SallyportRemote

/// The most common standard claims of a UserInfo response (OpenID Connect Core §5.1).
public struct UserInfo: Codable, Equatable, Sendable {
  /// The user's identifier at the server (`sub`).
  public var subject: String
  /// The user's full name.
  public var name: String?
  /// The user's preferred username, which need not be unique.
  public var preferredUsername: String?
  /// The user's email address.
  public var email: String?
  /// Whether the server has verified the email address.
  public var emailVerified: Bool?

  private enum CodingKeys: String, CodingKey {
    case subject = "sub"
    case name
    case preferredUsername = "preferred_username"
    case email
    case emailVerified = "email_verified"
  }

  /// Creates a value with the required claim.
  public init(subject: String) {
    self.subject = subject
  }

  /// Decodes the claims. Except for `sub`, a claim of an unexpected type counts as absent, because one unusual claim
  /// must not hide the others. `email_verified` may be the string `true` or `false`, which Amazon Cognito sends.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.subject = try container.decode(String.self, forKey: .subject)
    self.name = try? container.decode(String.self, forKey: .name)
    self.preferredUsername = try? container.decode(String.self, forKey: .preferredUsername)
    self.email = try? container.decode(String.self, forKey: .email)
    self.emailVerified =
      (try? container.decode(Bool.self, forKey: .emailVerified))
      ?? (try? container.decode(String.self, forKey: .emailVerified)).flatMap { Bool($0) }
  }

  /// Creates a value from the claims of an ID token.
  public init(_ claims: IDTokenClaims) {
    self.subject = claims.subject
    self.name = claims.name
    self.preferredUsername = claims.preferredUsername
    self.email = claims.email
    self.emailVerified = claims.emailVerified
  }

  /// Reads a response and checks that it is about the signed-in user (OpenID Connect Core §5.3.2).
  static func validate(_ response: TransportResponse, subject: String) throws(SessionError) -> UserInfo {
    switch response.head.status.code {
    case 200: break
    case 429, 500...: throw .unavailable(status: response.head.status.code)
    default: throw .userInfo(.unexpectedStatus(response.head.status.code))
    }
    guard let info = try? JSONDecoder().decode(UserInfo.self, from: Data(response.body)) else { throw .userInfo(.malformed) }
    guard info.subject.utf8.elementsEqual(subject.utf8) else { throw .userInfo(.subjectMismatch) }
    return info
  }
}
