"""Files, and uploads in parts."""

from .faults import Fault
from .kept import Collection, deleted


class Files:
    def __init__(self, account):
        self._account = account
        self.files = Collection("file")
        self.uploads = Collection("upload")
        self.parts = Collection("part")
        self.known = {"file": self.files, "upload": self.uploads, "part": self.parts}
        self.routes = [
            ("POST", "/files", self.upload),
            ("GET", "/files", self.list),
            ("GET", "/files/{}", lambda request, file: self.files.get(file).value),
            ("GET", "/files/{}/content", lambda request, file: self.files.get(file).content),
            ("DELETE", "/files/{}", self.delete),
            ("POST", "/uploads", self.begin),
            ("POST", "/uploads/{}/parts", self.add_part),
            ("POST", "/uploads/{}/complete", self.complete),
            ("POST", "/uploads/{}/cancel", self.cancel),
        ]

    def add(self, content, purpose, name="file.txt"):
        value = {"id": self._account.id("file-"), "object": "file", "purpose": purpose}
        value |= {"bytes": len(content), "filename": name, "status": "processed"}
        return self.files.add(value, content)

    def upload(self, request):
        form = request.form
        return self.add(form["file"], form["purpose"].decode()).value

    def list(self, request):
        purpose = request.parameters.get("purpose")

        def suits(kept):
            return purpose in (None, kept.value["purpose"])

        return self.files.page(request, 10_000, 10_000, suits)

    def delete(self, request, file):
        self.files.remove(file)
        return deleted(file, "file")

    def begin(self, request):
        body = request.json
        value = {"id": self._account.id("upload_"), "object": "upload", "status": "pending"}
        value |= {"purpose": body["purpose"], "filename": body["filename"], "file": None}
        return self.uploads.add({**value, "bytes": body["bytes"]}).value

    def add_part(self, request, upload):
        self.uploads.get(upload)
        value = {"id": self._account.id("part_"), "object": "upload.part", "upload_id": upload}
        return self.parts.add(value, request.form["data"]).value

    def complete(self, request, upload):
        kept = self._pending(upload)
        parts = [self.parts.get(id).content for id in request.json["part_ids"]]
        file = self.add(b"".join(parts), kept.value["purpose"], kept.value["filename"])
        kept.value |= {"status": "completed", "file": file.value}
        return kept.value

    def cancel(self, request, upload):
        kept = self._pending(upload)
        kept.value["status"] = "cancelled"
        return kept.value

    def _pending(self, upload):
        kept = self.uploads.get(upload)
        if kept.value["status"] != "pending":
            raise Fault(400, f"The upload is {kept.value['status']}.")
        return kept
