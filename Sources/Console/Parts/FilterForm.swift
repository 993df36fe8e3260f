internal import Pages

/// One field of a form, with its label.
enum FilterField {
  /// - Parameter hint: examples of values, shown in the empty field.
  static func text(
    _ name: String, _ label: String, _ value: String?, hint: String? = nil
  ) -> HTML {
    let examples = hint.map { hint -> HTML in #" placeholder="\#(hint)""# }
    return #"""
      <div class="field"><label for="f-\#(name)">\#(label)</label>\#
      <input id="f-\#(name)" name="\#(name)" value="\#(value ?? "")" size="12"\#(examples)></div>
      """#
  }

  static func date(_ name: String, _ label: String, _ value: String?) -> HTML {
    #"""
    <div class="field"><label for="f-\#(name)">\#(label)</label>\#
    <input id="f-\#(name)" name="\#(name)" type="date" value="\#(value ?? "")"></div>
    """#
  }

  /// - Parameter idPrefix: Distinguishes two fields of the same name on one page.
  static func choice(
    _ name: String, _ label: String, _ value: String?, _ choices: [(value: String, name: String)],
    idPrefix: String = "f-"
  ) -> HTML {
    let options = choices.map { choice -> HTML in
      #"""
      <option value="\#(choice.value)"\#(if: choice.value == value ?? "", " selected")>\#
      \#(choice.name)</option>
      """#
    }
    return #"""
      <div class="field"><label for="\#(idPrefix)\#(name)">\#(label)</label>\#
      <select id="\#(idPrefix)\#(name)" name="\#(name)">\#(options)</select></div>
      """#
  }
}

/// A form that filters what a page shows.
struct FilterForm {
  private let address: PageAddress
  private let fields: [HTML]
  private let button: String

  init(_ address: PageAddress, _ fields: [HTML], button: String) {
    self.address = address
    self.fields = fields
    self.button = button
  }

  var html: HTML {
    #"""
    <form class="filters" role="search" action="\#(address)">\#(fields)\#
    <button>\#(button)</button></form>
    """#
  }
}
