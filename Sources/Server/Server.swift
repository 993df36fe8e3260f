internal import Alerts
internal import Billing
internal import Budgets
package import Configuration
internal import Console
package import EventLoop
internal import Gateway
internal import HTTPServer
internal import JSON
internal import Ledger
package import Logging
internal import Pricing
package import Telemetry
internal import Time

/// The server: settings, ledger, budgets, gateway and listeners put together.
package final class Server: Sendable {
  /// The administrator's token that this start made, to be shown once; nil if there was one
  /// already.
  package let firstAdminToken: String?
  private let group: EventLoopGroup
  private let proxy: HTTPServer
  private let admin: HTTPServer
  let state: ServerState
  private let gateway: Gateway
  private let ledger: ServerLedger
  let reloader: Reloader
  private let sender: AlertSender
  private let collector: ChargeCollector
  /// Nil if no traces or metrics are exported.
  private let telemetry: Telemetry?
  private let logger: Logger
  private let ceiling = ConnectionCeiling()

  package var proxyAddresses: [SocketAddress] { proxy.addresses }
  package var adminAddresses: [SocketAddress] { admin.addresses }

  /// This release's version.
  package static let version = "0.1.0"

  /// The longest time that a stop waits for requests in flight.
  static let stopPatience = Duration.seconds(30)

  /// Starts everything.
  ///
  /// - Parameters:
  ///   - telemetrySettings: the destination of traces and metrics; nil to send none.
  ///   - loops: the number of event loops; nil for one on each processor.
  /// - Throws: An error that an operator has to mend: a `SystemError` if a port is taken, a
  ///   `LedgerError` if the ledger can't be opened, a `TLSError` if a certificate can't be used.
  package init(
    _ store: ConfigurationStore, logger: Logger, telemetrySettings: TelemetrySettings? = nil,
    loops: Int? = nil
  ) async throws {
    let settings = store.current
    let certificates = try ListenerCertificates(settings)
    // The rules of the files alone, until the ledger can be read.
    let rules = Lock(try RulesSnapshot(settings, clients: settings.clients, priceOverrides: []))
    let (ledger, location) = try Server.openLedger(settings.ledger, rules)
    let now = Timestamp.readSystemClock()
    let unreadable = UnreadableRows()
    let reader = try LedgerReader(at: location, passingOver: unreadable)
    let start = try BudgetStart(from: reader, into: rules, passingOver: unreadable, logger, at: now)
    let group = try EventLoopGroup(count: loops ?? EventLoopGroup.processorCount)
    let reports = ListenerReports(logger: logger)
    let state = try ServerState(
      rules: rules, ledger: ledger, ledgerLocation: location, reports: reports, at: now)
    telemetry = await Server.telemetry(telemetrySettings, on: group.loops[0], logger)
    let failures = FailedSignIns(most: FailedSignIns.mostOfApps)
    let gateway = await Gateway(
      rules: { rules.withLock { $0 } }, budgets: start.budgets, ledger: ledger,
      owners: ObjectOwners(at: location),
      lender: ledger.isShared ? ledger : nil, deferred: try Server.deferred(ledger, reader),
      ownCalls: Console.ofClients(server: state, failedSignIns: failures, logger: logger),
      failedSignIns: failures, recentAnswers: try reader.recentAnswers(), loops: group.loops,
      logger: logger, tracer: telemetry?.tracer)
    reloader = try Reloader(
      store: store, rules: rules, gateway: gateway, ledger: ledger,
      records: location, closed: unreadable.closedClients, start, certificates: certificates,
      logger: logger)
    try await reloader.declareFirst(start.clients, settings, at: now)
    logger.log(unreadable.take() + ledger.takeUnreadable())
    logger.log(store.warnings)
    let alertQueue = await AlertQueue(on: group.loops[0])
    let payments = await PaymentClient(on: group.loops[0])
    collector = ChargeCollector(
      outbox: try ChargeOutbox(at: location), server: state, at: payments, logger: logger)
    sender = AlertSender(
      outbox: try AlertOutbox(at: location), server: state, queue: alertQueue, logger: logger)
    state.connect(gateway, reloader, alertQueue, sender, payments, collector, telemetry?.tracer)
    gateway.report(start.reached)
    do {
      (proxy, admin) = try await Server.listen(
        as: gateway, Console(server: state, logger: logger), on: group.loops, ceiling, rules,
        certificates, reports, logger)
    } catch {
      await Server.close(gateway, state, ledger, group)
      throw error
    }
    state.connect(listeners: ["proxy": proxy, "admin": admin])
    // The token is shown once, so a start that fails must not have made it.
    firstAdminToken = try FirstAdminToken.makeIfNeeded(
      settings.admin, reader: reader, ledgerLocation: location, at: now)
    Server.start(sender, collector, reloader, telemetry, ledger, state)
    (self.state, self.group, self.gateway) = (state, group, gateway)
    (self.ledger, self.logger) = (ledger, logger)
  }

  /// Starts both listeners. Each connection keeps the settings that are in force when it begins.
  private static func listen(
    as gateway: Gateway, _ console: Console, on loops: [EventLoop], _ ceiling: ConnectionCeiling,
    _ rules: Lock<RulesSnapshot>, _ certificates: ListenerCertificates, _ reports: ListenerReports,
    _ logger: Logger
  ) async throws -> (proxy: HTTPServer, admin: HTTPServer) {
    let settings = { @Sendable in rules.withLock { $0.settings } }
    let limits = { @Sendable in ceiling.limits(settings().limits) }
    let bodies = BodyMemory()
    let proxy = try await HTTPServer(
      settings().proxy.listen, on: loops, handler: gateway, limits: limits,
      proxies: {
        let proxy = settings().proxy
        return TrustedProxies(proxy.behind, sendHeader: proxy.proxyProtocol)
      }, bodies: bodies, reports: reports, tls: certificates.proxy, logger: logger)
    do {
      let admin = try await HTTPServer(
        settings().admin.listen, on: loops, handler: console, limits: limits,
        proxies: {
          let admin = settings().admin
          return TrustedProxies(admin.behind, sendHeader: admin.proxyProtocol)
        }, bodies: bodies, reports: reports, tls: certificates.admin, logger: logger)
      return (proxy, admin)
    } catch {
      await proxy.stop(within: .zero)
      throw error
    }
  }

  /// Ends a start that has failed, so that another server may start on this ledger.
  private static func close(
    _ gateway: Gateway, _ state: ServerState, _ ledger: ServerLedger, _ group: EventLoopGroup
  ) async {
    await gateway.close()
    state.disconnect()
    await ledger.close()
    group.stop()
  }

  /// Opens the ledger. Metrics count all models outside the price book as one, `other`.
  private static func openLedger(
    _ settings: LedgerSettings, _ rules: Lock<RulesSnapshot>
  ) throws -> (ServerLedger, LedgerLocation) {
    let options = options(settings)
    let ledger = try ServerLedger(options) { model, provider in
      rules.withLock { $0 }.prices.knownName(model, of: provider) ?? "other"
    }
    return (ledger, options.location)
  }

  private static func telemetry(
    _ settings: TelemetrySettings?, on loop: EventLoop, _ logger: Logger
  ) async -> Telemetry? {
    guard let settings else { return nil }
    return await Telemetry(settings, on: loop, logger: logger)
  }

  private static func start(
    _ sender: AlertSender, _ collector: ChargeCollector, _ reloader: Reloader,
    _ telemetry: Telemetry?, _ ledger: ServerLedger, _ state: ServerState
  ) {
    ledger.whenAlertsAreWritten { sender.ring() }
    ledger.whenChargesAreWritten { collector.ring() }
    Task { await sender.run() }
    Task { await collector.run() }
    Task { await reloader.declareAfterStart() }
    telemetry?.start {
      var pages = MetricsPages<OTLPMetrics>(
        of: state, showsProviderCosts: state.settings.admin.metricsNeedToken,
        at: .readSystemClock())
      return { pages.writeNext(to: &$0) }
    }
  }

  /// The deferred requests that this server follows from its start. On a shared ledger, a server
  /// inherits the requests of replicas that are gone later: see `join`.
  private static func deferred(
    _ ledger: ServerLedger, _ reader: LedgerReader
  ) throws(LedgerError) -> [DeferredRequest] {
    ledger.isShared ? [] : try reader.deferredRequests()
  }

  /// Has the server react to other servers that share its ledger. Deferred requests of servers that
  /// are gone come this way too, at a start and later.
  private static func join(
    _ ledger: ServerLedger, _ gateway: Gateway, _ reloader: Reloader, _ logger: Logger
  ) {
    ledger.hear(
      by: Membership.Listener(
        changed: { Task { await reloader.ledgerChanged() } },
        wanted: { sources in Task { await gateway.giveBackFree(of: sources) } },
        takenForDead: { gateway.voidLeases() },
        inherited: { gateway.inherit($0) },
        notInherited: { path, error in
          logger.log(.warn, "spool_not_inherited") { line in
            line.member("path", path)
            line.member("reason", error.description)
          }
        }))
  }

  /// Logs where the server listens.
  func announce() {
    logger.log(.info, "started") { line in
      line.member("recovered_requests", Int64(ledger.recoveredRequests))
    }
    if let warning = ceiling.warning(state.settings.limits) {
      logger.log(.warn, "configuration_warning") { $0.member("warning", warning) }
    }
    for (listener, addresses) in [("proxy", proxyAddresses), ("admin", adminAddresses)] {
      for address in addresses {
        logger.log(.info, "listening") { line in
          line.member("listener", listener)
          line.member("address", "\(address)")
        }
      }
    }
  }

  /// Serves until a signal stops the server, and returns when everything has stopped.
  ///
  /// SIGHUP reloads the files, and SIGUSR1 opens the log file again. SIGTERM and SIGINT stop the
  /// server; a second one ends the wait for requests in flight.
  ///
  /// - Throws: `SystemError` if signals or folders can't be watched.
  package func runUntilStopped(watchingFiles: Bool = true) async throws {
    let loop = group.loops[0]
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    let reloader = reloader
    let logger = logger
    let folders = watchingFiles ? reloader.folders : []
    // Swift's first pause opens file descriptors for all later ones, and ends the process if none
    // is left. So the first pause comes before connections take them.
    try await Task.sleep(for: .nanoseconds(1))
    let sources = try await Task(executorPreference: loop) {
      let signals = try SignalSource(on: loop) { signal in
        switch signal {
        case .hangup: Task { await reloader.reload() }
        case .terminate, .interrupt: stop.yield()
        case .user1: logger.reopen()
        }
      }
      let watch = try FolderWatch(folders: folders, on: loop) {
        Task { await reloader.filesChanged() }
      }
      return LoopBound((signals, watch), on: loop)
    }.value
    Server.join(ledger, gateway, reloader, logger)
    let follower = Task { await reloader.followLedger() }
    let keeper = Task { await gateway.keepLeases() }
    let monthKeeper = keepMonths()
    announce()
    for await _ in stops { break }
    follower.cancel()
    keeper.cancel()
    monthKeeper?.cancel()
    gateway.stop()
    logger.log(.info, "stopping")
    let hurry = Task {
      for await _ in stops {
        logger.log(.warn, "stopping_at_once")
        await proxy.breakOff()
      }
    }
    await drain()
    stop.finish()
    await hurry.value
    await Task(executorPreference: loop) {
      sources.value.0.close()
      sources.value.1.close()
    }.value
    end()
  }

  /// Starts to detach old months of the ledger; nil if the settings keep them for ever.
  private func keepMonths() -> Task<Void, Never>? {
    let settings = state.settings.ledger
    guard let monthCount = settings.retentionMonths else { return nil }
    let months = MonthKeeper(
      MonthDetacher(at: LedgerLocation(settings.location)), keeping: monthCount, logger: logger)
    return Task { await months.run() }
  }

  /// Stops the server: refuses new requests, settles those in flight, and closes the ledger.
  package func stop() async {
    await drain()
    end()
  }

  private func drain() async {
    gateway.stop()
    await proxy.stop(within: Server.stopPatience)
    await admin.stop(within: .zero)
    await gateway.close()
    await sender.stop()
    await collector.stop()
    await telemetry?.stop()
    await gateway.giveBackLeases()
    state.disconnect()
    await ledger.close()
  }

  private func end() {
    group.stop()
    logger.log(.info, "stopped")
  }
}
