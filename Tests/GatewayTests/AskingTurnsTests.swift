import Testing

@testable import Gateway

@Suite("Clients take turns at asking providers")
struct AskingTurnsTests {
  private func begun(
    _ turns: inout AskingTurns<String>, _ askers: [(String, client: String)]
  ) -> [String] {
    askers.filter { turns.begin($0.0, of: $0.client) }.map(\.0)
  }

  private func ended(_ turns: inout AskingTurns<String>, _ client: String) -> [String] {
    turns.end(of: client)
  }

  @Test("One client never takes the places of all")
  func share() {
    var turns = AskingTurns<String>(mostAtOnce: 4, mostOfOneClient: 2)
    let many = (1...1000).map { ("a\($0)", client: "a") }
    #expect(begun(&turns, many) == ["a1", "a2"])
    #expect(begun(&turns, [("b1", "b"), ("c1", "c"), ("d1", "d")]) == ["b1", "c1"])
  }

  @Test("A client's own work is asked about in its order, one for each turn that ends")
  func order() {
    var turns = AskingTurns<String>(mostAtOnce: 4, mostOfOneClient: 2)
    _ = begun(&turns, (1...5).map { ("a\($0)", client: "a") })
    #expect(ended(&turns, "a") == ["a3"])
    #expect(ended(&turns, "a") == ["a4"])
    #expect(ended(&turns, "a") == ["a5"])
    #expect(ended(&turns, "a") == [])
    #expect(ended(&turns, "a") == [])
    #expect(begun(&turns, [("a6", "a")]) == ["a6"])
  }

  @Test(
    "Clients that wait have their turns one after the other, however much one of them waits for")
  func fair() {
    var turns = AskingTurns<String>(mostAtOnce: 2, mostOfOneClient: 2)
    _ = begun(&turns, (1...100).map { ("a\($0)", client: "a") })
    #expect(begun(&turns, [("b1", "b"), ("b2", "b"), ("c1", "c")]) == [])
    #expect(ended(&turns, "a") == ["a3"])
    #expect(ended(&turns, "a") == ["b1"])
    #expect(ended(&turns, "a") == ["c1"])
    #expect(ended(&turns, "b") == ["a4"])
    #expect(ended(&turns, "c") == ["b2"])
    #expect(ended(&turns, "b") == ["a5"])
  }

  @Test("A turn that ends never begins more than there are places")
  func bounded() {
    var turns = AskingTurns<Int>(mostAtOnce: 3, mostOfOneClient: 2)
    var asking: [String] = []
    for index in 0..<300 {
      let client = ["a", "b", "c", "a"][index % 4]
      if turns.begin(index, of: client) { asking.append(client) }
    }
    var served = 0
    while !asking.isEmpty {
      #expect(asking.count <= 3)
      let client = asking.removeFirst()
      for next in turns.end(of: client) { asking.append(["a", "b", "c", "a"][next % 4]) }
      served += 1
    }
    #expect(served == 300)
  }
}
