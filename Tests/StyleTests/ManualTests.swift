import Configuration
import Console
import Testing

@testable import catraca

/// The manual: README, and the articles of the catalog.
@Suite struct ManualTests {
  private static let folder = "Sources/catraca/catraca.docc"
  /// The text of each article, by its name.
  private let articles: [String: String]

  init() throws {
    let names = try Repository.shared.fileNames(in: Self.folder).filter { $0.hasSuffix(".md") }
    articles = Dictionary(
      uniqueKeysWithValues: names.map { name in
        (String(name.dropLast(3)), Repository.shared.text(of: "\(Self.folder)/\(name)"))
      })
  }

  /// README and the articles, each with its name.
  private var texts: [(name: String, text: String)] {
    [("README", Repository.shared.text(of: "README.md"))]
      + articles.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  @Test("A topic of the help is the article of the catalog", arguments: HelpTopic.all)
  func topics(_ topic: HelpTopic) {
    let isSame = articles[topic.article] == topic.markdown
    #expect(
      isSame,
      """
      \(topic.article).md differs from Sources/catraca/Help; write it again: swift run catraca \
      help \(topic.name) --markdown > \(Self.folder)/\(topic.article).md
      """)
  }

  @Test("An article has 250 lines at most, README 320")
  func lengths() {
    for (name, text) in texts {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
      #expect(lines <= (name == "README" ? 320 : 250), "\(name) has \(lines) lines")
    }
  }

  @Test("README and the articles name files that exist")
  func files() throws {
    let files = Repository.shared.swiftFiles + Repository.shared.otherFiles
    let pattern = try Regex(#"`([\w/+]+\.(?:swift|py|c))`"#, as: (Substring, Substring).self)
    let names = texts.flatMap { text in text.text.matches(of: pattern).map { (text.name, $0.1) } }
    #expect(names.count > 10)
    for (text, name) in names {
      #expect(files.contains { $0.path.hasSuffix("/\(name)") }, "\(text): \(name)")
    }
  }

  @Test("Links between articles lead somewhere, and every article is in the list of contents")
  func articleLinks() throws {
    let pattern = try Regex(#"<doc:(\w+)>"#, as: (Substring, Substring).self)
    for (name, text) in texts {
      for link in text.matches(of: pattern) {
        #expect(articles[String(link.output.1)] != nil, "\(name): \(link.output.1)")
      }
    }
    let contents = try #require(articles["Catraca"]).matches(of: pattern).map { $0.output.1 }
    let others = articles.keys.filter { $0 != "Catraca" }.sorted()
    #expect(contents.map { String($0) }.sorted() == others)
  }

  @Test("README's links lead somewhere")
  func readmeLinks() throws {
    let readme = Repository.shared.text(of: "README.md")
    let anchors = readme.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
      heading.drop { $0 == "#" || $0 == " " }.lowercased()
        .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
        .map { $0 == " " ? "-" : String($0) }.joined()
    }
    let pattern = try Regex(#"(?:\]\(|srcset="|src=")([^)"]*)"#, as: (Substring, Substring).self)
    let links = readme.matches(of: pattern).map { String($0.output.1) }
    #expect(links.count > 20)
    for link in links where !link.hasPrefix("http") {
      if link.hasPrefix("#") {
        #expect(anchors.contains(String(link.dropFirst())), "\(link)")
      } else {
        #expect(Repository.shared.exists(link), "\(link)")
      }
    }
  }

  @Test("The manual has every event that the sources log, and no other")
  func events() throws {
    let call = try Regex(
      #"[. ]log\(\s*[^,"]+,\s*(?:outcome\.isDelivered \? "(\w+)" : )?"([a-z_]+)""#,
      as: (Substring, Substring?, Substring).self)
    let others = try Regex(
      #"(?:line\(\.\w+, |\(\.\w+, )"([a-z]+_[a-z_]+)""#, as: (Substring, Substring).self)
    var events: Set<String> = ["budget_exceeded", "budget_paused", "budget_contended"]
    events.insert("conversation_limit_exceeded")
    for file in Repository.shared.sources where !file.path.hasPrefix("Sources/Sandbox") {
      let text = file.lines.joined(separator: "\n")
      for match in text.matches(of: call) {
        events.formUnion([match.output.1, match.output.2].compactMap { $0.map(String.init) })
      }
      guard ["Logger.swift", "ChargeCollector.swift"].contains(where: file.path.hasSuffix)
      else { continue }
      events.formUnion(text.matches(of: others).map { String($0.output.1) })
    }
    #expect(Set(HelpTopic.logEvents.map { $0[0] }) == events)
  }

  @Test("The manual has every status and code of a refusal, and no other")
  func errors() throws {
    let pattern = try Regex(
      #"(\d{3}),\s*(?:"\w+"|isContended[^,]*),\s*"(\w+)""#,
      as: (Substring, Substring, Substring).self)
    var codes: Set<String> = ["400 unsupported_parameter"]
    for file in Repository.shared.sources where file.path.hasPrefix("Sources/Gateway") {
      for match in file.lines.joined(separator: "\n").matches(of: pattern) {
        codes.insert("\(match.output.1) \(match.output.2)")
      }
    }
    // An object's 404 has no code in its body.
    #expect(codes.remove("404 object_not_found") != nil)
    codes.formUnion(["404 none"])
    codes.formUnion(
      ["exceeded", "contended"].map { "429 budget_\($0)" } + ["429 conversation_limit_exceeded"])
    #expect(Set(HelpTopic.errorCodes.map { "\($0[0]) \($0[1])" }) == codes)
  }

  @Test("The manual has every metric of the catalog")
  func metrics() throws {
    let catalog = Repository.shared.text(of: "Sources/Console/Metrics/MetricCatalog.swift")
    let pattern = try Regex(#""(catraca_\w+)""#, as: (Substring, Substring).self)
    let names = catalog.matches(of: pattern).map { String($0.output.1) }
    #expect(MetricReference.all.map(\.name) == names)
  }
}
