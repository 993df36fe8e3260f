/// The script of the pages. Without it, all pages work, but their figures don't refresh.
public enum Script {
  public static let text: StaticString = #"""
    "use strict";

    // Refreshes figures. After each notice of a change, the script requests the same page again and
    // replaces the elements that are marked as live.
    const live = () => document.querySelectorAll("[data-live][id]");

    function isBusy(element) {
      const focused = document.activeElement;
      return element.contains(focused) && /^(INPUT|SELECT|BUTTON|SUMMARY)$/.test(focused.tagName);
    }

    function replace(element, fresh) {
      if (isBusy(element) || element.innerHTML === fresh.innerHTML) return;
      const open = [...element.querySelectorAll("details")].map((each) => each.open);
      element.replaceChildren(...fresh.childNodes);
      element.querySelectorAll("details").forEach((each, index) => {
        if (open[index]) each.open = true;
      });
    }

    let isRefreshing = false;
    let isStale = false;

    async function refresh() {
      isStale = true;
      if (isRefreshing || document.hidden) return;
      isRefreshing = true;
      isStale = false;
      try {
        const answer = await fetch(location.href, { headers: { accept: "text/html" } });
        if (!answer.ok || answer.redirected) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const element of live()) {
          const fresh = page.getElementById(element.id);
          if (fresh) replace(element, fresh);
        }
        document.body.dataset.refreshed = String(Number(document.body.dataset.refreshed || 0) + 1);
      } catch {
        // The server is unreachable. The stream of events reconnects when it is back.
      } finally {
        isRefreshing = false;
      }
      if (isStale) refresh();
    }

    if (document.body.dataset.events && live().length > 0) {
      const events = new EventSource(document.body.dataset.events);
      events.addEventListener("changed", refresh);
      document.addEventListener("visibilitychange", () => {
        if (!document.hidden && isStale) refresh();
      });
      addEventListener("pagehide", () => events.close());
    }

    // Sends a form when a choice changes, and asks before an action that can't be undone.
    document.addEventListener("change", (event) => {
      if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
    });
    document.addEventListener("submit", (event) => {
      const question = event.target.dataset.confirm;
      if (question && !confirm(question)) event.preventDefault();
    });
    """#
}
