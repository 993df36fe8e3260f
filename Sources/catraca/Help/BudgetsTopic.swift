extension HelpTopic {
  static let budgets = HelpTopic(
    "budgets", article: "Budgets", "how a budget limits requests"
  ) { _ in
    #"""
    # Budgets

    How a budget limits requests: the hold, the clamp, waiting, and the refusal.

    ## Declaring a budget

    ```yaml
    budgets:
      - { name: month, mode: both, tokens: 1000000, cost: "500.00", currency: BRL,
          period: monthly, enforcement: hard, alerts: [80, 90, 100] }
      - { name: each-user, per: user, tokens: 100000, period: 30d }
    ```

    - `name`: the second half of the budget's id, `CLIENT/NAME`. Without a name, the position in the
      list is used, which shifts when the list changes.
    - `mode`: `tokens`, `cost` (or a currency: `brl`, `usd`, …) or `both`. Without it, the limits
      decide.
    - `tokens`, `cost`, `currency`: the limits. `currency` is the billing currency by default, and
      needs a rate in `currency.per_usd`.
    - `per`: the subject whose use is counted together: `client` (default), `user`, `key`, `model`
      or `conversation`. Each subject has the whole limit for itself.
    - `period`: `daily`, `weekly`, `monthly` (default), `Nd` or `total` (never resets). A window
      begins at midnight in the client's time zone; `Nd` windows count from 2026-01-01.
    - `enforcement`: `hard` (default) never lets settled + held exceed the limit. `soft` holds an
      estimate, and refuses once settled + held reaches the limit. `shadow` only counts, and logs
      `budget_shadow` where it would have refused.
    - `pause_at_limit: false` is the same as `shadow`.
    - `alerts`: the percentages of the limit that are told (default `[80, 90, 100]`; `[]` for none).
      See <doc:Alerts>.

    A client may have several budgets, and budgets at the top level of `clients.yaml` apply to all
    clients. Each request must fit all that apply. Plans add one more: see <doc:Plans>.

    A budget per user, key, model or conversation counts 100,000 subjects apart. Further subjects
    share one subject, `other`.

    ## Windows and edits

    The clock ends a window; no job has to run. A budget that changes its `per`, its period or its
    currency begins at zero.

    Use belongs to the client, the name, the `per`, the period and the currency, and outlives the
    budget's definition until the window ends. Example: 3,000 of 3,000 tokens are used in November.
    An administrator removes the budget and declares it again an hour later. 3,000 of 3,000 tokens
    are used. To begin at zero, an administrator resets the budget with `--usage clear`.

    ## Holds

    Before Catraca forwards a request, it holds the request's **bound**: the most that the request
    can use and cost. It holds the bound on all budgets that apply, or on none, in one step. When
    the answer ends, the real usage replaces the hold. Therefore a hard limit stands at any
    concurrency.

    - **Input.** The bound is the text's bytes, because a byte-level tokenizer makes no more tokens
      than bytes, plus constants for the provider's framing, for images and for sound. If a request
      only refers to content (files, a previous response), the bound is the model's whole context.
    - **Output.** The bound is the larger of `max_completion_tokens` and `max_tokens`, else the
      model's `max_output_tokens`, for each of `n` answers, at the dearest rate that the request can
      reach.

    If an answer uses more than its bound, Catraca charges the real usage, logs `budget_overrun`,
    and writes the excess into the row. From the next request on, it raises the bound by the largest
    excess seen, for that client, model and kind of request alone. The raise halves each hour.
    Example: an excess of 300 tokens raises the next bound by 300, an hour later by 150, and after
    nine hours by nothing. A raise never exceeds the model's context, or an hour of sound.

    ## The clamp

    An app that sends no output limit could receive the model's longest answer, so Catraca would
    hold the price of that answer. If a budget can't pay for it, Catraca sets a limit instead of
    refusing:

    1. It takes an eighth of what is left, or twice the model's usual long answer (the 99th
       percentile of its last 1,000; 1,024 tokens while there are none), whichever is larger.
    2. If that doesn't fit, it takes what fits.
    3. If less than 256 tokens fit, it refuses the request with 429.

    Example: 10,000 tokens are left, and 600 is the 99th percentile. An eighth is 1,250, and twice
    600 is 1,200. The app gets at most 1,250 tokens, and the response says `x-catraca-clamped:
    1250`. Catraca never changes a limit that the app sets.

    **Tool calls.** A provider may call its own tools (web search, file search, code interpreter,
    drawing, MCP) as often as it likes, and the model reads its context again after each call. If a
    hard budget pays for a request to `/v1/responses` with such tools and without `max_tool_calls`,
    Catraca sets that limit:

    1. It considers 64, 32, 16, 8, 4, 3, 2 and 1 calls, and takes the largest number whose hold is
       at most an eighth of what is left, or 4 if that is more and fits.
    2. If that doesn't fit, it takes the largest number that fits.
    3. If not even one call fits, it refuses the request.

    Example: a context costs 0.05 USD, a search costs 0.01 USD, and 4 USD are left. An eighth is
    0.50 USD. Four calls cost 5 × 0.05 + 4 × 0.01 = 0.29 USD, and eight would cost 0.53 USD. The
    response says `x-catraca-clamped-tool-calls: 4`.

    ## Waiting

    A request may fit the budget, but not while other requests hold their bounds. Such a request
    waits its turn, first come, first served, for at most `budgets.admission_wait` (5 s). At most
    `budgets.admission_queue` (1,000) requests wait for one budget. After that the app gets 429
    `budget_contended` with `retry-after: 1` and `x-should-retry: true`.

    If a request wouldn't fit even if all holds ended at zero, Catraca refuses it at once. Example:
    500 of 10,000 tokens are left, and other requests hold 400 of them. A request with a bound of
    450 tokens waits. A request with a bound of 600 tokens is refused.

    ## The exact count near a limit

    The bound of text is 3 to 4 times its real number of tokens. That is harmless while much is
    left, and a false refusal near the limit. If the bound doesn't fit and the likely size does,
    Catraca asks OpenAI for the exact count (`POST /v1/responses/input_tokens`, which is free) and
    holds that with a small margin. It asks for plain text without tools alone. If the count can't
    be had, the bound stands.

    ## The refusal

    A refused request gets 429 `budget_exceeded` with the figures of the budget, and the ledger gets
    a row in `denials` with the same figures. See <doc:Errors>. `affordable_output_tokens` tells the
    app with which output limit the request would have passed.

    If several budgets refuse a request, the answer names one of them, in this order:

    1. a budget whose refusal doesn't end by itself: it is paused, or its period is `total`;
    2. the budget whose window ends last, so that no app comes back too early;
    3. the client's own budgets before those of `*`: first those of the file in its order, then
       those of the API and the commands, then the plan. A batch names the first user by name.

    Within one budget a pause goes before tokens, and tokens before the cost. A plan's limit of
    conversations tells last, and `budget_contended` only if nothing else refuses. Replicas and a
    restart keep this order. Example: a daily and a monthly budget are used up, and the answer names
    the monthly one.

    For each client and reason, Catraca writes 300 refusals at once and one a second after them to
    `denials` and the log. It counts the others in the metrics, and the log says how many
    (`denials_not_written`).

    ## Acting on a budget

    - `catraca budget status` shows limits, use and holds. `catraca budget set` makes or replaces a
      budget.
    - `catraca budget pause ID --note TEXT` refuses all requests of the budget with 429
      `budget_paused`; `resume ID` ends that.
    - `catraca budget reset ID --usage keep|clear` re-arms the alerts, and with `clear` begins at
      zero.
    - `catraca budget raise ID --tokens N --until T` raises the limit for a time.

    The API and the dashboard have the same calls, also for budgets that a file declares.
    """#
  }
}
