"""Echoes what comes by WebSockets, with two subprotocols: python3 echo-server.py"""
import asyncio

import websockets


async def echo(socket):
    async for message in socket:
        await socket.send(message)


async def main():
    protocols = ["chat", "superchat"]
    async with websockets.serve(echo, "127.0.0.1", 0, subprotocols=protocols, max_size=None) as server:
        print(f"listening on http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await asyncio.Future()


asyncio.run(main())
