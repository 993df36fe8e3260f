internal import Pages

/// One page, or one action of a page's form.
struct PageRoute: Routed {
  enum Access: Sendable {
    case anyone
    /// Any signed-in visitor. A client's key sees only its own client.
    case client
    /// Tokens of either role.
    case viewer
    case admin
  }

  let method: APIRoute.Method
  let path: String
  let access: Access
  /// The allowed parameters of the query.
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

/// All pages.
enum PageRoutes {
  /// The routes of the admin listener.
  static let admin: [PageRoute] =
    SiteFiles.routes + SignInPage.routes + Preferences.routes + OverviewPage.routes
    + ClientsPage.routes + ClientPage.routes + RequestsPage.routes + RequestPage.routes
    + RefusalsPage.routes + BudgetsPage.routes + BudgetEditPage.routes + BudgetPage.routes
    + KeysPage.routes + ObjectsPage.routes + PricesPage.routes + BillingPage.routes
    + ClientBillingPage.routes + AuditPage.routes + WidgetPage.routes

  /// The routes of the proxy's listener.
  static let clients: [PageRoute] = WidgetPage.routes
}
