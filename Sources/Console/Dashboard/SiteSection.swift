internal import Budgets
internal import Pages

/// The sections of the dashboard, in the order of the navigation.
enum SiteSection: CaseIterable {
  case overview, clients, requests, refusals, budgets, keys, objects, prices, billing, audit

  var name: Phrase {
    switch self {
    case .overview: .overview
    case .clients: .clients
    case .requests: .requests
    case .refusals: .refusals
    case .budgets: .budgets
    case .keys: .keys
    case .objects: .objects
    case .prices: .prices
    case .billing: .billing
    case .audit: .auditTrail
    }
  }

  var address: PageAddress {
    switch self {
    case .overview: SitePath.overview
    case .clients: SitePath.clients
    case .requests: SitePath.requests
    case .refusals: SitePath.refusals
    case .budgets: SitePath.budgets
    case .keys: SitePath.keys
    case .objects: SitePath.objects
    case .prices: SitePath.prices
    case .billing: SitePath.billing
    case .audit: SitePath.audit
    }
  }

  /// The sections in the visitor's navigation. A client's key has only its client's page, without a
  /// navigation.
  static func visible(to credential: Credential?) -> [SiteSection] {
    if case .token = credential { allCases } else { [] }
  }
}

/// The addresses of the pages.
enum SitePath {
  static let root = PageAddress("/dashboard")
  static let overview = PageAddress("/dashboard/")
  static let signIn = PageAddress("/dashboard/sign-in")
  static let signOut = PageAddress("/dashboard/sign-out")
  static let preferences = PageAddress("/dashboard/preferences")
  static let clients = PageAddress("/dashboard/clients")
  static let requests = PageAddress("/dashboard/requests")
  static let refusals = PageAddress("/dashboard/refusals")
  static let budgets = PageAddress("/dashboard/budgets")
  static let keys = PageAddress("/dashboard/keys")
  static let objects = PageAddress("/dashboard/objects")
  static let prices = PageAddress("/dashboard/prices")
  static let billing = PageAddress("/dashboard/billing")
  static let audit = PageAddress("/dashboard/audit")

  /// The page of a budget, or the address of one of its actions.
  static func budget(_ id: BudgetID, _ action: String? = nil) -> PageAddress {
    let address = budgets.appending(id.client, id.name)
    return action.map { address.appending($0) } ?? address
  }

  static func client(_ id: String) -> PageAddress { clients.appending(id) }
}
