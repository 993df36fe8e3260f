import Randomness
import Time

@testable import Budgets

/// Several replicas that share one client's number of conversations: their questions and answers
/// are late or get lost, and some are taken for dead.
struct ConversationSimulation {
  static let limit: Int64 = 60
  private static let replicaCount = 3

  /// A model of the ledger: what its statements do, each at once.
  private struct Ledger {
    var begun: Set<String> = []
    /// The numbers of permits, by replica.
    var permits: [String: [Int: Int64]] = [:]

    var taken: Int { begun.union(permits.keys).count }

    mutating func answer(_ request: ConversationRequest, of replica: Int) -> ConversationAnswer {
      let name = request.key.conversation
      let isPermitted = permits[name] != nil || taken < request.limit
      let isBegun = begun.contains(name)
      if !isBegun, isPermitted { permits[name, default: [:]][replica] = request.number }
      return ConversationAnswer(
        to: request, isBegun ? .begun : isPermitted ? .permitted : .refused,
        begun: Int64(begun.count), permitted: Int64(taken - begun.count))
    }

    mutating func begin(_ name: String, at replica: Int) {
      begun.insert(name)
      end(name, of: replica)
    }

    mutating func giveBack(_ back: ConversationReturn, of replica: Int) {
      let name = back.key.conversation
      if permits[name]?[replica] == back.number { end(name, of: replica) }
    }

    mutating func end(_ name: String, of replica: Int) {
      permits[name]?[replica] = nil
      if permits[name]?.isEmpty == true { permits[name] = nil }
    }
  }

  private struct Asking {
    let name: String
    let claim: ConversationClaim?
    /// Nil where none is needed, or none came.
    var answer: ConversationAnswer?
  }

  private struct Replica {
    var gate = Turnstile([], sharesLimits: true)
    var asking: [Asking] = []
    var live: [(name: String, grant: Grant)] = []
  }

  /// How often each outcome was seen: one that never is isn't tested.
  private(set) var coverage = [
    "held": 0, "refused": 0, "lost": 0, "begun": 0, "released": 0, "given back": 0, "void": 0,
  ]
  private(set) var mistakes: [String] = []
  private var random: SplitMix64
  private var ledger = Ledger()
  private var replicas = [Replica](repeating: Replica(), count: replicaCount)

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    for index in replicas.indices {
      replicas[index].gate.state.limitConversations(
        [ConversationLimit(client: "acme", limit: Self.limit, period: .total, timeZone: .utc)],
        at: morning)
    }
  }

  var begunCount: Int { ledger.begun.count }
  var permittedCount: Int { ledger.permits.count }

  mutating func step() throws {
    let replica = Int.random(in: replicas.indices, using: &random)
    switch Int.random(in: 0..<500, using: &random) {
    case 0: void(replica)
    case 1..<150: ask(replica, "c\(Int.random(in: 0..<200, using: &random))")
    case 150..<290: try enter(replica)
    case 290..<430: try end(replica, isBegun: Int.random(in: 0..<10, using: &random) == 0)
    default: giveBack(replica)
    }
    if ledger.taken > Self.limit { mistakes.append("\(ledger.taken) places are taken") }
    mistakes += replicas[replica].gate.state.checkInvariants()
  }

  /// The ledger is asked and answers, unless either is lost.
  private mutating func ask(_ replica: Int, _ name: String) {
    let who = caller(conversation: name)
    let claim = replicas[replica].gate.state.claimConversation(for: who, at: morning)
    var asking = Asking(name: name, claim: claim)
    if let request = claim?.request {
      let fate = Int.random(in: 0..<10, using: &random)
      let answer = fate == 0 ? nil : ledger.answer(request, of: replica)
      asking.answer = fate == 1 ? nil : answer
      if asking.answer == nil { coverage["lost", default: 0] += 1 }
    }
    replicas[replica].asking.append(asking)
  }

  /// A call gets its answer and is let in, or isn't.
  private mutating func enter(_ replica: Int) throws {
    let places = replicas[replica].asking.indices
    guard let place = places.randomElement(using: &random) else { return }
    let asking = replicas[replica].asking.remove(at: place)
    if let answer = asking.answer { replicas[replica].gate.state.take(answer, at: morning) }
    let who = caller(conversation: asking.name)
    let admission = replicas[replica].gate.hold(demand(output: 1), for: who)
    if let claim = asking.claim { replicas[replica].gate.state.end(claim) }
    guard let grant = admission.grant else { return coverage["refused", default: 0] += 1 }
    coverage["held", default: 0] += 1
    replicas[replica].live.append((asking.name, grant))
    if !ledger.begun.contains(asking.name), ledger.permits[asking.name]?[replica] == nil {
      mistakes.append("\(asking.name) was let in without a permit")
    }
  }

  private mutating func end(_ replica: Int, isBegun: Bool) throws {
    let places = replicas[replica].live.indices
    guard let place = places.randomElement(using: &random) else { return }
    let (name, grant) = replicas[replica].live.remove(at: place)
    if isBegun {
      ledger.begin(name, at: replica)
      try replicas[replica].gate.settle(grant, use(1))
    } else {
      try replicas[replica].gate.release(grant)
    }
    coverage[isBegun ? "begun" : "released", default: 0] += 1
  }

  private mutating func giveBack(_ replica: Int) {
    let returns = replicas[replica].gate.state.takeUnusedPermits()
    if returns.isEmpty { return }
    coverage["given back", default: 0] += 1
    let isLost = Int.random(in: 0..<5, using: &random) == 0
    if !isLost || Bool.random(using: &random) {
      for back in returns { ledger.giveBack(back, of: replica) }
    }
    if isLost { replicas[replica].gate.state.notGivenBack(returns) }
  }

  /// Others take a replica for dead: what it has forwarded has begun, as far as they know.
  private mutating func void(_ replica: Int) {
    for (name, _) in replicas[replica].live { ledger.begin(name, at: replica) }
    for name in Array(ledger.permits.keys) { ledger.end(name, of: replica) }
    replicas[replica].gate.state.voidLeases(at: morning)
    coverage["void", default: 0] += 1
  }

  /// All that is under way ends without a row; then as many begin as may.
  mutating func useUp() throws {
    for replica in replicas.indices {
      while !replicas[replica].asking.isEmpty { try enter(replica) }
      while !replicas[replica].live.isEmpty { try end(replica, isBegun: false) }
    }
    for replica in replicas.indices {
      for back in replicas[replica].gate.state.takeUnusedPermits() {
        ledger.giveBack(back, of: replica)
      }
    }
    if !ledger.permits.isEmpty { mistakes.append("permits are left: \(ledger.permits)") }
    for number in 0..<(20 * Int(Self.limit)) {
      let replica = number % replicas.count
      ask(replica, "new\(number)")
      try enter(replica)
      try end(replica, isBegun: true)
      for other in replicas.indices { giveBack(other) }
    }
  }
}
