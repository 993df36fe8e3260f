import Pricing
import Testing
import Time

@testable import Budgets
@testable import Ledger

/// Replicas' use of a limit of tokens while they can't ask, as their writers see it.
@Suite("The offline reserve")
struct OfflineReserveTests {
  private let shared = SharedAccount()

  @Test("A large slice brings a part of it for the time offline")
  func drawsBesideLargeSlices() throws {
    let one = try shared.replica("one")
    #expect(try one.draw(10, of: 16_000) == 4_000)
    #expect(try shared.reserved() == 333)
    let two = try shared.replica("two")
    #expect(try two.draw(10, of: 16_000) == 1_458)
    #expect(try shared.reserved() == 333 + 243)
    // No more and no less than that part of the slice that was drawn last.
    #expect(try two.draw(10, of: 16_000) == 1_245)
    #expect(try shared.reserved() == 333 + 207)
    #expect(try shared.figures() == [0, 7_243, 7_243])
  }

  @Test(
    "It is a quarter of a slice, and no more than it would be among three",
    arguments: [(1, 100), (2, 200), (3, 300), (4, 300), (20, 300)])
  func part(replicas: Int64, part: Int64) {
    #expect(OfflineReserve.part(of: 1_200, replicas: replicas) == part)
  }

  @Test("A slice that few requests use up brings none, and near the limit it goes back")
  func goesBackNearTheLimit() throws {
    let (one, two) = (try shared.replica("one"), try shared.replica("two"))
    #expect(try one.draw(100, of: 10_000) == 1_250)
    #expect(try shared.reserved() == 0)
    #expect(try two.draw(10, of: 10_000) == 1_093)
    #expect(try shared.reserved() == 182)
    // One request needs more than is left beside the reserve.
    #expect(try two.draw(7_500, of: 10_000) == 7_500)
    #expect(try shared.reserved() == 0)
    #expect(try shared.figures()[1] <= 10_000)
  }

  @Test("It goes back with the lease, and where others wait for it")
  func goesBackWithTheLease() throws {
    let (one, two) = (try shared.replica("one"), try shared.replica("two"))
    for give in [{ try one.giveBack() }, { try one.heedWish() }, { try one.database.leave() }] {
      _ = try one.draw(10, of: 16_000)
      #expect(try shared.reserved() > 0)
      try give()
      #expect(try shared.reserved() == 0)
    }
    #expect(try two.draw(10, of: 16_000) > 0)
  }

  @Test("It lets in what it pays for in whole, and of what is settled needs the rest no more")
  func admitsWhatItPays() throws {
    let (one, _) = (try shared.replica("one"), try shared.replica("two"))
    _ = try one.draw(10, of: 24_000)
    #expect(try shared.reserved() == 500)
    #expect(one.admitOffline(1, bound: 300))
    #expect(!one.admitOffline(2, bound: 201))
    #expect(one.admitOffline(3, bound: 200))
    #expect(!one.admitOffline(4, bound: 1))
    one.settleOffline(1, used: 120)
    #expect(!one.admitOffline(5, bound: 181))
    #expect(one.admitOffline(6, bound: 180))
    one.discardOffline(6)
    #expect(one.admitOffline(7, bound: 180))
    // `on_failure` decides about a request that has no lease.
    #expect(!one.database.admitOffline(Sample.intent(8).interrupted))
  }

  @Test("Who is taken for dead keeps it, and what it let in is paid by it when it is back")
  func outlastsADeath() throws {
    let limit: Int64 = 16_000
    let (one, two) = (try shared.replica("one"), try shared.replica("two"))
    _ = try one.draw(10, of: limit)
    let reserved = try shared.reserved()
    #expect(one.admitOffline(1, bound: 200))
    #expect(one.admitOffline(2, bound: 100))
    one.settleOffline(1, used: 150)
    try shared.silence(one.membership.id)
    _ = try two.database.takeOver(one.membership.id)
    #expect(try shared.figures() == [0, reserved, reserved])
    // The other can't have what it keeps.
    #expect(try two.draw(limit, of: limit) == 0)
    #expect(try two.draw(limit - reserved, of: limit) == limit - reserved)

    #expect(throws: LedgerError.takenForDead) { try one.drain() }
    try one.database.rejoin()
    try one.drain()
    #expect(try shared.figures() == [150, limit - 150, limit - 150])
    // The request that is under way still stands on it, whoever waits.
    try one.heedWish()
    #expect(try shared.reserved() == 100)
    try one.database.commit([.settle(shared.settlement(2, used: 60))])
    try one.heedWish()
    #expect(try shared.figures() == [210, limit - reserved, limit - reserved])
    #expect(try shared.reader().audit() == [])
  }

  @Test("Who goes on with the spool of a killed one pays by it, and gives the rest back")
  func goesOnWithTheSpool() throws {
    let (one, two) = (try shared.replica("one"), try shared.replica("two"))
    _ = try one.draw(10, of: 16_000)
    #expect(one.admitOffline(1, bound: 200))
    #expect(one.admitOffline(2, bound: 100))
    one.settleOffline(1, used: 150)
    try shared.silence(one.membership.id)
    _ = try two.database.takeOver(one.membership.id)

    let next = try shared.replica("one", lines: one.lines)
    #expect(try next.inherit() == 1)
    #expect(try shared.figures() == [250, 0, 0])
    let rows = try shared.reader().usageRows(limit: 9)
    #expect(rows.map(\.outcome) == [.interrupted, .ok])
    #expect(try shared.reader().audit() == [])
  }

  @Test("The reserve of a machine that never returns is forgotten by name, once it is given up")
  func isForgotten() throws {
    let (one, two) = (try shared.replica("one"), try shared.replica("two"))
    _ = try one.draw(10, of: 16_000)
    let editor = try LedgerEditor(
      at: shared.folder.location, author: LedgerEditor.Author(actor: "test", now: Sample.admitted))
    #expect(throws: LedgerError.self) { try editor.forgetReserve(ofSpool: "one") }
    try shared.silence(one.membership.id)
    _ = try two.database.takeOver(one.membership.id)
    #expect(
      try shared.reader().replicas().map { [$0.name, $0.spool, "\($0.reservedAccounts)"] }
        == [["two", "two", "0"], ["one", "one", "1"]])
    try editor.forgetReserve(ofSpool: "one")
    #expect(try shared.figures() == [0, 0, 0])
    #expect(throws: LedgerError.notFound(record: "reserve of one")) {
      try editor.forgetReserve(ofSpool: "one")
    }
  }

  @Test(
    "Whatever is cut off, killed or late, what is used stays within the limit", arguments: 1...16)
  func simulation(seed: UInt64) throws {
    var simulation = try OutageSimulation(shared, seed: seed)
    for _ in 0..<500 { try simulation.step() }
    try simulation.finish()
  }

  @Test("A spool keeps its name; a copy of its file doesn't")
  func namesSpools() throws {
    let folder = TemporaryFolder()
    let ledger = LedgerLocation.postgresql(url: "postgresql://db/catraca")
    func name(_ file: String) throws -> SpoolID {
      try SpoolID.kept(besideSpoolAt: "\(folder.path)/\(file)", for: ledger)
    }
    let first = try name("catraca.spool")
    #expect(try name("catraca.spool") == first)
    try File(path: "\(folder.path)/copy.id").append(try folder.read("catraca.spool.id"))
    let copy = try name("copy")
    #expect(copy != first)
    #expect(try name("copy") == copy)
    // A line that a loss of power cut short is no name.
    try folder.write("cut.id", "web:0123")
    let cut = try name("cut")
    #expect(try name("cut") == cut)
  }

  @Test("Only for the same ledger, and where it is, does a name find its spool")
  func findsSpools() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/catraca.spool"
    let (ledger, copy) = (
      LedgerLocation.postgresql(url: "postgresql://db/catraca"),
      LedgerLocation.postgresql(url: "postgresql://db/restored")
    )
    let name = try SpoolID.kept(besideSpoolAt: path, for: ledger)
    #expect(name.names(spoolAt: path, for: ledger))
    #expect(!name.names(spoolAt: path, for: copy))
    #expect(!name.names(spoolAt: "\(path).elsewhere", for: ledger))
    #expect(!SpoolID.new().names(spoolAt: path, for: ledger))
    // A server that moves to another ledger keeps the name.
    #expect(try SpoolID.kept(besideSpoolAt: path, for: copy) == name)
    #expect(name.names(spoolAt: path, for: copy))
  }
}
