/// The order in which the identifiers of new grants sort.
public enum GrantOrder: Sendable {
  /// The time of creation comes first, so new grants are adjacent in an index and a commit writes few pages. Suits a
  /// store that runs one write at a time.
  case creation
  /// The account's ``Shard``, a part of the account identifier's hash, comes first, so concurrent transactions add
  /// grants to different pages of an index. Suits a store that detects conflicts by page.
  case shard
}
