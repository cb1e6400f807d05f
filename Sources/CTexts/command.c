#include "embed.h"

static const struct Text texts[] = {
    TEXT("options.json")
#embed "../DrawbridgeCommand/Settings/options.json"
    END
    TEXT("names.txt")
#embed "../DrawbridgeCommand/Init/names.txt"
    END
    TEXT("mine.js")
#embed "../DrawbridgeCommand/Init/mine.js"
    END
    TEXT("manual.html")
#embed "../DrawbridgeCommand/Manual/manual.html"
    END
    TEXT("welcome.html")
#embed "../DrawbridgeCommand/Welcome/welcome.html"
    END
    TEXT("welcome.css")
#embed "../DrawbridgeCommand/Welcome/welcome.css"
    END
    TEXT("welcome.js")
#embed "../DrawbridgeCommand/Welcome/welcome.js"
    END
    TEXT("welcome.json")
#embed "../DrawbridgeCommand/Welcome/welcome.json"
    END
    TEXT("shop.html")
#embed "../../examples/shop/index.html"
    END
    TEXT("shop.css")
#embed "../../examples/shop/shop.css"
    END
    TEXT("shop.js")
#embed "../../examples/shop/shop.js"
    END
    TEXT("shop.json")
#embed "../../examples/shop/drawbridge.json"
    END
    {0, 0},
};

const struct Text *command_texts(void) { return texts; }
