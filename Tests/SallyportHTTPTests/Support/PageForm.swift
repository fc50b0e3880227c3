import HTTPTestSupport
import SallyportProtocol

/// A form of a page, as one of its buttons submits it.
struct PageForm: Sendable {
  let action: String
  /// The fields that have a name, with the values that the page contains.
  let fields: [(name: String, value: String)]
  /// The button; nil if the button has no name.
  let button: (name: String, value: String)?

  /// The path of the action and the value of the button, which identify the form on its page.
  var name: String {
    ([String(self.action.prefix { $0 != "?" })] + (self.button.map { [$0.value] } ?? [])).joined(separator: " ")
  }

  var csrf: String? { self.fields.first { $0.name == "csrf" }?.value }

  /// Returns the parameters that the form posts.
  /// - Parameters:
  ///   - csrf: The CSRF token; nil for a form without one.
  ///   - values: The values that the user enters, by field.
  func parameters(csrf: String?, entering values: [String: String]) -> [(name: String, value: String)] {
    let entered = self.fields.filter { $0.name != "csrf" }.map { (name: $0.name, value: values[$0.name] ?? $0.value) }
    return (csrf.map { [(name: "csrf", value: $0)] } ?? []) + entered + (self.button.map { [$0] } ?? [])
  }
}

extension Reply {
  /// The forms of the page with the method POST, once for each of their buttons. Checkboxes are left out, as if the
  /// user had not selected them.
  var forms: [PageForm] {
    var forms: [(element: Markup.Element, fields: [(name: String, value: String)], buttons: [Markup.Element])] = []
    for element in Markup(self.body).elements {
      switch element.name {
      case "form": forms.append((element, [], []))
      case "input", "select":
        guard let name = element["name"], element["type"] != "checkbox", !forms.isEmpty else { continue }
        forms[forms.count - 1].fields.append((name, element["value"] ?? ""))
      case "button":
        // A button belongs to the form that its attribute `form` names, or otherwise to the last form before it.
        let owner = element["form"].flatMap { id in forms.firstIndex { $0.element["id"] == id } } ?? forms.count - 1
        if forms.indices.contains(owner) { forms[owner].buttons.append(element) }
      default: continue
      }
    }
    return forms.filter { $0.element["method"] == "post" }.flatMap { form in
      form.buttons.map { button in
        PageForm(
          action: form.element["action"] ?? "", fields: form.fields,
          button: button["name"].map { (name: $0, value: button["value"] ?? "") })
      }
    }
  }

  /// The form with this ``PageForm/name``.
  func form(_ name: String) -> PageForm? { self.forms.first { $0.name == name } }
}
