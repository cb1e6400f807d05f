"""A site on Django, whose forms are taken from its own pages alone: django_site.py PORT"""

import sys
from wsgiref.simple_server import make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.urls import path

import pages

settings.configure(
    SECRET_KEY="only for tests", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies", SECURE_CROSS_ORIGIN_OPENER_POLICY="same-origin",
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware", "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ])


def index(request):
    token = f'<input type=hidden name=csrfmiddlewaretoken value="{get_token(request)}">'
    return HttpResponse(pages.index(request.session.get("user"), request.session.get("notes", []), token))


def login(request):
    request.session["user"] = request.POST["user"]
    # As redirects of many frameworks: a whole address.
    return HttpResponseRedirect(request.build_absolute_uri("/"))


def note(request):
    request.session["notes"] = request.session.get("notes", []) + [request.POST["note"]]
    return HttpResponseRedirect("/")


def logout(request):
    request.session.flush()
    return HttpResponseRedirect("/")


def style(request):
    return HttpResponse(pages.STYLE, content_type="text/css")


urlpatterns = [
    path("", index), path("login", login), path("note", note), path("logout", logout), path("style.css", style),
]

if __name__ == "__main__":
    server = make_server("127.0.0.1", int(sys.argv[1]), get_wsgi_application())
    print("ready", flush=True)
    server.serve_forever()
