/// Gives deferred work its turns to ask a provider for its state.
///
/// The number of askers at a time is limited, and the number of one client's is smaller. Other
/// clients therefore find a free place even if one client has thousands of pieces of work at a slow
/// provider. If all places are taken, clients have their turns one after the other, and each
/// client's work in the order in which it asked.
struct AskingTurns<Asker> {
  let mostAtOnce: Int
  let mostOfOneClient: Int

  private var asking: [String: Int] = [:]
  private var askingCount = 0
  private var waiting: [String: Queue] = [:]
  /// Clients with something in `waiting`, the next one first.
  private var order: [String] = []

  /// In order of arrival; taking from the front costs nothing for each that stays.
  private struct Queue {
    private var askers: [Asker] = []
    private var first = 0

    var isEmpty: Bool { first == askers.count }

    mutating func append(_ asker: Asker) { askers.append(asker) }

    mutating func removeFirst() -> Asker {
      let asker = askers[first]
      first += 1
      if first * 2 > askers.count {
        askers.removeFirst(first)
        first = 0
      }
      return asker
    }
  }

  init(mostAtOnce: Int, mostOfOneClient: Int) {
    self.mostAtOnce = mostAtOnce
    self.mostOfOneClient = mostOfOneClient
  }

  /// Begins a turn, or lets `asker` wait until `end` names it. Says whether the turn has begun.
  mutating func begin(_ asker: Asker, of client: String) -> Bool {
    if waiting[client] == nil, hasPlace(for: client) {
      count(client)
      return true
    }
    if waiting[client] == nil { order.append(client) }
    waiting[client, default: Queue()].append(asker)
    return false
  }

  /// Ends a turn, and begins those that can begin now.
  mutating func end(of client: String) -> [Asker] {
    askingCount -= 1
    let left = asking[client, default: 0] - 1
    asking[client] = left > 0 ? left : nil
    var begun: [Asker] = []
    while let place = order.firstIndex(where: hasPlace) {
      let next = order.remove(at: place)
      guard var queue = waiting.removeValue(forKey: next) else { continue }
      begun.append(queue.removeFirst())
      count(next)
      guard !queue.isEmpty else { continue }
      waiting[next] = queue
      order.append(next)
    }
    return begun
  }

  private func hasPlace(for client: String) -> Bool {
    askingCount < mostAtOnce && asking[client, default: 0] < mostOfOneClient
  }

  private mutating func count(_ client: String) {
    askingCount += 1
    asking[client, default: 0] += 1
  }
}
