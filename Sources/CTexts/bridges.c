#include "embed.h"

static const struct Text texts[] = {
    TEXT("android")
#embed "../DrawbridgePageRuntime/Bridges/android.js"
    END
    TEXT("capacitor")
#embed "../DrawbridgePageRuntime/Bridges/capacitor.js"
    END
    TEXT("cordova")
#embed "../DrawbridgePageRuntime/Bridges/cordova.js"
    END
    TEXT("dsbridge")
#embed "../DrawbridgePageRuntime/Bridges/dsbridge.js"
    END
    TEXT("flutter")
#embed "../DrawbridgePageRuntime/Bridges/flutter.js"
    END
    TEXT("jsbridge-android")
#embed "../DrawbridgePageRuntime/Bridges/jsbridge-android.js"
    END
    TEXT("kerkee")
#embed "../DrawbridgePageRuntime/Bridges/kerkee.js"
    END
    TEXT("kkjsbridge")
#embed "../DrawbridgePageRuntime/Bridges/kkjsbridge.js"
    END
    TEXT("object")
#embed "../DrawbridgePageRuntime/Bridges/object.js"
    END
    TEXT("prompt")
#embed "../DrawbridgePageRuntime/Bridges/prompt.js"
    END
    TEXT("reactnative")
#embed "../DrawbridgePageRuntime/Bridges/reactnative.js"
    END
    TEXT("tauri")
#embed "../DrawbridgePageRuntime/Bridges/tauri.js"
    END
    TEXT("webviewjavascriptbridge")
#embed "../DrawbridgePageRuntime/Bridges/webviewjavascriptbridge.js"
    END
    TEXT("wkwebviewjavascriptbridge")
#embed "../DrawbridgePageRuntime/Bridges/wkwebviewjavascriptbridge.js"
    END
    {0, 0},
};

const struct Text *bridge_texts(void) { return texts; }
