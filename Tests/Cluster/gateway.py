"""Forwards TCP connections of servers to databases, and blocks or delays their data on request.

Usage: gateway.py CONTROL-PORT SERVER:PORT:TARGET-PORT...

Each argument names a server, the port to which it connects, and the port of the database on this machine.

A line `MODE SERVER...` to the control port sets what happens to the data of these servers' connections. MODE is
`pass`, `block`, or a number of seconds by which data from the servers to the databases is delayed. A blocked connection
stays open, as it does when a network drops packets. The response is `+`.
"""

import asyncio
import contextlib
import sys

modes = {}
changed = asyncio.Event()


async def forward(server, reader, writer, is_delayed):
    """Copies data from the reader to the writer until one side closes its connection."""
    queue = asyncio.Queue(100)
    loop = asyncio.get_running_loop()

    async def receive():
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                delay = modes[server] if is_delayed and isinstance(modes[server], float) else 0
                await queue.put((loop.time() + delay, data))
        # Marks the end of the data.
        await queue.put((0, b""))

    receiving = asyncio.ensure_future(receive())
    try:
        while True:
            due, data = await queue.get()
            await asyncio.sleep(due - loop.time())
            while modes[server] == "block":
                await changed.wait()
            if not data:
                break
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        receiving.cancel()
        writer.close()


async def main():
    control, *words = sys.argv[1:]

    def acceptor(server, target):
        async def accept(reader, writer):
            while modes[server] == "block":
                await changed.wait()
            try:
                backward, onward = await asyncio.open_connection("127.0.0.1", target)
            except OSError:
                writer.close()
                return
            await asyncio.gather(
                forward(server, reader, onward, is_delayed=True), forward(server, backward, writer, is_delayed=False))
        return accept

    async def command(reader, writer):
        mode, *servers = (await reader.readline()).decode().split()
        for server in servers:
            modes[server] = mode if mode in ("pass", "block") else float(mode)
        # Wakes the tasks that wait for a change.
        changed.set()
        changed.clear()
        writer.write(b"+")
        writer.close()

    for word in words:
        server, port, target = word.split(":")
        modes[server] = "pass"
        await asyncio.start_server(acceptor(server, int(target)), "127.0.0.1", int(port))
    control_server = await asyncio.start_server(command, "127.0.0.1", int(control))
    await control_server.serve_forever()


asyncio.run(main())
