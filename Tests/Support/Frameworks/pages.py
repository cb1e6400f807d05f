"""The page of the sites, which signs in, writes a note, and signs out, by forms alone."""

from html import escape

STYLE = "p { color: rgb(1, 2, 3); }\n"


def index(user, notes, token):
    head = "<!doctype html><meta charset=utf-8><title>notes</title><link rel=stylesheet href=/style.css>"
    if not user:
        return f'{head}<p id=user>nobody</p><form method=post action=/login>{token}<input name=user><button id=go>sign in</button></form>'
    listed = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return (
        f'{head}<p id=user>{escape(user)}</p><ul id=notes>{listed}</ul>'
        f'<form method=post action=/note>{token}<input name=note><button id=add>add</button></form>'
        f'<form method=post action=/logout>{token}<button id=out>sign out</button></form>')
