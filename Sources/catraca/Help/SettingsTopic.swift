internal import Budgets
internal import Configuration

extension HelpTopic {
  static let settings = HelpTopic(
    "settings", article: "Settings", "the configuration, and every setting"
  ) { form in
    #"""
    # Settings

    The folder of configuration files, how a running server takes over edits, and every setting of
    `catraca.yaml`.

    ## Files

    A configuration is a folder with `catraca.yaml`, `clients.yaml` and one pricing file for each
    provider. The folder `config` of the repository is a complete example. Paths in the files count
    from the folder, except `ledger.url`, which counts from the working directory. Secrets stand in
    the environment or in files of their own, never in YAML.

    `catraca check --config DIR` validates the whole folder without starting a server. It names
    every mistake at once:

    ```
    config/catraca.yaml:54:3: unknown key "upstream_connnect"; did you mean "upstream_connect"?
    config/clients.yaml:39:19: period: "fortnightly" is not valid; allowed: daily, weekly, monthly,
    total, or 1d to \#(BudgetPeriod.longestDays)d
    ```

    ## Edits of a running server

    A running server sees an edit within two seconds, or at once on SIGHUP. It validates all files
    and then takes over all of them or none. If a file has a mistake, the server keeps the old
    settings and logs the mistakes as `configuration_refused`. Requests under way keep the rules
    that they began with.

    The log line `configuration_reloaded` has two members for operators: `changes` says what the
    files declare more or less of (`budgets: 6 before, 4 now`), and `awaiting_restart` names edited
    settings that are in force only after a restart.

    Write a file under another name and rename it into place (`mv new.yaml clients.yaml`), so that
    the server never reads half of it.

    **Sudden loss.** If the files declare less than half of the clients, keys, budgets, plans,
    providers or priced models in force, a file may be cut short. (Budgets count from four on.) The
    server then keeps the old settings and logs `configuration_refused` with the figures. Example:
    12 clients are in force, and the files declare 5.

    If the loss is meant, run `catraca check --accept`. The acceptance holds for exactly these
    files, for 24 hours. The server also takes over such files when it reads the same content again
    at least 2 seconds later: at SIGHUP, or after the file was written again. A start takes the
    files as they are, and logs `configuration_warning` if no client is declared although the ledger
    has served some.

    ## catraca.yaml

    Besides the settings below, `catraca.yaml` has `providers` (at least one), `pricing` (a list of
    files) and `clients` (a file, `clients.yaml` by default). `payments` is described in
    <doc:Payments>, the entries of `alerts` in <doc:Alerts>.

    \#(SettingReference.table.text(form))

    ## Providers

    Each entry of `providers` is an API of the OpenAI kind, under a name of your choice:

    - `base_url` (required): stands for everything up to `/v1`.
    - `api_key_env` or `api_key_file`: the environment variable or the file that holds the key.
      Leave both out if the provider wants no key.
    - `on_disconnect`: what Catraca does when the app hangs up. `drain` (default) reads on and
      charges the exact usage; choose it where the provider bills a canceled response in full.
      `cancel` stops the provider and charges an estimate; choose it where the provider says that it
      then stops billing. Background responses and batches are always read on.
    - `drain_time`, `drain_bytes`: the bounds of `drain`, `120s` and `16MiB` by default.
    - `ca_file`: further certificate authorities, PEM.
    - `price_factor`: multiplies the prices of tokens; see <doc:PricingFiles>.
    - `auto_tier`: the service tier that your project uses for requests that name none, or that name
      `auto`: `default`, `flex` or `priority`. Catraca assumes `priority`, and holds the dearer of
      this tier and the default.
    - `account_headers`: `pass` (default) or `hide`. The provider's `openai-organization`,
      `openai-project` and `x-ratelimit-…` headers name your account and show the limits that all
      clients share; `hide` keeps them from apps.

    Example: Anthropic's OpenAI-compatible endpoint takes four lines and its pricing file, which the
    repository has in `config/pricing`:

    ```yaml
    providers:
      anthropic:
        base_url: https://api.anthropic.com/v1
        api_key_env: ANTHROPIC_API_KEY
        on_disconnect: drain
    pricing: [pricing/openai.yaml, pricing/groq.yaml, pricing/anthropic.yaml]
    ```

    Its models then answer under `/v1` and `/anthropic/v1`, metered like all others. Name Google's
    endpoint (`https://generativelanguage.googleapis.com/v1beta/openai`) `google`: under that name
    Catraca knows that only `total_tokens` contains the tokens of the model's thoughts. Any other
    provider must report `usage` as OpenAI does, with totals that contain their parts.
    """#
  }
}

extension SettingReference {
  /// Every setting of `catraca.yaml`, as the parser knows it.
  static let table = HelpTable(
    head: ["setting", "allowed", "default", "in force", "meaning"],
    rows: all.map { setting in
      [
        "`\(setting.name)`", setting.allowed, "`\(setting.defaultText)`",
        setting.isReloadable ? "at once" : "after a restart", setting.meaning,
      ]
    })
}
