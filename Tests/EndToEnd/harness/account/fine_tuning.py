"""Jobs of fine-tuning, and the models that they make."""

from .kept import Collection, deleted


class FineTuning:
    def __init__(self, account):
        self._account = account
        self.jobs = Collection("job")
        self.models = Collection("model")
        self.known = {"job": self.jobs, "model": self.models}
        one = "/fine_tuning/jobs/{}"
        self.routes = [
            ("POST", "/fine_tuning/jobs", self.make),
            ("GET", "/fine_tuning/jobs", self.list),
            ("GET", one, self.read),
            ("GET", f"{one}/events", lambda request, id: self._part(request, id, "events")),
            ("GET", f"{one}/checkpoints", self.checkpoints),
            ("POST", f"{one}/cancel", lambda request, id: self._set(id, "cancelled")),
            ("POST", f"{one}/pause", lambda request, id: self._set(id, "paused")),
            ("POST", f"{one}/resume", lambda request, id: self._set(id, "running")),
            ("DELETE", "/models/{}", self.delete_model),
        ]

    def make(self, request):
        body = request.json
        value = {"id": self._account.id("ftjob-"), "object": "fine_tuning.job"}
        value |= {"model": body["model"], "training_file": body["training_file"]}
        value |= {"status": "queued", "fine_tuned_model": None, "result_files": []}
        parts = {"events": Collection("job"), "checkpoints": Collection("job")}
        kept = self.jobs.add(value, **parts)
        for _ in range(3):
            event = {"id": self._account.id("ftevent-"), "object": "fine_tuning.job.event"}
            parts["events"].add({**event, "message": "x"})
            step = {"id": self._account.id("ftckpt_"), "fine_tuning_job_id": kept.id}
            parts["checkpoints"].add({**step, "object": "fine_tuning.job.checkpoint"})
        return dict(value)

    def list(self, request):
        page = self.jobs.page(request)
        return {name: page[name] for name in ("object", "data", "has_more")}

    def read(self, request, id):
        """A job is done when it is read first."""
        value = self.jobs.get(id).value
        if value["status"] == "queued":
            model = f"ft:{value['model']}:org::{self._account.id('')}"
            self.models.add({"id": model, "object": "model", "owned_by": "org"})
            results = self._account.files.add(b"step,loss\n", "fine-tune-results")
            value |= {"status": "succeeded", "fine_tuned_model": model}
            value["result_files"] = [results.id]
        return value

    def checkpoints(self, request, id):
        return self._part(request, id, "checkpoints")

    def delete_model(self, request, model):
        self.models.remove(model)
        return deleted(model, "model")

    def _part(self, request, id, name):
        return self.jobs.get(id).parts[name].page(request)

    def _set(self, id, status):
        kept = self.jobs.get(id)
        kept.value["status"] = status
        return kept.value
