import Budgets
import EventLoop
import Glibc
import Ledger
import Money
import Pricing
import Randomness
import Time

/// A server whose clock, disk, callers and provider are made up, and whose budgets and ledger are
/// the real ones: the state machine, the writer, its spool, recovery.
///
/// All that happens follows from the seed. It keeps a list of what every request was promised, and
/// compares the ledger with it after each death.
final class World {
  /// How often each kind of thing happened: what never does isn't tested.
  private(set) var coverage: [String: Int] = [:]
  /// The answers and figures, in words; only where it is asked for.
  private(set) var history: [String]?
  var mistakes: [String] = []

  let disk: SimulatedDisk
  let folder: TemporaryFolder
  let options: ServerLedger.Options
  /// Whether anybody changes budgets, or does something to them.
  let isAdministered: Bool
  var definitions: [BudgetDefinition]
  var ceilings = Ceilings()
  var random: SplitMix64
  var now: Timestamp
  var price: Int64 = 1
  var diskIsFull = false
  /// Until when the disk takes its time; nil while it is quick.
  var slowUntil: Timestamp?
  var diedWriting = false

  var state: BudgetState
  var writer: LedgerWriter?
  var queue = CommandQueue()
  var health = Lock(LedgerHealth())
  /// The administrators' changes that are in force.
  var controls: [BudgetControl] = []
  var latestReset: Int64 = 0
  var requests: [RequestID: SimulatedRequest] = [:]
  var waiting: [Ticket: Asking] = [:]
  var promises: [RequestID: (promise: Promise, estimate: UsageRow)] = [:]
  /// The writer's answers since the last look.
  let answers = Lock<[Answer]>([])
  private var lastID: UInt64 = 0

  struct Asking {
    let caller: Caller
    let demand: Demand
    /// That of an input token when it came; it keeps it.
    let price: Int64
  }

  struct Answer {
    let id: RequestID
    let succeeded: Bool
  }

  init(seed: UInt64, withHistory: Bool = false) throws {
    history = withHistory ? [] : nil
    random = SplitMix64(seed: seed)
    folder = TemporaryFolder()
    disk = SimulatedDisk(name: folder.path, seed: random.next())
    now = World.beginnings.randomElement(using: &random)!
    isAdministered = seed % 4 > 0
    definitions = World.definitions()
    var options = ServerLedger.Options(
      .sqlite(path: "\(folder.path)/catraca.db"),
      durability: Bool.random(using: &random) ? .power : .process,
      onFailure: Bool.random(using: &random) ? .allow : .deny, busyTimeoutMilliseconds: 0,
      largestSpoolBytes: World.largestSpoolBytes)
    options.fileSystem = disk.name
    self.options = options
    ceilings.define(definitions, at: now)
    state = try BudgetState(definitions, policy: World.policy)
    try start()
  }

  deinit {
    // Its connection needs the disk to be closed.
    writer = nil
  }

  func count(_ what: String) {
    coverage[what, default: 0] += 1
  }

  func note(_ what: @autoclosure () -> String) {
    if history != nil { history?.append(what()) }
  }

  // MARK: - What happens

  func step() throws {
    now = now.advanced(by: .milliseconds(Int64.random(in: 0...20_000, using: &random)))
    switch Int.random(in: 0..<1_000, using: &random) {
    case 0..<330: try ask()
    case 330..<600: write()
    case 600..<840: try end()
    case 840..<870: try leaveQueue()
    case 870..<890: now = now.advanced(by: .seconds(Int64.random(in: 0...100_000, using: &random)))
    case 890..<900: try setClockBack()
    case 900..<915: price = .random(in: 1...5, using: &random)
    case 915..<930: fillOrEmptyDisk()
    case 930..<935: slowDown()
    case 935..<955: if isAdministered { try administrate() }
    case 955..<960: if isAdministered { try reload() }
    case 960..<965: try followLedger()
    case 965..<985: disk.die(afterWrites: .random(in: 0...12, using: &random))
    case 985..<990: return try dieUntold()
    default: try die()
    }
    try listen()
    if disk.isDead {
      diedWriting = true
      try die()
    }
  }

  /// Dies when all is written, and nobody has been told yet.
  private func dieUntold() throws {
    write()
    try die()
  }

  private func ask() throws {
    let input = Int64.random(in: 1...200, using: &random)
    let output = Int64.random(in: 1...400, using: &random)
    let asking = Asking(
      caller: Caller(
        client: ["acme", "globex"].randomElement(using: &random)!, key: "web",
        user: ["", "u1", "u2"].randomElement(using: &random)!, conversation: "", model: "m"),
      demand: Demand(
        inputTokens: input, fixedCost: World.dollars(nano: input * price),
        outputTokenCost: World.dollars(nano: 4 * price), choices: 1, largestOutput: output,
        limitIsExplicit: Bool.random(using: &random), recentOutput: nil, estimate: .zero,
        rates: .usdOnly),
      price: price)
    var events: [Event] = []
    let admission = state.hold(asking.demand, for: asking.caller, at: now, events: &events)
    note("\(admission)")
    switch admission {
    case .held(let grant): open(asking, grant)
    case .waiting(let ticket): waiting[ticket] = asking
    case .denied: count("denied")
    }
    hear(events)
  }

  /// Hands the intent of an admitted request in.
  private func open(_ asking: Asking, _ grant: Grant) {
    lastID += 1
    let id = RequestID(high: 0x019a_ab6e_3c1b_7000, low: 0x8000_0000_0000_0000 | lastID)
    let usage = Usage(
      inputTokens: asking.demand.inputTokens / 2,
      outputTokens: (grant.bound.tokens - asking.demand.inputTokens) / 2)!
    let price = asking.price
    let charges = state.expectation(
      settling: grant.hold, with: World.consumption(of: usage, price: price), at: now
    ).charges
    let intent = World.intent(
      id, of: asking.caller, grant, usage: usage, price: price, charges: charges, at: now)
    requests[id] = SimulatedRequest(intent: intent, hold: grant.hold, price: price)
    promises[id] = (.asked, intent.interrupted.row)
    submit(.open(interrupted: intent.interrupted), about: id)
    count("asked")
  }

  /// Lets one admitted request go on: it is served, or its client has left before it was sent.
  private func end() throws {
    let forwarded = requests.filter { $0.value.stage == .forwarded }.keys.sorted()
    guard let id = forwarded.randomElement(using: &random), let request = requests[id] else {
      return
    }
    requests[id]?.stage = .ending
    var events: [Event] = []
    if Int.random(in: 0..<8, using: &random) == 0 {
      try state.release(request.hold, at: now, events: &events)
      promises[id]?.promise = .givingBack
      submit(.discard(id), about: id)
      count("given back")
    } else {
      // The estimate is half of what is held. It is what a client is charged that has left.
      let half = request.intent.interrupted.row.usage
      let hasLeft = Int.random(in: 0..<6, using: &random) == 0
      let usage =
        hasLeft
        ? half
        : Usage(
          inputTokens: .random(in: 0...2 * half.inputTokens, using: &random),
          outputTokens: .random(in: 0...2 * half.outputTokens, using: &random))!
      let settlement = try state.settle(
        request.hold, with: World.consumption(of: usage, price: request.price), at: now,
        events: &events)
      let settled = World.settled(
        request.intent, as: hasLeft ? .clientDisconnected : .ok, usage, request.price, settlement)
      promises[id]?.promise = .ending(settled.row)
      submit(.settle(settled), about: id)
      count(hasLeft ? "disconnected" : "served")
    }
    hear(events)
  }

  private func leaveQueue() throws {
    // A ticket has no order of its own: its words have.
    let tickets = waiting.keys.sorted { "\($0)" < "\($1)" }
    guard let ticket = tickets.randomElement(using: &random) else { return }
    var events: [Event] = []
    if Bool.random(using: &random) {
      waiting[ticket] = nil
      state.withdraw(ticket, at: now, events: &events)
    } else {
      state.expire(ticket, at: now, events: &events)
      count("waited too long")
    }
    hear(events)
  }

  private func setClockBack() throws {
    now = now.advanced(by: .seconds(-Int64.random(in: 0...7_200, using: &random)))
    count("clock set back")
  }

  private func fillOrEmptyDisk() {
    if diskIsFull {
      disk.empty()
    } else {
      disk.fill(leaving: .random(in: 0...20_000, using: &random))
      count("disk full")
    }
    diskIsFull.toggle()
  }

  private func slowDown() {
    slowUntil = now.advanced(by: .seconds(Int64.random(in: 1...300, using: &random)))
    count("disk slow")
  }

  // MARK: - The writer

  private func submit(_ entry: Entry, about id: RequestID) {
    let answers = answers
    let refusal = queue.submit(
      .write(entry) { result in
        let succeeded = if case .success = result { true } else { false }
        answers.withLock { $0.append(Answer(id: id, succeeded: succeeded)) }
      })
    precondition(refusal == nil, "the queue takes what so few ask for")
  }

  private func write() {
    if let slowUntil, now < slowUntil { return }
    slowUntil = nil
    writer?.carryOut(queue.takeAtOnce())
    if health.withLock({ !$0.isHealthy }) { count("unhealthy") }
  }

  /// Takes the writer's answers in.
  private func listen() throws {
    let arrived = answers.withLock { answers in
      defer { answers = [] }
      return answers
    }
    for answer in arrived {
      note("\(answer.id) \(answer.succeeded)")
      guard let request = requests[answer.id] else { continue }
      switch request.stage {
      case .opening: try hearOpened(request, answer)
      case .forwarded: mistakes.append("\(answer.id) was answered twice")
      case .ending: hearEnded(request, answer)
      }
    }
  }

  private func hearOpened(_ request: SimulatedRequest, _ answer: Answer) throws {
    if answer.succeeded {
      requests[answer.id]?.stage = .forwarded
      promises[answer.id]?.promise = .open
      return
    }
    // A process that dies in the midst of a commit is told nothing.
    if disk.isDead { return }
    requests[answer.id] = nil
    promises[answer.id]?.promise = .none
    count("refused by the ledger")
    var events: [Event] = []
    try state.release(request.hold, at: now, events: &events)
    hear(events)
  }

  private func hearEnded(_ request: SimulatedRequest, _ answer: Answer) {
    // Only what is written or spooled is answered; a death may take the answer with it.
    guard answer.succeeded else {
      if !disk.isDead { mistakes.append("the end of \(answer.id) was refused") }
      return
    }
    requests[answer.id] = nil
    switch promises[answer.id]?.promise {
    case .ending(let row): promises[answer.id]?.promise = .ended(row)
    default: promises[answer.id]?.promise = Promise.none
    }
  }

  // MARK: - Who waits

  func hear(_ events: [Event]) {
    for event in events {
      switch event {
      case .admitted(let ticket, let grant):
        guard let asking = waiting.removeValue(forKey: ticket) else {
          mistakes.append("\(ticket) was let in, and nobody waits with it")
          continue
        }
        count("admitted after a wait")
        open(asking, grant)
      case .denied(let ticket, _): waiting[ticket] = nil
      case .exceeded(let denial, let window):
        queue.submit(Alert(firstRefusal: denial, in: window, at: now))
      case .limitPause(let pause): queue.submit(pause)
      case .wouldRefuse, .thresholdReached, .overrun: break
      }
    }
  }
}
