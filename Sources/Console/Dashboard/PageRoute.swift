internal import Pages

/// One page, or one change that a page's form makes.
struct PageRoute: Routed {
  enum Access: Sendable {
    case anyone
    /// Whoever is signed in, a client's key included: such a page shows its own client alone.
    case client
    /// Tokens of either role.
    case viewer
    case admin
  }

  let method: APIRoute.Method
  let path: String
  let access: Access
  /// What may stand behind the `?`.
  let query: [QueryParameter]
  let handler: @Sendable (PageRequest) async throws(APIError) -> Answer

  init(
    _ method: APIRoute.Method, _ path: String, _ access: Access, query: [QueryParameter] = [],
    _ handler: @escaping @Sendable (PageRequest) async throws(APIError) -> Answer
  ) {
    self.method = method
    self.path = path
    self.access = access
    self.query = query
    self.handler = handler
  }
}

/// Every page that there is.
enum PageRoutes {
  /// Those of the admin listener.
  static let admin: [PageRoute] =
    SiteFiles.routes + SignInPage.routes + Preferences.routes + OverviewPage.routes
    + ClientsPage.routes + ClientPage.routes + RequestsPage.routes + RequestPage.routes
    + RefusalsPage.routes + BudgetsPage.routes + BudgetEditPage.routes + BudgetPage.routes
    + KeysPage.routes + ObjectsPage.routes + PricesPage.routes + BillingPage.routes
    + ClientBillingPage.routes + AuditPage.routes + WidgetPage.routes

  /// Those of the proxy's listener.
  static let clients: [PageRoute] = WidgetPage.routes
}
