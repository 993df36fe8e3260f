import Testing

@Suite struct LayeringTests {
  /// The C libraries, each with the one module that imports it.
  static let importers = [
    ("CLinux", "EventLoop"), ("CCurl", "Upstream"), ("COpenSSL", "TLS"), ("CSQLite", "Ledger"),
    ("CPostgres", "Ledger"),
    ("CYAML", "Configuration"), ("CGLib", "Time"), ("CSimdjson", "JSON"),
    ("CJemalloc", "catraca"), ("CZlib", "Compression"), ("CBrotli", "Compression"),
    ("CZstd", "Compression"),
  ]

  @Test("A C library has one importer", arguments: importers)
  func importer(library: String, module: String) {
    let phrase = Phrase("import \(library)")
    let importing = Repository.shared.sources.filter { $0.code.contains(where: phrase.occurs) }
    #expect(Set(importing.map(\.module)) == [module])
  }

  @Test("Every C library is in the table above")
  func libraries() throws {
    let targets = try PackageTarget.all(in: Repository.shared.text(of: "Package.swift"))
    let libraries = targets.map(\.name).filter { name in
      let second = name.dropFirst().first
      return name.hasPrefix("C") && second?.isUppercase == true
    }
    #expect(Set(libraries) == Set(Self.importers.map(\.0)))
  }

  @Test("An arrow of Package.swift points only to a target above")
  func arrows() throws {
    let targets = try PackageTarget.all(in: Repository.shared.text(of: "Package.swift"))
    #expect(targets.count > 20)
    #expect(PackageTarget.upwardArrows(in: targets).isEmpty)
  }

  @Test("An arrow that points up is found")
  func upward() throws {
    let targets = try PackageTarget.all(
      in: """
        system("CA", pkgConfig: "a", apt: "a"),
        module("B", ["CA", "D"], strictWithC),
        module(
          "D",
          ["B"]),
        """)
    #expect(targets.map(\.name) == ["CA", "B", "D"])
    #expect(PackageTarget.upwardArrows(in: targets) == ["B → D"])
  }

  @Test("The repository's own folder holds what belongs there")
  func topLevel() throws {
    let belongs: Set = [
      "Package.swift", "Package.resolved", "Sources", "Tests", "config", "Dockerfile", "README.md",
    ]
    // A server that was started here has its ledger here; git ignores it.
    let others = try Repository.shared.topLevelNames().filter { name in
      !name.hasPrefix(".") && !name.hasPrefix("catraca.db") && !belongs.contains(name)
    }
    #expect(others == [])
  }
}

/// A target of a package's manifest, and what it depends on.
struct PackageTarget: Equatable {
  let name: String
  let dependencies: [String]

  /// In the order of the manifest.
  static func all(in manifest: String) throws -> [PackageTarget] {
    let list = #",\s*(?:dependencies: )?\[([^\]]*)\]"#
    let declaration = try Regex(
      #"(?:module|tests|system|arget)\(\s*(?:name: )?"(\w+)"(?:\#(list))?"#,
      as: (Substring, Substring, Substring?).self)
    return manifest.matches(of: declaration).map { match in
      let dependencies = match.output.2?.split { !$0.isLetter } ?? []
      return PackageTarget(
        name: String(match.output.1), dependencies: dependencies.map(String.init))
    }
  }

  static func upwardArrows(in targets: [PackageTarget]) -> [String] {
    var above: Set<String> = []
    var arrows: [String] = []
    for target in targets {
      arrows += target.dependencies.filter { !above.contains($0) }.map { "\(target.name) → \($0)" }
      above.insert(target.name)
    }
    return arrows
  }
}
