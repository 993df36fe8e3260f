"""Containers, and the files in them."""

from .kept import Collection, deleted


class Containers:
    def __init__(self, account):
        self._account = account
        self.containers = Collection("container")
        self.known = {"container": self.containers}
        one = "/containers/{}"
        self.routes = [
            ("POST", "/containers", lambda request: self.make(request.json).value),
            ("GET", "/containers", self.list),
            ("GET", one, lambda request, id: self.containers.get(id).value),
            ("DELETE", one, self.delete),
            ("POST", f"{one}/files", self.add_file),
            ("GET", f"{one}/files", lambda request, id: self._files(id).page(request)),
            ("GET", f"{one}/files/{{}}", self.file),
            ("GET", f"{one}/files/{{}}/content", self.content),
            ("DELETE", f"{one}/files/{{}}", self.delete_file),
        ]

    def make(self, body):
        value = {"id": self._account.id("cntr_"), "object": "container", "status": "running"}
        value |= {"name": body.get("name"), "memory_limit": body.get("memory_limit", "1g")}
        kept = self.containers.add(value, files=Collection("container file"))
        for file in body.get("file_ids") or []:
            self.keep_file(kept.id, self._account.files.files.get(file).content)
        return kept

    def keep_file(self, id, content):
        value = {"id": self._account.id("cfile_"), "object": "container.file"}
        value |= {"container_id": id, "bytes": len(content), "path": "/mnt/data/x"}
        return self._files(id).add(value, content)

    def list(self, request):
        name = request.parameters.get("name")

        def suits(kept):
            return name in (None, kept.value["name"])

        return self.containers.page(request, suits=suits)

    def delete(self, request, id):
        self.containers.remove(id)
        return deleted(id, "container.deleted")

    def add_file(self, request, id):
        form = request.form if request.is_form else request.json
        if "file" in form:
            return self.keep_file(id, form["file"]).value
        file = form["file_id"].decode() if request.is_form else form["file_id"]
        self._account.look_up({"file_id": file})
        return self.keep_file(id, self._account.files.files.get(file).content).value

    def file(self, request, id, file):
        return self._files(id).get(file).value

    def content(self, request, id, file):
        return self._files(id).get(file).content

    def delete_file(self, request, id, file):
        self._files(id).remove(file)
        return deleted(file, "container.file.deleted")

    def _files(self, id):
        return self.containers.get(id).parts["files"]
