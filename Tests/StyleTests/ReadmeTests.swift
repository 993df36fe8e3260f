import Configuration
import Testing

@Suite struct ReadmeTests {
  private let readme = Repository.shared.text(of: "README.md")

  @Test("README has the settings as the parser knows them", arguments: SettingReference.all)
  func settings(_ setting: SettingReference) throws {
    let row = try #require(
      SettingReference.markdown.split(separator: "\n").first { $0.contains("`\(setting.name)`") })
    let isThere = readme.split(separator: "\n").contains(row)
    #expect(isThere, "add to README: \(row)")
  }

  @Test("README names files that exist")
  func files() throws {
    let files = Repository.shared.swiftFiles + Repository.shared.otherFiles
    let names = readme.matches(
      of: try Regex(#"`([\w/+]+\.(?:swift|py))`"#, as: (Substring, Substring).self))
    #expect(names.count > 10)
    for name in names.map(\.output.1) {
      #expect(files.contains { $0.path.hasSuffix("/\(name)") }, "\(name)")
    }
  }

  @Test("README's links within itself lead somewhere")
  func links() throws {
    let anchors = readme.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
      heading.drop { $0 == "#" || $0 == " " }.lowercased()
        .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
        .map { $0 == " " ? "-" : String($0) }.joined()
    }
    let links = readme.matches(of: try Regex(#"\]\(#([^)]*)\)"#, as: (Substring, Substring).self))
    #expect(links.count > 10)
    for link in links { #expect(anchors.contains(String(link.output.1)), "\(link.output.1)") }
  }
}
