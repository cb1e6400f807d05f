"""The command, started with a file, and a page that it takes for one of a browser's."""

import asyncio
import json
import os
import re
import secrets
import subprocess
import tempfile
import threading
from http.client import HTTPConnection
from pathlib import Path

import websockets


class Gateway:
    """The command on a port of its own, with a token that is known."""

    token = "tester-api-" + "0" * 32

    def __init__(self, program, file, *flags):
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "settings.json"
        self.file.write_text(json.dumps(file))
        # Neither a token nor what storage keeps is taken from, or left in, the home of whoever runs this.
        environment = {**os.environ, "XDG_STATE_HOME": self.folder.name, "DRAWBRIDGE_TOKEN": self.token,
                       "DRAWBRIDGE_SECRET": "tester-api-" + "1" * 32}
        self.process = subprocess.Popen(
            [Path(program).resolve(), "-p", "0", "--lan", "--no-open", "--built-ins", "--drain", "60", "-c",
             "settings.json", *flags],
            cwd=self.folder.name, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                break
        else:
            raise SystemExit("the command does not start: " + "".join(self.said))
        threading.Thread(target=lambda: self.said.extend(self.process.stdout), daemon=True).start()

    def connect(self):
        return HTTPConnection("127.0.0.1", self.port, timeout=60)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.folder.cleanup()


class Page:
    """An open page: it speaks the channel's protocol, and answers what it is asked."""

    def __init__(self, gateway, session=None, id=None, life=1):
        self.gateway, self.id, self.life, self.sent = gateway, id or secrets.token_hex(16), life, 0
        self.heard = []
        connection = gateway.connect()
        connection.request("GET", "/__drawbridge__/token", headers={"X-Drawbridge-Page": self.id})
        said = json.loads(connection.getresponse().read())
        self.greeting = {
            "page": self.id, "life": self.life, "n": 0, "received": 0, "epoch": said["epoch"], "title": "Cart",
            "url": f"http://127.0.0.1:{gateway.port}/cart", "bridges": ["wvjb"],
            **({"session": session} if session else {}),
        }
        self.protocols = ["drawbridge", "token." + said["token"]]
        self.loop = asyncio.new_event_loop()
        self.isOpen = threading.Event()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self.live(), self.loop)
        if not self.isOpen.wait(20):
            raise SystemExit("a page finds no channel")

    async def live(self):
        origin = f"http://127.0.0.1:{self.gateway.port}"
        self.channel = await websockets.connect(
            origin.replace("http", "ws") + "/__drawbridge__/channel", subprotocols=self.protocols, origin=origin,
            max_size=None, user_agent_header="Mozilla/5.0",
        )
        await self.channel.send(json.dumps({"hello": self.greeting}))
        try:
            async for text in self.channel:
                said = json.loads(text)
                if "welcome" in said:
                    self.isOpen.set()
                for number, message in said.get("down", []):
                    await self.channel.send(json.dumps({"life": self.life, "ack": number}))
                    self.heard.append(message)
                    if "id" in message:
                        await self.answer(message)
        except websockets.ConnectionClosed:
            pass

    async def answer(self, message):
        asked = message.get("call", message.get("evaluate"))
        answers = {
            "document.title": {"value": "Cart"},
            "share": {"value": {"shared": True}},
            "same": {"value": message.get("data")},
            "fails": {"error": {"code": 500, "message": "it threw"}},
        }
        # An event, or a call for which nobody waits, is confirmed before anything else.
        if "has" in message:
            await self.up({"result": message["id"], "value": message["has"] in answers})
        if "event" in message or message.get("hears"):
            await self.up({"result": message["id"]})
        if asked in answers:
            told = "told" if message.get("hears") else "result"
            await self.up({told: message["id"], **answers[asked]})

    async def up(self, *messages):
        numbered = []
        for message in messages:
            self.sent += 1
            numbered.append([self.sent, message])
        await self.channel.send(json.dumps({"life": self.life, "up": numbered}))

    def say(self, *messages):
        asyncio.run_coroutine_threadsafe(self.up(*messages), self.loop).result(20)

    def leave(self):
        """Says that it goes; for a moment it is there still."""
        bye = json.dumps({"life": self.life, "bye": True})
        asyncio.run_coroutine_threadsafe(self.channel.send(bye), self.loop).result(20)

    def sleep(self):
        """Loses its connection."""
        asyncio.run_coroutine_threadsafe(self.channel.close(), self.loop).result(20)
