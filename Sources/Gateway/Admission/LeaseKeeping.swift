public import Budgets
internal import JSON
internal import Ledger
internal import Logging

extension Gateway {
  /// How often requests that wait for leases ask again.
  private static let waitingInterval = Duration.milliseconds(200)
  /// The waits from one renewal to the next. A renewal also reads the figures of other replicas,
  /// and gives idle leases back.
  private static let waitsPerRenewal = 5
  /// A lease that wasn't used for so long is given back.
  private static let idleTime = Duration.seconds(3)

  /// Keeps leases in step with the ledger and with other replicas, until the task is cancelled.
  public func keepLeases() async {
    guard let leases = controller.leases else { return }
    var round = 0
    var place = StandingsPage.Place.beginning
    while true {
      do { try await Task.sleep(for: Gateway.waitingInterval) } catch { return }
      round += 1
      await controller.giveBackPermits(to: leases)
      _ = await controller.leaseForWaiting(at: leases)
      guard round.isMultiple(of: Gateway.waitsPerRenewal) else { continue }
      if leases.canBeGivenBack { await controller.giveBack(idleFor: Gateway.idleTime, to: leases) }
      do {
        repeat {
          place = try await controller.learn(from: place, of: leases, at: clock())
        } while place == .credits(after: 0)
      } catch {
        logger.log(.warn, "ledger_not_followed") { $0.member("reason", error.description) }
      }
    }
  }

  /// Other replicas wait for what this one has leased of these and doesn't use.
  public func giveBackFree(of sources: [LeaseSource]) async {
    if let leases = controller.leases { await controller.giveBackFree(of: sources, to: leases) }
  }

  /// Other replicas have taken this one for dead.
  public func voidLeases() {
    controller.voidLeases()
  }

  /// Gives back all leases, when nothing is held any more.
  public func giveBackLeases() async {
    if let leases = controller.leases { await controller.giveBackEverything(to: leases) }
  }
}
