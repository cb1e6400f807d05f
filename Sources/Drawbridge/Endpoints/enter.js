(function () {
    "use strict";
    var say = document.getElementById("say");
    var ticket = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    // Another link, opened in the same tab.
    addEventListener("hashchange", function () { location.reload(); });
    if (!ticket) {
        say.textContent = "Something is missing. Open the whole link, with everything after the # sign.";
        return;
    }
    fetch(location.pathname, { method: "POST", body: ticket, cache: "no-store" }).then(function (answer) {
        if (answer.ok) {
            location.replace("/");
        } else {
            say.textContent = "This link is not valid any more: a link lasts ten minutes. Ask for a new one.";
        }
    }, function () {
        say.textContent = "No answer. Check that this device is on the same network, and open the link again.";
    });
})();
