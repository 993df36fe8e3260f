internal import Pages

/// A field of a form that changes something, with a label and a hint.
struct InputField {
  enum Kind: String {
    case text, date
  }

  private let name: String
  private let label: String
  private let value: String
  private let hint: String?
  private let kind: Kind
  private let isRequired: Bool

  init(
    _ name: String, _ label: String, _ value: String = "", hint: String? = nil,
    kind: Kind = .text, isRequired: Bool = false
  ) {
    self.name = name
    self.label = label
    self.value = value
    self.hint = hint
    self.kind = kind
    self.isRequired = isRequired
  }

  /// A field with a list of choices.
  static func choice(
    _ name: String, _ label: String, _ value: String?, _ choices: [(value: String, name: String)]
  ) -> HTML {
    FilterField.choice(name, label, value, choices, idPrefix: "i-")
  }

  var html: HTML {
    let explained = hint.map { hint -> HTML in
      #"<span class="hint" id="h-\#(name)">\#(hint)</span>"#
    }
    return #"""
      <div class="field"><label for="i-\#(name)">\#(label)</label>\#
      <input id="i-\#(name)" name="\#(name)" type="\#(kind.rawValue)" value="\#(value)"\#
      \#(if: hint != nil, #" aria-describedby="h-\#(name)""#)\#(if: isRequired, " required")>\#
      \#(explained)</div>
      """#
  }
}
