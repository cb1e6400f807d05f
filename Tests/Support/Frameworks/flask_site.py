"""The same site on Flask with Flask-WTF: flask_site.py PORT"""

import sys
from wsgiref.simple_server import make_server

import flask
from flask_wtf.csrf import CSRFProtect, generate_csrf

import pages

app = flask.Flask(__name__)
app.config.update(SECRET_KEY="only for tests", SESSION_COOKIE_SAMESITE="Lax")
CSRFProtect(app)


@app.get("/")
def index():
    token = f'<input type=hidden name=csrf_token value="{generate_csrf()}">'
    return pages.index(flask.session.get("user"), flask.session.get("notes", []), token)


@app.post("/login")
def login():
    flask.session["user"] = flask.request.form["user"]
    return flask.redirect(flask.url_for("index", _external=True))


@app.post("/note")
def note():
    # What frameworks do that compare the names which a request says, such as SvelteKit and Spring.
    origin = flask.request.headers.get("Origin")
    if origin != f"{flask.request.scheme}://{flask.request.host}":
        return f"a form of {origin} is not taken by {flask.request.host}", 403
    flask.session["notes"] = flask.session.get("notes", []) + [flask.request.form["note"]]
    return flask.redirect("/")


@app.post("/logout")
def logout():
    flask.session.clear()
    answer = flask.redirect("/")
    answer.headers["Clear-Site-Data"] = '"cache"'
    return answer


@app.get("/style.css")
def style():
    return flask.Response(pages.STYLE, mimetype="text/css")


if __name__ == "__main__":
    server = make_server("127.0.0.1", int(sys.argv[1]), app)
    print("ready", flush=True)
    server.serve_forever()
