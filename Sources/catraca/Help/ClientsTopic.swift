extension HelpTopic {
  static let clients = HelpTopic(
    "clients", article: "ClientsAndKeys", "clients.yaml, and keys of apps"
  ) { _ in
    #"""
    # Clients and Keys

    How a client and its keys are declared, and how a client brings its own account at a provider.

    ## Keys

    An app's key is `sk-ctr-` followed by 43 random characters (256 bits). Catraca stores only its
    SHA-256, so a key is shown once, when it is made. There are two places for keys:

    1. **The ledger.** `catraca key create --client acme --name web` makes a key and prints it. A
       running server knows the key within a second. Options restrict it: `--models
       'gpt-4o*,llama-3.*'`, `--operations chat`, `--expires 2027-01-01`, `--requests-per-minute
       600`, `--tokens-per-minute 200000`. Above a rate the app gets 429 `rate_limit_exceeded`.
       `catraca key list`, `key rotate` and `key revoke` do the rest.
    2. **`clients.yaml`.** Commands and the API never change a key that is declared there:

       ```sh
       KEY=sk-ctr-$(head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=')
       printf %s "$KEY" | sha256sum       # goes into clients.yaml; the app gets $KEY
       ```

       ```yaml
       keys:
         - { name: web, sha256: "…64 hexadecimal digits…", models: ["gpt-4o*"] }
       ```

    Clients have the same two places: `clients.yaml`, or `catraca client create ID`.

    ## clients.yaml

    - `plans: NAME:` declares a plan: `display_name`, `monthly_tokens` and `monthly_conversations`
      (see <doc:Plans>), `billing` (see <doc:Billing>), `markup` (see <doc:Markups>).
    - `default_plan`: the plan of clients that have no other. By default it is `trial`, if there is
      a plan of that name.
    - `clients: ID:` declares a client with the members of the next list.
    - `budgets:` at the top level declares budgets over all clients together, in UTC. Their ids are
      `*/NAME`.

    A client has these members:

    - `name`: shown in reports and on pages.
    - `plan`, and `markup` in place of the plan's.
    - `timezone`: an IANA name, `UTC` by default. The client's days and months begin there.
    - `status`: `active` (default) or `suspended`. The requests of a suspended client are refused
      with 429 `budget_paused`.
    - `metadata`: texts by name; the API accepts any JSON object.
    - `log_prompts`: `true` logs the text of the client's requests; see <doc:Logs>.
    - `keys`: a list of keys.
    - `budgets`: a list of budgets; see <doc:Budgets>. Their ids are `CLIENT/NAME`.
    - `provider_keys`: the client's own accounts at providers; see below.

    A key has these members:

    - `name` and `sha256`.
    - `models`: patterns with `*`. `operations`: a list of operations. See below.
    - `expires`: a date or an instant.
    - `requests_per_minute`, `tokens_per_minute`.

    **Models of a key.** `models` and `operations` hold for every model that a request names,
    wherever it names it:

    - its `model`, also several names with commas between them;
    - the model of a drawing tool, in a namespace too, and of any other tool of the provider;
    - models that may answer instead: `models`, `fallbacks`, `fallback_model`, `reasoning.model`,
      and every other member whose name ends in `model`, `models`, `fallback` or `fallbacks`, at any
      depth. Labels, schemas, headers and variables are the app's own and name no model;
    - each line of a batch, the transcription of a session, and `POST /v1/responses/input_tokens`.

    Every model that may answer needs a price, and Catraca holds the dearest of them. Example: a key
    with `models: ["gpt-4o-mini"]` gets 403 `model_not_allowed` for `{"model": "gpt-4o-mini",
    "models": ["gpt-4o"]}`.

    A path that `metering.unmetered_endpoints` opens has no price and no known operation. There,
    `models` holds for the models that the JSON body, form, query and path name, and `operations`
    for drawing tools alone (`image`). Catraca doesn't know the models that any other body names, so
    open such paths only to keys that may use all models.

    ## A client's own key at a provider

    All clients share your account at a provider, unless a client brings a key of its own:

    ```yaml
    clients:
      acme:
        provider_keys:
          openai: { api_key_env: ACME_OPENAI_KEY }
          groq: { api_key_file: /run/secrets/acme-groq }
    ```

    - Every request of `acme` to that provider goes out with its own key: responses, streams,
      realtime sessions, batches and their files, requests that cost nothing, and the questions that
      Catraca itself asks about the client's work.
    - The requests are metered, priced, held and refused like all others. The provider bills the
      client, so give the client its own prices if yours differ; see <doc:AdminAPI>.
    - An object that was made with one key can't be reached with another. When you set or remove a
      key, the client begins with an empty account.
    - An edited key in the file is in force within a second, for requests that begin from then on.
      An environment variable is read at the start.
    - Catraca follows background responses and batches with the key of the account in which they
      began, also after a restart. If the configuration no longer has that key, the log says
      `deferred_without_key`, and Catraca waits for the key as long as it waits for silent work; see
      <doc:DeferredWork>.
    - `catraca check` names a missing variable or file. `catraca doctor` tries each key.
      `catraca client show` and `GET /api/admin/clients/ID` show the names of variables and files,
      never a key. The API can't change these keys, because it writes no files.
    - A missing key stops the start. Catraca never uses your account in its place.
    """#
  }
}
