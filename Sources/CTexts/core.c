#include "embed.h"

static const struct Text texts[] = {
    TEXT("bridges.js")
#embed "../Drawbridge/PageRuntime/Script/bridges.js"
    END
    TEXT("calls.js")
#embed "../Drawbridge/PageRuntime/Script/calls.js"
    END
    TEXT("channel.js")
#embed "../Drawbridge/PageRuntime/Script/channel.js"
    END
    TEXT("commands.js")
#embed "../Drawbridge/PageRuntime/Script/commands.js"
    END
    TEXT("faults.js")
#embed "../Drawbridge/PageRuntime/Script/faults.js"
    END
    TEXT("frames.js")
#embed "../Drawbridge/PageRuntime/Script/frames.js"
    END
    TEXT("globals.js")
#embed "../Drawbridge/PageRuntime/Script/globals.js"
    END
    TEXT("inject.js")
#embed "../Drawbridge/PageRuntime/Script/inject.js"
    END
    TEXT("interface.js")
#embed "../Drawbridge/PageRuntime/Script/interface.js"
    END
    TEXT("messages.js")
#embed "../Drawbridge/PageRuntime/Script/messages.js"
    END
    TEXT("names.js")
#embed "../Drawbridge/PageRuntime/Script/names.js"
    END
    TEXT("native.js")
#embed "../Drawbridge/PageRuntime/Script/native.js"
    END
    TEXT("pristine.js")
#embed "../Drawbridge/PageRuntime/Script/pristine.js"
    END
    TEXT("queue.js")
#embed "../Drawbridge/PageRuntime/Script/queue.js"
    END
    TEXT("shortcuts.js")
#embed "../Drawbridge/PageRuntime/Script/shortcuts.js"
    END
    TEXT("urls.js")
#embed "../Drawbridge/PageRuntime/Script/urls.js"
    END
    TEXT("wvjb.js")
#embed "../Drawbridge/PageRuntime/Script/wvjb.js"
    END
    TEXT("leave.js")
#embed "../Drawbridge/PageRuntime/Worker/leave.js"
    END
    TEXT("worker.js")
#embed "../Drawbridge/PageRuntime/Worker/worker.js"
    END
    TEXT("drawbridge.schema.json")
#embed "../DrawbridgeMocks/Replies/drawbridge.schema.json"
    END
    TEXT("tester-api.openapi.json")
#embed "../Drawbridge/Journal/tester-api.openapi.json"
    END
    {0, 0},
};

const struct Text *core_texts(void) { return texts; }
