internal import JSON

/// LiteLLM's `model_prices_and_context_window.json`: for each model an object of flat fields.
struct LiteLLMTable {
  /// A model in it.
  struct Entry {
    let name: String
    /// LiteLLM's name for it, such as `openai` or `text-completion-openai`.
    let provider: String
    let fields: [Field]

    func text(_ name: String) -> String? { field(name)?.text }

    func integer(_ name: String) -> Int64? { field(name).flatMap { Int64($0.json) } }

    func field(_ name: String) -> Field? { fields.first { $0.name == name } }
  }

  /// A member of an entry.
  struct Field {
    let name: String
    /// As the file has it, so that numbers stay exact.
    let json: String
    /// Of a string.
    let text: String?
    /// Of an object.
    let members: [(name: String, json: String)]
  }

  /// The largest file that is read; the published one has 3 MB.
  static let largestFile = 64 << 20

  /// In the order of the file.
  let entries: [Entry]

  /// Throws where the file isn't JSON, or no object of objects.
  init(_ bytes: [UInt8], path: String) throws(CommandError) {
    let root: JSONValue
    do {
      root = try JSONParser().parse(bytes)
    } catch {
      throw .failed("\(path): this is not JSON: \(error)")
    }
    guard let object = JSONLocatedObject(root: root) else {
      throw .failed(
        "\(path): the root is no object; allowed: LiteLLM's model_prices_and_context_window.json")
    }
    var entries: [Entry] = []
    object.forEachMember { member in
      guard let name = member.key, let provider = member.value["litellm_provider"]?.string,
        let entry = member.object
      else { return }
      entries.append(
        Entry(name: name, provider: provider, fields: LiteLLMTable.fields(of: entry, in: bytes)))
    }
    self.entries = entries
  }

  private static func fields(of entry: JSONLocatedObject, in bytes: [UInt8]) -> [Field] {
    var fields: [Field] = []
    entry.forEachMember { member in
      guard let name = member.key else { return }
      var members: [(name: String, json: String)] = []
      member.object?.forEachMember { inner in
        guard let name = inner.key else { return }
        members.append((name, text(bytes[inner.valueRange])))
      }
      fields.append(
        Field(
          name: name, json: text(bytes[member.valueRange]), text: member.value.string,
          members: members))
    }
    return fields
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
