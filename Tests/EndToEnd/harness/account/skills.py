"""Skills, and their versions."""

from .kept import Collection, deleted


class Skills:
    def __init__(self, account):
        self._account = account
        self.skills = Collection("skill")
        self.known = {"skill": self.skills}
        one = "/skills/{}"
        version = f"{one}/versions/{{}}"
        self.routes = [
            ("POST", "/skills", self.make),
            ("GET", "/skills", lambda request: self.skills.page(request)),
            ("GET", one, lambda request, id: self.skills.get(id).value),
            ("POST", one, self.update),
            ("DELETE", one, self.delete),
            ("GET", f"{one}/content", lambda request, id: self.skills.get(id).content),
            ("POST", f"{one}/versions", self.add_version),
            ("GET", f"{one}/versions", lambda request, id: self._versions(id).page(request)),
            ("GET", version, lambda request, id, version: self._version(id, version).value),
            ("GET", f"{version}/content", self.version_content),
            ("DELETE", version, self.delete_version),
        ]

    def make(self, request):
        value = {"id": self._account.id("skill_"), "object": "skill", "name": "x"}
        value |= {"default_version": "1", "latest_version": "1"}
        content = request.form_parts[0][1]
        kept = self.skills.add(value, content, versions=Collection("version"))
        self._keep_version(kept.id, content)
        return value

    def _keep_version(self, id, content):
        number = str(len(self._versions(id)) + 1)
        value = {"id": self._account.id("skillver_"), "object": "skill.version"}
        value |= {"skill_id": id, "version": number}
        self.skills.get(id).value["latest_version"] = number
        return self._versions(id).add(value, content)

    def update(self, request, id):
        kept = self.skills.get(id)
        kept.value["default_version"] = request.json["default_version"]
        return kept.value

    def delete(self, request, id):
        self.skills.remove(id)
        return deleted(id, "skill.deleted")

    def add_version(self, request, id):
        return self._keep_version(id, request.form_parts[0][1]).value

    def version_content(self, request, id, version):
        return self._version(id, version).content

    def delete_version(self, request, id, version):
        self._versions(id).remove(self._version(id, version).id)
        return {**deleted(id, "skill.version.deleted"), "version": version}

    def _versions(self, id):
        return self.skills.get(id).parts["versions"]

    def _version(self, id, number):
        versions = self._versions(id)
        for kept in versions:
            if kept.value["version"] == number:
                return kept
        return versions.get(number)
