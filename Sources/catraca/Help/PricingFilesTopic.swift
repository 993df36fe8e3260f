extension HelpTopic {
  static let pricingFiles = HelpTopic(
    "pricing-files", article: "PricingFiles", "the price book"
  ) { _ in
    #"""
    # Pricing Files

    The price book: one YAML file for each provider, in the units that providers publish.

    ## Format

    Every price is a quoted decimal with at most 12 decimals:

    ```yaml
    provider: openai
    currency: USD
    source: https://platform.openai.com/docs/pricing
    as_of: 2026-11-01
    models:
      gpt-4o-mini:
        aliases: [gpt-4o-mini-2024-07-18]
        max_output_tokens: 16384
        context_tokens: 128000
        per_million_tokens: { input: "0.15", cached_input: "0.075", output: "0.60" }
        tiers: { batch: { per_million_tokens: { input: "0.075", output: "0.30" } } }
      some-model:
        prices:                              # a price that changes keeps its history
          - { from: 2026-01-01, per_million_tokens: { input: "1.00", output: "4.00" } }
          - { from: 2026-09-01, per_million_tokens: { input: "0.80", output: "3.20" } }
    ```

    A model has these members:

    - `aliases`: other names at the same price. Budgets per model count them together.
    - `operation`: `chat` (default), `responses`, `completion`, `embedding`, `transcription`,
      `translation`, `speech`, `image`, `moderation`, `batch` or `realtime`.
    - `max_output_tokens`, `context_tokens`: bound a request that sets no limit.
    - `per_million_tokens`: `input`, `cached_input`, `cache_write`, `cache_write_12h`,
      `audio_input`, `image_input`, `output` (reasoning included), `audio_output`, `image_output`.
    - `per_minute`, `per_second`, `per_million_characters`, `per_image`, `per_call`: other
      quantities. `per_image` may also be `{ SIZE: { QUALITY: price } }`.
    - `above_input_tokens`: `{ 272000: { … } }` prices the whole request when its input is larger.
    - `tiers`: prices of `batch`, `flex`, `priority` and others. A tier that leaves out a price
      keeps the base price.
    - `completion_windows`: `{ 2h: { … }, 8h: { … } }`, in the form of `tiers`.
    - `minimum_seconds`: the shortest duration that is billed for a sound file.
    - `surcharges`: `{ web_search: { per_call: "0.01" } }`, for calls that are billed apart from
      tokens. It may also stand at the head of the file, for all models.
    - `prices`: a list of all of the above prices with `from` dates, the oldest first.

    The head of the file may also have:

    - `containers`: `{ 1g: "0.03", 4g: "0.12" }`, the price of a container's session by its memory.
    - `price_factor_models`: the models that the provider's `price_factor` applies to; without the
      list, all.

    A fine-tuned model, `ft:BASE:ORG:…:ID`, has the price that the file states for `ft:BASE`.
    Editors with a YAML language server check a file as you type, by `pricing.schema.json`, which
    the first line of the shipped files names.

    ## Arithmetic

    Prices and sums are integers. The cost of a request is rounded once, up, at a billionth of the
    currency. `catraca price MODEL --in N --out N` computes a cost and shows its parts.

    A request for a model or tier without a price is refused (400 `model_not_priced`), unless
    `metering.unknown_model` says otherwise. If an answer reports a quantity that the file has no
    price for, Catraca charges it at the dearest rate of the same unit and logs
    `quantity_not_priced`. See <doc:MissingPrices>.

    ## Completion windows

    A response in the background may leave the provider time, at a lower price: `background_options:
    { completion_window: 2h }`. The answer doesn't name its window, so Catraca remembers it from the
    request, also across a restart.

    - If the model has no price for the window, Catraca refuses the request (400
      `model_not_priced`). `soonest` is the usual price.
    - Catraca holds the dearest price that can apply: the usual one, that of the project's tier, or
      the window's. It charges the window's price, unless the answer names another tier than the
      default. Tools and containers have no discount.
    - The window counts only together with `background: true`. If nobody can learn what the work
      used, the whole hold is charged.
    - `catraca price … --window 2h` computes with it, and `catraca explain` names it. LiteLLM's
      table has no such prices, so add them after an import.

    ## Containers

    The tools `code_interpreter` and `shell` run in containers of the provider, which are billed by
    session and memory.

    - A session lasts 20 minutes, and a client pays it once. Example: a response at 10:00 makes a
      container and is charged one session. A response at 10:10 in the same container is charged
      none. A response at 10:25 is charged another one.
    - A shell that the app runs itself (`local`, `local_shell`) is free. Catraca counts a shell call
      as the provider's if it names a container, or if the output has its result.
    - The memory is the `memory_limit` of the declared tool, `1g` by default. A request that names a
      container is charged by the memory of the request that made it. If Catraca can't know the
      memory, or the file has no price for it, it charges the dearest price of the file.
    - The ledger records each session that was paid, so that a restart and other replicas know it.
      If the ledger can't be asked, a server knows the sessions of its last 16,384 containers.
    - Catraca holds one session for each call that the request allows. A file without `containers`
      uses the surcharge `code_interpreter`.
    - `catraca price … --container 16g` adds a session. `catraca pricing import` derives the prices
      from that of the smallest container: four times the memory costs four times as much.

    ## Regional endpoints

    Some models cost more where the provider processes them in a region, and an answer doesn't show
    it. If `base_url` is a regional endpoint, or your project has a region, state the factor with
    the provider:

    ```yaml
    providers:
      openai:
        base_url: https://eu.api.openai.com/v1
        api_key_env: OPENAI_API_KEY
        price_factor: "1.1"
    ```

    - Catraca multiplies the prices of tokens by the factor, in every tier, window and step. At 1.1,
      a price of 0.75 becomes 0.825. Both the provider's cost and the charge rise. A client's own
      price stays as agreed.
    - The factor applies to the models of `price_factor_models`. OpenAI's file lists the models from
      gpt-5.4 on.
    - Calls, containers, minutes, characters and images are charged without the factor. Their holds
      include it.
    - A factor is a decimal from 0.01 to 10 with at most four decimals. A price with more than
      twelve decimals is rounded up at the twelfth.
    - `catraca explain`, `catraca price` and the lists of prices show the factor.
      `catraca pricing diff` compares files, which have none.

    ## Requests that may cost more

    - **Tiers.** A request without `service_tier`, or with `auto`, is held at the dearer of the
      default tier and `priority`, because a project may be set so. If yours isn't, write
      `auto_tier: default` with the provider. Catraca charges the tier that the answer names. If
      only the answer names a tier without a price, it charges the dearest of all tiers.
    - **Agents.** Nothing in a request limits how many agents `multi_agent` starts, so a hard budget
      refuses it (400 `unsupported_parameter`) unless `metering.agents` is set. With
      `metering.agents: 4`, Catraca holds four times the model's context and four times the output.
    - **`reasoning.mode: pro`** sums several runs. Catraca holds input and output twelve times.
    - **`context_management`** with a compaction adds one pass over the input to the hold.
    - **A cache write of twelve hours** is held if the body can ask for it (`12h` anywhere), or if
      the provider keeps input that can (`previous_response_id`, `conversation`, `prompt`, tools
      that the provider runs). Otherwise Catraca holds the dearest of the other prices.
    - **Tools that the provider describes** to the model and the app runs (`shell` with
      `environment: local`, `local_shell`, `apply_patch`, `computer`): Catraca holds 1,000 tokens of
      input for each.
    - **Drawings.** The tool `image_generation` is billed by its own model, `gpt-image-2.6-sunburst`
      if it names none. The row includes its tokens (`tool_usage.image_gen`, `svg_usage`), each at
      the price of its model. Catraca holds the dearest quality that the model may choose. In a
      batch, the tool must name a model with a price in the tier `batch`.
    - **Cache writes.** Tokens kept for 30 minutes and for 12 hours have prices of their own.
      Catraca holds the dearest price that a token of input can have.
    """#
  }
}
