import JSON
import Pricing

/// By which prices the containers are billed that tools of the provider run in: by their memory,
/// which a tool's declaration says, and no call of it.
struct Containers: Sendable, Hashable {
  /// The names of the prices, by the tools; nil where a tool isn't declared.
  private(set) var interpreter: String?
  private(set) var shell: String?

  /// Takes note of a declared tool, and says by which price its containers are billed; nil for one
  /// that runs in none.
  mutating func note(_ type: String, _ tool: JSONValue) -> String? {
    switch type {
    case OpenAI.codeInterpreter:
      let price = Containers.price(of: tool["container"], made: "auto")
      interpreter = Containers.common(interpreter, price)
      return price
    case OpenAI.shell:
      let price = Containers.price(of: tool["environment"], made: "container_auto")
      shell = Containers.common(shell, price)
      return price
    default: return nil
    }
  }

  /// The tools as an answer repeats them.
  init(ofTools tools: JSONValue) {
    note(allOf: tools)
  }

  private mutating func note(allOf tools: JSONValue) {
    for tool in tools.elements {
      if let type = tool["type"]?.string { _ = note(type, tool) }
      if let others = tool["tools"] { note(allOf: others) }
    }
  }

  init() {}

  /// - Parameter type: that of a container which is made for the request. Others were made before,
  ///   of a size that the request doesn't show.
  private static func price(of place: JSONValue?, made type: StaticString) -> String {
    guard let place, !place.isNull else { return ContainerPrice.name(ofSize: usualSize) }
    guard place["type"]?.isString(type) ?? false else { return ContainerPrice.ofUnknownSize }
    guard let size = place["memory_limit"], !size.isNull else {
      return ContainerPrice.name(ofSize: usualSize)
    }
    return size.string.map { ContainerPrice.name(ofSize: $0) } ?? ContainerPrice.ofUnknownSize
  }

  private static let usualSize = "1g"

  /// Calls don't tell the containers of several tools of one type apart.
  private static func common(_ one: String?, _ other: String) -> String {
    one ?? other == other ? other : ContainerPrice.ofUnknownSize
  }
}
