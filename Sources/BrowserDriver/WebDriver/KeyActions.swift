/// Keys that the user presses, as a WebDriver command (W3C WebDriver §17.5).
struct KeyActions: Encodable {
  var actions: [Keyboard]

  struct Keyboard: Encodable {
    var type = "key"
    var id = "keyboard"
    var actions: [Change]
  }

  struct Change: Encodable {
    var type: String
    var value: String
  }

  // W3C WebDriver §17.4.2: the key "Tab".
  static let tab = KeyActions(actions: [
    Keyboard(actions: [Change(type: "keyDown", value: "\u{E004}"), Change(type: "keyUp", value: "\u{E004}")])
  ])
}
