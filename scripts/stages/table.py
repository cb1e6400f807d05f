"""The stages of `scripts/test`, in rows of lanes: one row after the other, its lanes at the same time."""

import os
import shutil
from pathlib import Path

from stage import Command, Stage, Tests

ALONE = (("DRAWBRIDGE_ALONE", "1"),)
LONG = (("DRAWBRIDGE_ALL", "1"),)

# Suites of the engine that wait for deadlines: they sleep, and judge no memory.
DEADLINES = r"^MicroHTTPDTests\.Deadlines/"
# The targets whose tests have a stage of their own.
APART = r"^(MicroHTTPDTests|HostileTests|UpstreamTests|RealUpstreamTests|CommandProgramTests|ExamplesTests|NotesTests|OrdersTests|BrowserTests)\."
# What starts browsers, or the clients of testers, for each of its cases.
CLIENTS = r"^ExamplesTests\.(BridgeExampleTests|AwkwardCallTests)/"
INSPECTOR = r"^BrowserTests\.Inspector"
# The half of the pages that takes as long as the other.
BRIDGES = r"^BrowserTests\.(Bridge|Outcome|Outside|Replied)"


def tests_at_once(filter, skip=(), **more): return Tests(filter, skip, at_once=True, **more)


def script(name, *arguments): return Command((f"scripts/{name}", *arguments))


FORMAT = Stage("format", "format, what scripts/house counts, whether a red test is seen, and the workflows", (
    Command(("bash", "-c", "git ls-files '*.swift' | xargs swift format lint --strict")),
    script("house"), script("stages/check"), Command(("clients/generate", "--check")), script("stages/workflows")),
    ("workflows",))
BUILD = Stage("build", "build", (
    Command(("swift", "build", "--build-tests")),
    # What is built at the end of --all alone must not be the last to hear of a change.
    script("fuzz", "--check")))

MANUAL = Stage("manual", "the manual, and README's first screen",
               (script("manual", "--check"), script("docs"), script("stages/readme")), ("manual",))
ENGINE = Stage("engine", "the engine, whose tests judge the memory of their process",
               (tests_at_once("^MicroHTTPDTests", (DEADLINES,), environment=ALONE),), ("engine",))
HOSTILE = Stage("hostile", "hostile input and faults",
                (tests_at_once("^HostileTests"),), ("hostile",))
PROGRAMS = Stage("programs", "programs from outside",
                 (Tests("^(CommandProgramTests|ExamplesTests|NotesTests|OrdersTests)", (CLIENTS,)),), ("programs",))
OTHERS = Stage("others", "all other tests",
               (Tests(skip=(APART,)),), ("others",))
PAGES = Stage("pages", "pages that test themselves", (Tests("^BrowserTests", (INSPECTOR, BRIDGES)),), ("pages",), True)
BRIDGE_PAGES = Stage("bridges", "pages of every bridge", (Tests(BRIDGES),), ("pages",), True)
DEADLINE = Stage("deadlines", "deadlines of the engine", (tests_at_once(DEADLINES),), ("engine",))
UPSTREAMS = Stage("upstreams", "servers behind the gateway, one test after the other: they judge the memory of their process",
                  (Tests("^UpstreamTests", environment=ALONE),), ("upstreams",))
SERVERS = Stage("servers", "real servers behind the gateway", (Tests("^RealUpstreamTests"),), ("servers",))

# Where the order does not matter, tests run one after the other in processes beside each other: those of one process
# would begin all at once, and wait for each other within their own limits.
GATE = (
    # It takes SwiftPM's lock, and some programs do.
    ((MANUAL,),),
    ((PROGRAMS,), (ENGINE, HOSTILE, OTHERS)),
    ((PAGES,), (BRIDGE_PAGES,), (UPSTREAMS, SERVERS, DEADLINE)),
)

# A sanitizer sees in the short tests what it would see in the long ones. Reports are suppressed by names of functions,
# which the toolchain's own symbolizer finds on any machine.
SYMBOLIZER = Path(os.path.realpath(shutil.which("swift") or "/")).parent / "llvm-symbolizer"
# The C libraries have no frame pointers, so only slow unwinding finds who asked for memory; a few frames will do.
SEEN = {
    "thread": (("TSAN_OPTIONS", f"halt_on_error=1 suppressions={os.getcwd()}/scripts/tsan.supp "
                                f"external_symbolizer_path={SYMBOLIZER}"),),
    "address": (("ASAN_OPTIONS", "detect_leaks=1:fast_unwind_on_malloc=0:malloc_context_size=6:"
                                 f"external_symbolizer_path={SYMBOLIZER}"),
                ("LSAN_OPTIONS", f"suppressions={os.getcwd()}/scripts/lsan.supp:print_suppressions=0")),
}


def sanitized(name, what, modules, *runs):
    """A stage of the tests in these modules, built with this sanitizer: only they are, since that takes long."""
    built = f".build/{name}"
    environment = SEEN[name] + (("DRAWBRIDGE_TESTS", modules),)
    return Stage(name, what, (
        Command(("swift", "build", "--scratch-path", built, "--sanitize", name, "--build-tests"), environment[-1:]),
        *(Tests(filter, skip, at_once, environment=environment + more, built=built) for filter, skip, at_once, more in runs)),
        ("sanitizers",))


THREAD = sanitized(
    "thread", "core, engine, terminal and upstreams under ThreadSanitizer",
    "MicroHTTPDTests HTTPClientTests UpstreamTests DrawbridgeTests DrawbridgeServerTests DrawbridgeCommandTests "
    "DrawbridgeStoreTests DrawbridgeURLProtocolTests",
    ("^(MicroHTTPDTests|HTTPClientTests)", (), True, ()),
    # BacklogTests move many megabytes and take a minute here, in which all other tests are late.
    ("^(DrawbridgeTests|DrawbridgeServerTests|DrawbridgeCommandTests|DrawbridgeStoreTests|DrawbridgeURLProtocolTests)",
     ("BacklogTests",), False, ()),
    ("^UpstreamTests", (), False, ALONE))
ADDRESS = sanitized(
    "address", "engine and upstreams under AddressSanitizer, with leaks",
    "MicroHTTPDTests HTTPClientTests UpstreamTests DrawbridgeServerTests",
    ("^(MicroHTTPDTests|HTTPClientTests)", (), True, ()),
    ("^(UpstreamTests|DrawbridgeServerTests)", (), False, ()))
FUZZ = script("fuzz", "5")
# Built beside pages, with what those leave of the processor's time: by their scheduling, since the builder undoes nice
# for its compilers.
BUILDS = Stage("builds", "what the sanitizers and made-up input need, beside the pages", tuple(
    Command(("chrt", "--idle", "0", *command.words), command.environment)
    for command in (THREAD.steps[0], ADDRESS.steps[0], script("fuzz", "--build"))))

SLOW = (
    ((
        Stage("clients", "bridges tried in browsers, and what testers write",
              (script("venv", "testing", "examples/testing/requirements.txt"), Tests(CLIENTS)), ("programs",)),
        Stage("inspector", "the inspector in Chromium", (Tests(INSPECTOR),), ("pages",), True),
        Stage("browsers", "the same pages in the other browsers",
              tuple(Tests(*which, environment=LONG + (("DRAWBRIDGE_BROWSERS", browser),))
                    for browser in ("firefox", "webKit")
                    for which in ((BRIDGES,), ("^BrowserTests", (BRIDGES, INSPECTOR)), (INSPECTOR,))),
              ("pages", "browsers"), True),
        Stage("frameworks", "pages of real servers and frameworks behind the gateway",
              (script("frameworks", ".build/debug/drawbridge"),), ("frameworks",), True),
        Stage("shared", "copies of a gateway behind haproxy, which are deployed and killed",
              (script("shared", ".build/debug/drawbridge"),), ("shared",)),
        Stage("notes", "the notes example, copied: a package of somebody else", (script("stages/notes"),)),
        Stage("installed", "the installed command", (script("stages/installed"),), ("installed",)),
        Stage("packages", "the packages for npm and PyPI, installed from their files, with the shop in browsers",
              (script("stages/packages"),), ("packages",), True),
        Stage("schema", "the JSON Schema of settings and replies, which takes and refuses what the command does",
              (script("schema", ".build/debug/drawbridge"),), ("schema",)),
        Stage("tester-api", "the description of the tester's API, which is all that the command answers",
              (script("tester-api", ".build/debug/drawbridge"),), ("schema",)),
        Stage("api", "the public API against the last release", (script("api"),)),
        Stage("fresh", "README's lines and the cheap stages on fresh machines", (script("fresh"),), ("fresh",)),
        Stage("release", "a release, on machines without Swift", (script("stages/release"),), ("release", "released")),
    ), (BUILDS,)),
    ((
        THREAD,
        ADDRESS,
        Stage("soak", "a short soak", (script("soak", "100000"),), ("soak",)),
        Stage("fuzz", "made-up input to the parsers", (FUZZ, script("fuzz", "20", "names"))),
        Stage("fuzz-server", "made-up requests to the gateway", (script("fuzz-server", "20"),), ("fuzz-server",)),
    ),),
)
NAMED = {stage.name: stage for row in GATE + SLOW for lane in row for stage in lane} | {FORMAT.name: FORMAT}


def without_browsers(rows):
    """The rows without the stages that need a browser, and the names of these."""
    left = [stage.name for row in rows for lane in row for stage in lane if stage.in_browsers]
    return tuple(tuple(tuple(s for s in lane if not s.in_browsers) for lane in row) for row in rows), left
