internal import Configuration
internal import Ledger
internal import Objects

/// `catraca object import`: gives a client what a provider's account had before Catraca.
enum ObjectImport {
  private static let kind = Parameter(
    "kind", ArgumentFormat<ObjectKind>.choice("KIND"), "only objects of this kind")
  private static let like = Parameter(
    "like", ArgumentFormat<ModelPattern>.idPattern,
    "only objects with such an id, * for any text, such as 'file-*'")
  private static let file = Parameter(
    "file", ArgumentFormat<String>.path("FILE"),
    "takes the ids from a file, one a line, instead of asking the provider")
  private static let takeOver = Parameter<Bool>.flag(
    "take-over", "takes objects that other clients own, too")
  private static let dryRun = Parameter<Bool>.flag(
    "dry-run", "lists what would be assigned, and changes nothing")

  static let command = Command(
    "object import", "gives a client the objects that a provider's account has already",
    options: [
      ObjectOptions.owner, ObjectOptions.provider, kind, like, file, takeOver, dryRun,
    ] + ObjectOptions.common,
    examples: [
      Command.Example(
        line: "object import --provider openai --client acme --like 'file-*'",
        meaning: "all files of the account that no other client owns"),
      Command.Example(
        line: "object import --provider openai --client acme --file ids.txt",
        meaning: "responses and conversations, too, which providers don't list"),
    ]
  ) { invocation async throws(CommandError) in
    let provider = try ObjectOptions.provider(of: invocation)
    let owner = try ObjectOptions.owner(of: invocation)
    let editor = try invocation.editorOfServer()
    var (objects, notes): ([AccountObject], [String])
    if let path = invocation.values[file] {
      (objects, notes) = (try idsOfFile(path, invocation), [])
    } else {
      (objects, notes) = try await AccountListing.fetch(
        from: try account(of: owner, at: provider, invocation),
        only: invocation.values[kind])
    }
    if let pattern = invocation.values[like] {
      objects.removeAll { !pattern.matches($0.id) }
    }
    let now = invocation.surroundings.now()
    let candidates = objects.map { object in
      ProviderObject(
        provider: provider.name, objectID: object.id, kind: object.kind, owner: owner, keyName: nil,
        createdAt: object.createdAt ?? now)
    }
    let isDryRun = invocation.values[dryRun] == true
    let assigned = try assign(candidates, invocation, with: editor, isDryRun: isDryRun)
    var table = Table(ObjectOptions.columns, emptyText: "There is nothing to assign.")
    for object in assigned { table.append(ObjectOptions.row(object)) }
    notes.append(
      "object import: \(candidates.count) found, \(isDryRun ? 0 : assigned.count) assigned to "
        + owner.text)
    return CommandOutcome(.list(table), notes: notes)
  }

  /// The account in which the objects of a client are: its own where it has a key of its own.
  private static func account(
    of owner: ProviderObject.Owner, at provider: Provider, _ invocation: Invocation
  ) throws(CommandError) -> Provider {
    var account = provider
    if case .client(let id) = owner {
      account = provider.withKey(of: try ClientDirectory(invocation).client(id))
    }
    if account.apiKey == nil, let source = account.keySource { throw missingKey(account, source) }
    return account
  }

  private static func missingKey(
    _ account: Provider, _ source: NamedSecret.Source
  ) -> CommandError {
    let place =
      account.keyOwner.map { "clients.\($0).provider_keys.\(account.name)" }
      ?? "providers.\(account.name)"
    return switch source {
    case .environment(let variable):
      .failed(
        "object import: \(place).api_key_env names the environment variable \(variable), which "
          + "isn't set; allowed: a variable with the provider's key")
    case .file(let path):
      .failed(
        "object import: \(place).api_key_file names the file \(path), which can't be read; "
          + "allowed: a file with the provider's key")
    }
  }

  /// The objects that the owner has then and that weren't its own before.
  ///
  /// - Parameter isDryRun: whether nothing is changed.
  private static func assign(
    _ objects: [ProviderObject], _ invocation: Invocation, with editor: LedgerEditor,
    isDryRun: Bool
  ) throws(CommandError) -> [ProviderObject] {
    guard !objects.isEmpty else { return [] }
    let takesOver = invocation.values[takeOver] == true
    let assignments = try invocation.ledger { () throws(LedgerError) in
      isDryRun
        ? try editor.assignments(objects, takingOver: takesOver)
        : try editor.assign(objects, takingOver: takesOver)
    }
    return assignments.filter { $0.before != $0.after }.map(\.after)
  }

  private static let largestFile = 64 << 20

  private static func idsOfFile(
    _ path: String, _ invocation: Invocation
  ) throws(CommandError) -> [AccountObject] {
    let bytes: [UInt8]
    do {
      bytes = try invocation.surroundings.files.read(path, atMost: largestFile)
    } catch {
      throw .failed("\(path): \(error)")
    }
    var objects: [AccountObject] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (place, line) in lines.enumerated() {
      let isCarriageReturn = line.last == UInt8(ascii: "\r")
      let id = String(decoding: isCarriageReturn ? line.dropLast() : line, as: UTF8.self)
      if id.isEmpty { continue }
      guard ProviderObject.isID(id) else {
        throw .failed(
          "\(path):\(place + 1): this is no id; allowed: \(MadeObject.idRule)")
      }
      let kind = try ObjectOptions.kind(
        of: id, given: invocation.values[self.kind], at: "\(path):\(place + 1): ")
      objects.append(AccountObject(id: id, kind: kind, createdAt: nil))
    }
    return objects
  }
}

extension ArgumentFormat<ModelPattern> {
  fileprivate static var idPattern: ArgumentFormat {
    ArgumentFormat("PATTERN", allowed: "the id of an object, with * for any text") {
      ModelPattern($0)
    }
  }
}
