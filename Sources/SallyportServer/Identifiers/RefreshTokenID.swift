/// The identifier of a refresh token: the identifier of its grant, and its number within the grant. A refresh replaces
/// the token with its successor, which has the next number.
public struct RefreshTokenID: Sendable, Hashable {
  public var grant: GrantID
  /// The number of the token, starting with 1. Tokens that an older version issued without a number have 0 or a
  /// negative number.
  public var number: Int64

  public init(grant: GrantID, number: Int64) {
    self.grant = grant
    self.number = number
  }

  /// Returns the identifier of a grant's first token.
  public static func first(of grant: GrantID) -> RefreshTokenID {
    RefreshTokenID(grant: grant, number: 1)
  }

  /// The identifier of the token that replaces this one.
  public var successor: RefreshTokenID { RefreshTokenID(grant: self.grant, number: self.number + 1) }

  /// The identifier of the token that this one replaced. No token has this identifier if this one is the first of its
  /// grant.
  public var predecessor: RefreshTokenID { RefreshTokenID(grant: self.grant, number: self.number - 1) }
}
