"""Images, which are made from pictures that requests name or carry."""


class Images:
    def __init__(self, account):
        self._account = account
        self.known = {}
        self.routes = [("POST", "/images/edits", self.edit)]

    def edit(self, request):
        details = {"text_tokens": 1, "image_tokens": 1}
        usage = {"input_tokens": 2, "input_tokens_details": details, "output_tokens": 1}
        data = [{"b64_json": "AAAA"}]
        return {"created": 1, "data": data, "usage": {**usage, "total_tokens": 3}}
