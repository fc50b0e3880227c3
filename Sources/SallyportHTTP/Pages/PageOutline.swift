import SallyportLanguages

/// The parts of a page's HTML without which the page does not work.
struct PageOutline {
  /// A field or a submit button.
  struct Control: Hashable {
    let name: String
    /// The value of a hidden field or a button; nil for a field in which the user enters the value.
    let value: String?

    var description: String { "name=\"\(self.name)\"" + (self.value.map { " value=\"\($0)\"" } ?? "") }
  }

  struct Form {
    var attributes: [String: String]
    var controls: Set<Control> = []
  }

  private(set) var language: String?
  private(set) var direction: String?
  private(set) var styleSheets: Set<String> = []
  private(set) var hasMain = false
  private(set) var hasTitle = false
  private(set) var forms: [Form] = []
  private(set) var scripts: [String] = []
  private(set) var identifiers: Set<String> = []

  init(_ html: String) {
    // The index of the form whose content is being read.
    var current: Int?
    // The `form` attribute of a control can name a form that begins later.
    var separate: [(form: String, control: Control)] = []
    for tag in PageTags(html) {
      let attributes = tag.attributes
      if let id = attributes["id"] { self.identifiers.insert(id) }
      switch tag.name {
      case "html": (self.language, self.direction) = (attributes["lang"], attributes["dir"])
      case "link" where attributes["rel"] == "stylesheet": self.styleSheets.insert(attributes["href"] ?? "")
      case "main": self.hasMain = true
      case "title": self.hasTitle = tag.content.contains { !$0.isWhitespace }
      case "script": self.scripts.append(String(tag.content))
      case "form":
        current = self.forms.count
        self.forms.append(Form(attributes: attributes))
      case "/form": current = nil
      case "input", "select", "textarea", "button":
        guard let control = Self.control(tag.name, attributes) else { continue }
        if let form = attributes["form"] {
          separate.append((form, control))
        } else if let current {
          self.forms[current].controls.insert(control)
        }
      default: break
      }
    }
    for (form, control) in separate {
      guard let index = self.forms.firstIndex(where: { $0.attributes["id"] == form }) else { continue }
      self.forms[index].controls.insert(control)
    }
  }

  /// Returns the control of an element; nil if the element has no name or is a button that does not submit the form.
  private static func control(_ element: String, _ attributes: [String: String]) -> Control? {
    guard let name = attributes["name"] else { return nil }
    if element == "button", let type = attributes["type"], type != "submit" { return nil }
    let hasValue = element == "button" || attributes["type"] == "hidden"
    return Control(name: name, value: hasValue ? attributes["value"] ?? "" : nil)
  }
}

extension PageOutline {
  /// The identifiers by which a script of the pages finds elements.
  private static let scripted: Set = ["passkey-status"]

  /// Returns the first part of this page that another page does not have, as the object of "the page must show".
  /// Returns `no script` if only the other page has scripts, and nil if the other page has all parts.
  func firstPart(missingFrom page: PageOutline, in language: Language) -> String? {
    if page.language != language.tag { return "the attribute lang=\"\(language.tag)\" on the element <html>" }
    if page.direction != language.direction.rawValue {
      return "the attribute dir=\"\(language.direction.rawValue)\" on the element <html>"
    }
    if !page.hasTitle { return "a title" }
    if !page.hasMain { return "an element <main>" }
    if let sheet = self.styleSheets.subtracting(page.styleSheets).min() { return "the style sheet \(sheet)" }
    for form in self.forms {
      if let part = form.firstPart(missingFrom: page.forms) { return part }
    }
    // A layout without `</head>` changes the order of the scripts (``SubmitScript/add(to:)``).
    if page.scripts.sorted() != self.scripts.sorted() {
      return self.scripts.isEmpty ? "no script" : "its script once, and no other script"
    }
    let identifiers = self.identifiers.intersection(Self.scripted).subtracting(page.identifiers)
    return identifiers.min().map { "an element with id=\"\($0)\"" }
  }
}

extension PageOutline.Form {
  /// The attributes that the browser needs to post the form and, if the form has `data-` attributes, those that a
  /// script needs.
  private var required: [String: String] {
    let isScripted = self.attributes.keys.contains { $0.hasPrefix("data-") }
    return self.attributes.filter { name, _ in
      name == "method" || name == "action" || isScripted && (name == "id" || name.hasPrefix("data-"))
    }
  }

  /// Compares this form with the most similar of the given forms: the one that has the required attributes and lacks
  /// the fewest of this form's controls.
  /// - Returns: The first part that the most similar form lacks, or a description of this form if none of the given
  ///   forms has the required attributes; nil if nothing is missing.
  fileprivate func firstPart(missingFrom forms: [PageOutline.Form]) -> String? {
    let required = self.required
    let candidates = forms.filter { form in required.allSatisfy { form.attributes[$0.key] == $0.value } }
    guard let nearest = candidates.min(by: { self.missing(from: $0).count < self.missing(from: $1).count }) else {
      let attributes = required.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }
      return "a form with \(attributes.joined(separator: " "))"
    }
    guard let control = self.missing(from: nearest).map(\.description).min() else { return nil }
    return "\(control) in the form with action=\"\(self.attributes["action"] ?? "")\""
  }

  private func missing(from form: PageOutline.Form) -> Set<PageOutline.Control> {
    let names = Set(form.controls.map(\.name))
    // For a field in which the user enters the value, any field or button with the same name is enough.
    return self.controls.filter { $0.value == nil ? !names.contains($0.name) : !form.controls.contains($0) }
  }
}
