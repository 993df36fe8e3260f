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

/// The whole server, put together: settings, ledger, budgets, gateway and listeners.
package final class Server: Sendable {
  /// The admin token that was made at this start, to be shown once; nil where there was one.
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
  /// Nil where nothing is exported.
  private let telemetry: Telemetry?
  private let logger: Logger
  private let ceiling = ConnectionCeiling()

  package var proxyAddresses: [SocketAddress] { proxy.addresses }
  package var adminAddresses: [SocketAddress] { admin.addresses }

  /// This release.
  package static let version = "0.1.0"

  /// How long a stop waits for requests in flight.
  static let stopPatience = Duration.seconds(30)

  /// Starts everything.
  ///
  /// - Parameters:
  ///   - telemetrySettings: where traces and metrics are sent; nil where none are.
  ///   - loops: how many event loops serve; nil for one on each processor.
  /// - Throws: what an operator has to mend, such as a port that is taken or a ledger that can't be
  ///   opened.
  package init(
    _ store: ConfigurationStore, logger: Logger, telemetrySettings: TelemetrySettings? = nil,
    loops: Int? = nil
  ) async throws {
    let settings = store.current
    let certificates = try ListenerCertificates(settings)
    // What the files say, until the ledger can be asked for the rest.
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
    // Last, since it is shown once: a start that fails must not have made it.
    firstAdminToken = try FirstAdminToken.makeIfNeeded(
      settings.admin, reader: reader, ledgerLocation: location, at: now)
    Server.start(sender, collector, reloader, telemetry, ledger, state)
    (self.state, self.group, self.gateway) = (state, group, gateway)
    (self.ledger, self.logger) = (ledger, logger)
  }

  /// Starts both listeners; each connection keeps to the settings in force when it begins.
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

  /// Models outside the price book are one model to metrics.
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

  /// What to go on with from the start; those that replicas followed are inherited later.
  private static func deferred(
    _ ledger: ServerLedger, _ reader: LedgerReader
  ) throws(LedgerError) -> [DeferredRequest] {
    ledger.isShared ? [] : try reader.deferredRequests()
  }

  /// What the server does when it hears from others that share its ledger. Deferred requests of
  /// those that are gone come this way too, at a start as later.
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

  /// Follows changes of the files, and signals: SIGHUP reloads, SIGUSR1 opens the log anew,
  /// SIGTERM and SIGINT stop, and a second of them ends the wait for requests in flight. Returns
  /// when everything has stopped.
  package func runUntilStopped(watchingFiles: Bool = true) async throws {
    let loop = group.loops[0]
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    let reloader = reloader
    let logger = logger
    let folders = watchingFiles ? reloader.folders : []
    // The first pause opens descriptors for all later ones, and would end the process if there were
    // none left: now, before connections take them.
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

  /// Has old months of the ledger detached, where they aren't kept for ever.
  private func keepMonths() -> Task<Void, Never>? {
    let settings = state.settings.ledger
    guard let monthCount = settings.retentionMonths else { return nil }
    let months = MonthKeeper(
      MonthDetacher(at: LedgerLocation(settings.location)), keeping: monthCount, logger: logger)
    return Task { await months.run() }
  }

  /// Refuses what is new, lets requests in flight end, settles them, closes the ledger.
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
