#include "embed.h"

static const struct Text texts[] = {
    TEXT("android")
#embed "../Drawbridge/PageRuntime/Bridges/android.js"
    END
    TEXT("capacitor")
#embed "../Drawbridge/PageRuntime/Bridges/capacitor.js"
    END
    TEXT("cordova")
#embed "../Drawbridge/PageRuntime/Bridges/cordova.js"
    END
    TEXT("dsbridge")
#embed "../Drawbridge/PageRuntime/Bridges/dsbridge.js"
    END
    TEXT("flutter")
#embed "../Drawbridge/PageRuntime/Bridges/flutter.js"
    END
    TEXT("jsbridge-android")
#embed "../Drawbridge/PageRuntime/Bridges/jsbridge-android.js"
    END
    TEXT("kkjsbridge")
#embed "../Drawbridge/PageRuntime/Bridges/kkjsbridge.js"
    END
    TEXT("object")
#embed "../Drawbridge/PageRuntime/Bridges/object.js"
    END
    TEXT("reactnative")
#embed "../Drawbridge/PageRuntime/Bridges/reactnative.js"
    END
    TEXT("webviewjavascriptbridge")
#embed "../Drawbridge/PageRuntime/Bridges/webviewjavascriptbridge.js"
    END
    {0, 0},
};

const struct Text *bridge_texts(void) { return texts; }
