"""Vector stores, their files, and batches of these."""

from .kept import Collection, deleted


class VectorStores:
    def __init__(self, account):
        self._account = account
        self.stores = Collection("vector store")
        self.known = {"vector store": self.stores}
        one = "/vector_stores/{}"
        file, batch = f"{one}/files/{{}}", f"{one}/file_batches/{{}}"
        self.routes = [
            ("POST", "/vector_stores", self.make),
            ("GET", "/vector_stores", lambda request: self.stores.page(request)),
            ("GET", one, lambda request, id: self.stores.get(id).value),
            ("POST", one, self.update),
            ("DELETE", one, self.delete),
            ("POST", f"{one}/search", self.search),
            ("POST", f"{one}/files", self.add_file),
            ("GET", f"{one}/files", lambda request, id: self._files(id).page(request)),
            ("GET", file, lambda request, id, file: self._files(id).get(file).value),
            ("GET", f"{file}/content", self.content),
            ("POST", file, self.update_file),
            ("DELETE", file, self.delete_file),
            ("POST", f"{one}/file_batches", self.add_batch),
            ("GET", batch, lambda request, id, batch: self._batches(id).get(batch).value),
            ("GET", f"{batch}/files", self.batch_files),
            ("POST", f"{batch}/cancel", self.cancel_batch),
        ]

    def make(self, request):
        body = request.json
        value = {"id": self._account.id("vs_"), "object": "vector_store"}
        value |= {"name": body.get("name"), "status": "completed"}
        parts = {"files": Collection("vector store file"), "batches": Collection("file batch")}
        kept = self.stores.add(value, **parts)
        for file in body.get("file_ids") or []:
            self._keep_file(kept.id, file)
        return value

    def _keep_file(self, id, file):
        files = self._files(id)
        if file in files:
            return files.get(file)
        content = self._account.files.files.get(file).content
        value = {"id": file, "object": "vector_store.file", "vector_store_id": id}
        return files.add({**value, "status": "completed", "attributes": {}}, content)

    def update(self, request, id):
        kept = self.stores.get(id)
        kept.value["name"] = request.json.get("name")
        return kept.value

    def delete(self, request, id):
        self.stores.remove(id)
        return deleted(id, "vector_store.deleted")

    def search(self, request, id):
        found = [
            {"file_id": file.id, "filename": "x", "score": 1.0, "content": []}
            for file in self._files(id)
        ]
        page = {"object": "vector_store.search_results.page", "data": found}
        return {**page, "search_query": request.json["query"], "has_more": False}

    def add_file(self, request, id):
        self.stores.get(id)
        return self._keep_file(id, request.json["file_id"]).value

    def content(self, request, id, file):
        text = self._files(id).get(file).content.decode(errors="replace")
        data = [{"type": "text", "text": text}]
        return {"object": "vector_store.file_content.page", "data": data, "has_more": False}

    def update_file(self, request, id, file):
        kept = self._files(id).get(file)
        kept.value["attributes"] = request.json["attributes"]
        return kept.value

    def delete_file(self, request, id, file):
        self._files(id).remove(file)
        return deleted(file, "vector_store.file.deleted")

    def add_batch(self, request, id):
        self.stores.get(id)
        body = request.json
        ids = body.get("file_ids") or [each["file_id"] for each in body["files"]]
        files = Collection("vector store file")
        for file in ids:
            files.add(dict(self._keep_file(id, file).value))
        value = {"id": self._account.id("vsfb_"), "object": "vector_store.files_batch"}
        value |= {"vector_store_id": id, "status": "completed"}
        return self._batches(id).add(value, files=files).value

    def batch_files(self, request, id, batch):
        return self._batches(id).get(batch).parts["files"].page(request)

    def cancel_batch(self, request, id, batch):
        return self._batches(id).get(batch).value

    def _files(self, id):
        return self.stores.get(id).parts["files"]

    def _batches(self, id):
        return self.stores.get(id).parts["batches"]
