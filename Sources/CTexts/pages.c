#include "embed.h"

static const struct Text texts[] = {
    TEXT("android.html")
#embed "../../examples/pages/android.html"
    END
    TEXT("capacitor.html")
#embed "../../examples/pages/capacitor.html"
    END
    TEXT("cordova.html")
#embed "../../examples/pages/cordova.html"
    END
    TEXT("dsbridge.html")
#embed "../../examples/pages/dsbridge.html"
    END
    TEXT("everything.html")
#embed "../../examples/pages/everything.html"
    END
    TEXT("flutter.html")
#embed "../../examples/pages/flutter.html"
    END
    TEXT("functions.html")
#embed "../../examples/pages/functions.html"
    END
    TEXT("index.html")
#embed "../../examples/pages/index.html"
    END
    TEXT("jsbridge-android.html")
#embed "../../examples/pages/jsbridge-android.html"
    END
    TEXT("jsbridge.html")
#embed "../../examples/pages/jsbridge.html"
    END
    TEXT("kerkee.html")
#embed "../../examples/pages/kerkee.html"
    END
    TEXT("kkjsbridge.html")
#embed "../../examples/pages/kkjsbridge.html"
    END
    TEXT("messages.html")
#embed "../../examples/pages/messages.html"
    END
    TEXT("prompt.html")
#embed "../../examples/pages/prompt.html"
    END
    TEXT("queue.html")
#embed "../../examples/pages/queue.html"
    END
    TEXT("reactnative.html")
#embed "../../examples/pages/reactnative.html"
    END
    TEXT("settings.json")
#embed "../../examples/pages/settings.json"
    END
    TEXT("shortcuts.html")
#embed "../../examples/pages/shortcuts.html"
    END
    TEXT("show.js")
#embed "../../examples/pages/show.js"
    END
    TEXT("style.css")
#embed "../../examples/pages/style.css"
    END
    TEXT("tauri.html")
#embed "../../examples/pages/tauri.html"
    END
    TEXT("wechat.html")
#embed "../../examples/pages/wechat.html"
    END
    TEXT("wkwebviewjavascriptbridge.html")
#embed "../../examples/pages/wkwebviewjavascriptbridge.html"
    END
    TEXT("wvjb.html")
#embed "../../examples/pages/wvjb.html"
    END
    {0, 0},
};

const struct Text *page_texts(void) { return texts; }
