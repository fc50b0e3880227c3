/// A reader for archives of `NSKeyedArchiver`. It works on all systems, and creates no objects of the archived classes.
struct KeyedArchive: Sendable {
  /// An archived object and its members.
  struct Object: Sendable {
    fileprivate let archive: KeyedArchive
    /// For each member, the index of its value in the property list. The value is usually a reference to an object.
    fileprivate let members: [String: Int]

    /// The names of the object's class and its superclasses.
    var classes: [String] {
      guard let type = self["$class"], let index = type.members["$classes"],
        case .array(let names)? = self.archive.list.object(index)
      else { return [] }
      return names.compactMap { self.archive.list.string($0) }
    }

    /// The member's object, or `nil` if the member is missing or not an object.
    subscript(name: String) -> Object? {
      self.members[name].flatMap { self.archive.resolve($0) }.flatMap { self.archive.object($0) }
    }

    /// The member's text, or `nil` if the member is missing or not text.
    func text(_ name: String) -> String? {
      guard let index = self.members[name].flatMap({ self.archive.resolve($0) }) else { return nil }
      // An archive contains the string `$null` in place of `nil`.
      if let text = self.archive.list.string(index) { return text == "$null" ? nil : text }
      // A mutable string is an object with the text in the member `NS.string`.
      return self.archive.object(index).flatMap { object in
        object.members["NS.string"].flatMap { object.archive.list.string($0) }
      }
    }

    /// The text of a member that is an `NSURL` without a base URL.
    func url(_ name: String) -> String? { self[name]?.text("NS.relative") }
  }

  private let list: BinaryPropertyList
  /// The indexes of the archived objects in the property list. A reference is a position in this array.
  private let objects: [Int]
  /// For each key that an object was archived under, the index of the reference to the object.
  private let top: [String: Int]

  /// Returns `nil` if the bytes are not a keyed archive in the form of a binary property list.
  init?(_ bytes: [UInt8]) {
    guard let list = BinaryPropertyList(bytes), case .dictionary(let members)? = list.object(list.top),
      members["$archiver"].flatMap({ list.string($0) }) == "NSKeyedArchiver",
      let objects = members["$objects"], case .array(let indexes)? = list.object(objects),
      let top = members["$top"], case .dictionary(let roots)? = list.object(top)
    else { return nil }
    self.list = list
    self.objects = indexes
    self.top = roots
  }

  /// The object that was archived under the key `root` or, without this key, under the archive's only key.
  var root: Object? {
    (self.top["root"] ?? (self.top.count == 1 ? self.top.values.first : nil)).flatMap { self.resolve($0) }.flatMap {
      self.object($0)
    }
  }

  /// The index of the object that a reference names, or `nil` if the value at `index` is not a valid reference.
  private func resolve(_ index: Int) -> Int? {
    guard case .reference(let number)? = self.list.object(index), self.objects.indices.contains(number) else { return nil }
    return self.objects[number]
  }

  private func object(_ index: Int) -> Object? {
    guard case .dictionary(let members)? = self.list.object(index) else { return nil }
    return Object(archive: self, members: members)
  }
}
