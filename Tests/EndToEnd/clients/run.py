"""Takes steps with a client, and prints what each gives as a line of JSON.

It runs by the Python that has the clients, with the base URL and the key in the environment."""

import importlib
import json
import sys

client = importlib.import_module(f"{sys.argv[1]}_client")
for step in sys.argv[2:]:
    print(json.dumps({step: getattr(client, step)()}))
