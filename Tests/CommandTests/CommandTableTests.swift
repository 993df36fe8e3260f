import Server
import Testing

@testable import catraca

@Suite struct CommandTableTests {
  private let table = CommandTable(commands: Commands.all)

  @Test("Names of commands, and of what a command takes, are unique")
  func namesAreUnique() {
    #expect(Set(Commands.all.map(\.name)).count == Commands.all.count)
    for command in Commands.all {
      let names = (command.arguments + command.options).map(\.name)
      #expect(Set(names).count == names.count, "\(command.name)")
    }
  }

  @Test("Every default is a value that its option accepts")
  func defaultsAreAccepted() {
    for command in Commands.all {
      for option in command.options {
        guard let text = option.defaultText else { continue }
        #expect(option.accepts(text), "\(command.name) --\(option.name) \(text)")
      }
    }
  }

  @Test("Every example is a command line that is accepted")
  func examplesAreAccepted() throws {
    for command in Commands.all {
      for example in command.examples {
        let words = example.line.split(separator: " ").map { $0.filter { $0 != "'" } }
        guard case .run(let found, _) = try table.request(for: words) else {
          Issue.record("\(example.line) runs nothing")
          continue
        }
        #expect(found.name == command.name)
      }
    }
  }

  @Test(
    "Wrong words are answered with the nearest right ones",
    arguments: [
      ("", "no command is given"),
      ("chek", "there is no command 'chek'; did you mean 'check'?"),
      ("frobnicate", "there is no command 'frobnicate'"),
      ("key", "'key' needs a second word; allowed: list, create, rotate, revoke"),
      ("key --client acme", "'key' needs a second word; allowed: list, create, rotate, revoke"),
      ("key creat", "there is no command 'key creat'; did you mean 'key create'?"),
      ("--frobnicate", "there is no option --frobnicate"),
    ])
  func suggests(line: String, message: String) {
    let words = line.split(separator: " ").map { String($0) }
    let refusal = #expect(throws: CommandTable.Refusal.self) { try table.request(for: words) }
    #expect(refusal?.error.description == message)
  }

  @Test(
    "Help is given for a command, for those of one word, and for all; and wins over mistakes",
    arguments: [
      ("key create --help", "Usage: catraca key create --client C"),
      ("help key create", "Usage: catraca key create --client C"),
      ("price --nonsense -h", "Usage: catraca price MODEL"),
      ("key --help", "Usage: catraca key COMMAND"),
      ("help key", "Usage: catraca key COMMAND"),
      ("help", "Usage: catraca COMMAND"),
      ("--help", "Usage: catraca COMMAND"),
    ])
  func helps(line: String, beginning: String) async {
    let printout = await TestBench().run(line)
    #expect(printout.output.hasPrefix(beginning))
    #expect(printout.error.isEmpty)
    #expect(printout.exitCode == .well)
  }

  @Test("Behind two dashes, --help is an argument")
  func dashesEndHelp() async {
    let printout = await TestBench().run("client show -- --help")
    #expect(printout.exitCode == .wrongUsage)
  }

  @Test("A wrong line is answered on standard error alone, with the usage line and status 2")
  func wrongUsage() async {
    let printout = await TestBench().run("price gpt --out 3")
    #expect(printout.output.isEmpty)
    #expect(printout.error.hasPrefix("catraca: --in N is missing\nUsage: catraca price MODEL"))
    #expect(printout.exitCode == .wrongUsage)
  }

  @Test("The version is told by a word and by an option", arguments: ["version", "--version"])
  func tellsVersion(line: String) async {
    #expect(await TestBench().run(line).output == "catraca \(Server.version)\n")
  }
}
