"""Videos, and the characters in them."""

from .kept import Collection, deleted


class Videos:
    def __init__(self, account):
        self._account = account
        self.videos = Collection("video")
        self.characters = Collection("character")
        self.known = {"video": self.videos}
        self.routes = [
            ("POST", "/videos", lambda request: self._add("video_", None)),
            ("GET", "/videos", lambda request: self.videos.page(request)),
            ("POST", "/videos/edits", self.again),
            ("POST", "/videos/extensions", self.again),
            ("POST", "/videos/characters", self.make_character),
            ("GET", "/videos/characters/{}", self.character),
            ("GET", "/videos/{}", lambda request, id: self.videos.get(id).value),
            ("GET", "/videos/{}/content", lambda request, id: self.videos.get(id).content),
            ("POST", "/videos/{}/remix", self.remix),
            ("DELETE", "/videos/{}", self.delete),
        ]

    def _add(self, prefix, origin):
        value = {"id": self._account.id(prefix), "object": "video", "status": "completed"}
        return self.videos.add({**value, "remixed_from_video_id": origin}, b"frames").value

    def again(self, request):
        return self._add("video_", request.json["video"]["id"])

    def remix(self, request, id):
        return self._add("video_", self.videos.get(id).id)

    def make_character(self, request):
        value = {"id": self._account.id("char_"), "object": "video.character", "name": "x"}
        return self.characters.add(value).value

    def character(self, request, id):
        return self.characters.get(id).value

    def delete(self, request, id):
        self.videos.remove(id)
        return deleted(id, "video.deleted")
