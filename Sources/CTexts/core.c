#include "embed.h"

static const struct Text texts[] = {
    TEXT("app.js")
#embed "../DrawbridgePageRuntime/Script/app.js"
    END
    TEXT("ask.css")
#embed "../DrawbridgePageRuntime/Asking/ask.css"
    END
    TEXT("ask.js")
#embed "../DrawbridgePageRuntime/Asking/ask.js"
    END
    TEXT("asking.js")
#embed "../DrawbridgePageRuntime/Script/asking.js"
    END
    TEXT("bridges.js")
#embed "../DrawbridgePageRuntime/Script/bridges.js"
    END
    TEXT("calls.js")
#embed "../DrawbridgePageRuntime/Script/calls.js"
    END
    TEXT("channel.js")
#embed "../DrawbridgePageRuntime/Script/channel.js"
    END
    TEXT("commands.js")
#embed "../DrawbridgePageRuntime/Script/commands.js"
    END
    TEXT("faults.js")
#embed "../DrawbridgePageRuntime/Script/faults.js"
    END
    TEXT("frames.js")
#embed "../DrawbridgePageRuntime/Script/frames.js"
    END
    TEXT("globals.js")
#embed "../DrawbridgePageRuntime/Script/globals.js"
    END
    TEXT("inject.js")
#embed "../DrawbridgePageRuntime/Script/inject.js"
    END
    TEXT("interface.js")
#embed "../DrawbridgePageRuntime/Script/interface.js"
    END
    TEXT("messages.js")
#embed "../DrawbridgePageRuntime/Script/messages.js"
    END
    TEXT("names.js")
#embed "../DrawbridgePageRuntime/Script/names.js"
    END
    TEXT("native.js")
#embed "../DrawbridgePageRuntime/Script/native.js"
    END
    TEXT("pristine.js")
#embed "../DrawbridgePageRuntime/Script/pristine.js"
    END
    TEXT("queue.js")
#embed "../DrawbridgePageRuntime/Script/queue.js"
    END
    TEXT("shortcuts.js")
#embed "../DrawbridgePageRuntime/Script/shortcuts.js"
    END
    TEXT("urls.js")
#embed "../DrawbridgePageRuntime/Script/urls.js"
    END
    TEXT("wvjb.js")
#embed "../DrawbridgePageRuntime/Script/wvjb.js"
    END
    TEXT("leave.js")
#embed "../DrawbridgePageRuntime/Worker/leave.js"
    END
    TEXT("worker.js")
#embed "../DrawbridgePageRuntime/Worker/worker.js"
    END
    TEXT("enter.js")
#embed "../Drawbridge/Endpoints/enter.js"
    END
    TEXT("tester-api.openapi.json")
#embed "../Drawbridge/Journal/tester-api.openapi.json"
    END
    {0, 0},
};

const struct Text *core_texts(void) { return texts; }
