/// Keys that the user presses, as a WebDriver command (W3C WebDriver §17.5).
struct KeyActions: Encodable {
  var actions: [Keyboard]

  struct Keyboard: Encodable {
    var type = "key"
    var id = "keyboard"
    /// The keys that go down or up, in this order.
    var actions: [Change]
  }

  struct Change: Encodable {
    /// `keyDown` or `keyUp`.
    var type: String
    var value: String
  }

  /// Presses one key after the other.
  init(pressing keys: some Sequence<Character>) {
    let changes = keys.flatMap { key in ["keyDown", "keyUp"].map { Change(type: $0, value: String(key)) } }
    self.actions = [Keyboard(actions: changes)]
  }
}
