import Money
import Pricing
import Randomness
import Testing

@testable import Budgets
@testable import Ledger

/// Three replicas on one limit, whose ways to the ledger break and heal at random, who are taken
/// for dead or killed, and go on.
///
/// Each knows its lease as its budgets would. At any time what has been used and what requests
/// under way may still use must be within the limit; so must what the ledger counts as settled and
/// leased.
struct OutageSimulation {
  private struct Node {
    var replica: OfflineReplica
    /// As its budgets know it.
    var lease: Int64 = 0
    var isCut = false
    /// The tokens that each request under way may use.
    var live: [Int: Int64] = [:]

    var held: Int64 { live.values.reduce(0, +) }
  }

  private static let limit: Int64 = 1_200
  private static let smallBounds: ClosedRange<Int64> = 1...4
  /// Those of who uses up what is left.
  private static let largeBounds: ClosedRange<Int64> = 20...150
  private static let largePercentage = 20

  private let shared: SharedAccount
  private var random: SplitMix64
  private var nodes: [Node] = []
  /// Lives that were killed and that nobody has ended yet.
  private var killed: [ReplicaID] = []
  /// The tokens that each request has used; all that it might if nobody knows.
  private var used: [Int: Int64] = [:]
  private var known: [Int: Int64] = [:]
  private var requestCount = 0

  init(_ shared: SharedAccount, seed: UInt64) throws {
    self.shared = shared
    random = SplitMix64(seed: seed)
    for name in ["one", "two", "three"] { nodes.append(Node(replica: try shared.replica(name))) }
  }

  mutating func step() throws {
    let index = Int.random(in: nodes.indices, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<48: try open(on: index)
    case 48..<88: try settle(on: index)
    case 88..<90: nodes[index].isCut = true
    case 90..<92: try heal(index)
    case 92..<94: try takeOver(nodes.firstIndex { $0.isCut } ?? index)
    case 94..<95: try kill(index)
    case 95..<97: try giveBack(index)
    default:
      guard try shared.hasAccount() else { return }
      try online(index) { node in try node.replica.heedWish() }
    }
    try check()
  }

  /// All heal, end what they have, and leave.
  mutating func finish() throws {
    for index in nodes.indices {
      try heal(index)
      while !nodes[index].live.isEmpty { try settle(on: index) }
    }
    for life in killed {
      try online(0) { [shared] node in
        try shared.silence(life)
        _ = try node.replica.database.takeOver(life)
      }
    }
    for index in nodes.indices {
      var hasLeft = false
      while !hasLeft {
        try online(index) { node in
          try node.replica.database.leave()
          hasLeft = true
        }
      }
    }
    let reader = try shared.reader()
    let rows = try reader.usageRows(limit: 10_000)
    let recorded = Dictionary(
      uniqueKeysWithValues: rows.map { ($0.requestID, $0.usage.totalTokens) })
    for (number, tokens) in known { #expect(recorded[Sample.id(number)] == tokens) }
    #expect(rows.count == used.count)
    #expect(try shared.figures() == [used.values.reduce(0, +), 0, 0])
    #expect(try reader.audit() == [])
  }

  private func check() throws {
    let underWay = nodes.reduce(0) { $0 + $1.held }
    #expect(used.values.reduce(0, +) + underWay <= OutageSimulation.limit)
    guard try shared.hasAccount() else { return }
    let figures = try shared.figures()
    #expect(figures[0] + figures[1] <= OutageSimulation.limit)
    #expect(figures[1] == figures[2])
  }

  // MARK: What happens

  private mutating func open(on index: Int) throws {
    requestCount += 1
    let number = requestCount
    let isLarge = Int.random(in: 0..<100, using: &random) < OutageSimulation.largePercentage
    let bound = Int64.random(
      in: isLarge ? OutageSimulation.largeBounds : OutageSimulation.smallBounds, using: &random)
    if nodes[index].isCut {
      let node = nodes[index]
      guard node.lease - node.held >= bound, node.replica.admitOffline(number, bound: bound)
      else { return }
      nodes[index].live[number] = bound
      return
    }
    try online(index) { [shared] node in
      let missing = bound - (node.lease - node.held)
      if missing > 0 {
        node.lease += try node.replica.draw(missing, of: OutageSimulation.limit)
      }
      guard node.lease - node.held >= bound else { return }
      let intent = shared.intent(number, bound: bound).interrupted
      try node.replica.database.commit([.open(interrupted: intent)])
      node.live[number] = bound
    }
  }

  private mutating func settle(on index: Int) throws {
    guard let number = nodes[index].live.keys.sorted().randomElement(using: &random),
      let bound = nodes[index].live[number]
    else { return }
    let tokens = Int64.random(in: 0...bound, using: &random)
    if nodes[index].isCut {
      nodes[index].replica.settleOffline(number, used: tokens)
    } else {
      var isWritten = false
      while !isWritten {
        try online(index) { [shared] node in
          let entry = Entry.settle(shared.settlement(number, used: tokens))
          try node.replica.database.commit([entry])
          isWritten = true
        }
      }
    }
    nodes[index].live[number] = nil
    nodes[index].lease -= tokens
    used[number] = tokens
    known[number] = tokens
  }

  private mutating func heal(_ index: Int) throws {
    nodes[index].isCut = false
    while !nodes[index].replica.lines.isEmpty {
      let count = Int.random(in: 1...8, using: &random)
      try online(index) { node in try node.replica.drain(atOnce: count) }
    }
  }

  private mutating func giveBack(_ index: Int) throws {
    guard nodes[index].live.isEmpty else { return }
    try online(index) { node in
      node.lease = 0
      try node.replica.giveBack()
    }
  }

  /// Does what needs the ledger; one that was taken for dead begins anew, without it.
  private mutating func online(_ index: Int, _ body: (inout Node) throws -> Void) throws {
    guard !nodes[index].isCut else { return }
    do {
      try body(&nodes[index])
    } catch LedgerError.takenForDead {
      try nodes[index].replica.database.rejoin()
      nodes[index].lease = 0
    }
  }

  private mutating func takeOver(_ index: Int) throws {
    guard let other = nodes.indices.first(where: { $0 != index && !nodes[$0].isCut })
    else { return }
    var dead = [nodes[index].replica.membership.id]
    dead += killed
    killed = []
    try online(other) { [shared] node in
      for life in dead {
        try shared.silence(life)
        _ = try node.replica.database.takeOver(life)
      }
    }
  }

  /// The next life goes on at once with the spool, before anybody has noticed.
  private mutating func kill(_ index: Int) throws {
    let former = nodes[index]
    killed.append(former.replica.membership.id)
    for (number, bound) in former.live { used[number] = bound }
    let replica = try shared.replica(former.replica.spool, lines: former.replica.lines)
    nodes[index] = Node(replica: replica)
    _ = try replica.inherit()
  }
}
