"""Evals, their runs, and what these put out."""

from .kept import Collection, deleted


class Evals:
    def __init__(self, account):
        self._account = account
        self.evals = Collection("eval")
        self.known = {"eval": self.evals}
        one, run = "/evals/{}", "/evals/{}/runs/{}"
        self.routes = [
            ("POST", "/evals", self.make),
            ("GET", "/evals", lambda request: self.evals.page(request)),
            ("GET", one, lambda request, id: self.evals.get(id).value),
            ("POST", one, self.update),
            ("DELETE", one, self.delete),
            ("POST", f"{one}/runs", self.run),
            ("GET", f"{one}/runs", lambda request, id: self._runs(id).page(request)),
            ("GET", run, lambda request, id, run: self._runs(id).get(run).value),
            ("POST", f"{run}/cancel", lambda request, id, run: self._runs(id).get(run).value),
            ("DELETE", run, self.delete_run),
            ("GET", f"{run}/output_items", self.output_items),
            ("GET", f"{run}/output_items/{{}}", self.output_item),
        ]

    def make(self, request):
        value = {"id": self._account.id("eval_"), "object": "eval"}
        value["name"] = request.json.get("name")
        return self.evals.add(value, runs=Collection("run")).value

    def update(self, request, id):
        kept = self.evals.get(id)
        kept.value["name"] = request.json.get("name")
        return kept.value

    def delete(self, request, id):
        self.evals.remove(id)
        return deleted(id, "eval.deleted")

    def run(self, request, id):
        value = {"id": self._account.id("evalrun_"), "object": "eval.run", "eval_id": id}
        kept = self._runs(id).add({**value, "status": "completed"}, items=Collection("output item"))
        item = {"id": self._account.id("outputitem_"), "object": "eval.run.output_item"}
        kept.parts["items"].add({**item, "run_id": kept.id})
        return kept.value

    def delete_run(self, request, id, run):
        self._runs(id).remove(run)
        return deleted(run, "eval.run.deleted")

    def output_items(self, request, id, run):
        return self._runs(id).get(run).parts["items"].page(request)

    def output_item(self, request, id, run, item):
        return self._runs(id).get(run).parts["items"].get(item).value

    def _runs(self, id):
        return self.evals.get(id).parts["runs"]
