internal import HTTP
internal import Pages
internal import TLS

/// The sign-in with a token or a client's key.
enum SignInPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/sign-in", .anyone,
        query: [QueryParameter("back", "the page to open afterwards")]
      ) { pageRequest throws(APIError) in
        page(pageRequest, back: try pageRequest.call.query.text("back"))
      },
      PageRoute(.post, "/dashboard/sign-in", .anyone, signIn),
      PageRoute(.post, "/dashboard/sign-out", .client) { pageRequest in
        if let session = pageRequest.session { pageRequest.signIns.sessions.end(session) }
        var answer = Answer.redirect(to: SitePath.signIn)
        answer.fields.append((.setCookie, pageRequest.cookie.clearing))
        return answer
      },
    ]
  }

  private static func signIn(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let secret = pageRequest.form["token"] ?? ""
    let credential: Credential
    do throws(APIError) {
      credential = try pageRequest.signIns.credential(
        of: secret, from: pageRequest.network, at: pageRequest.now)
    } catch {
      let problem: Phrase =
        switch error.status {
        case 401: .nobodysToken
        case 429: .tooManyTries
        default: .ledgerAway
        }
      var answer = page(
        pageRequest, back: pageRequest.form["back"], problem: problem, status: error.status)
      answer.fields += error.fields
      return answer
    }
    let session = pageRequest.signIns.sessions.begin(
      for: SHA256.digest(of: secret), isOfKey: credential.isKey, at: pageRequest.now)
    var answer = Answer.redirect(to: pageRequest.wayBack)
    answer.fields.append((.setCookie, pageRequest.cookie.setting(session)))
    return answer
  }

  private static func page(
    _ pageRequest: PageRequest, back: String?, problem: Phrase? = nil, status: Int = 200
  ) -> Answer {
    let reader = pageRequest.reader
    let notice = problem.map { problem -> HTML in
      #"<p role="alert" id="problem" class="notice exceeded">\#(reader(problem))</p>"#
    }
    return pageRequest.page(
      alone: .signIn, status: status,
      #"""
      <div class="card"><h1 class="brand">\#(Icon.html)Catraca</h1>
      <form method="post" action="\#(SitePath.signIn)" class="fields">
      <input type="hidden" name="back" value="\#(back ?? "")">
      <input name="username" value="catraca" autocomplete="username" hidden>
      <div class="field"><label for="token">\#(reader(.adminToken))</label>
      <input id="token" name="token" type="password" required autofocus \#
      autocomplete="current-password" aria-describedby="hint\#(if: problem != nil, " problem")">
      <span class="hint" id="hint">\#(reader(.tokenHint))</span></div>\#(notice)
      <button class="primary">\#(reader(.signIn))</button></form>
      \#(SiteFoot.switches(pageRequest))</div>
      """#)
  }
}

extension Phrase {
  fileprivate static let signIn = Phrase("Sign in", "Entrar")
  fileprivate static let adminToken = Phrase("Admin token", "Token de administração")
  fileprivate static let tokenHint = Phrase(
    "Catraca printed one at its first start. A client's key opens that client's page.",
    "O Catraca mostrou um ao ser iniciado pela primeira vez. A chave de um cliente abre a "
      + "página dele.")
  fileprivate static let nobodysToken = Phrase(
    "This token is not valid.", "Token inválido.")
  fileprivate static let tooManyTries = Phrase(
    "Too many failed attempts. Try again in a minute.",
    "Muitas tentativas incorretas. Tente de novo em um minuto.")
  fileprivate static let ledgerAway = Phrase(
    "The ledger is unavailable right now.", "O banco de dados está indisponível no momento.")
}
