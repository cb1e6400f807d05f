#include "embed.h"

static const struct Text texts[] = {
    TEXT("access.js")
#embed "../DrawbridgeServer/Inspector/Page/access.js"
    END
    TEXT("answer.js")
#embed "../DrawbridgeServer/Inspector/Page/answer.js"
    END
    TEXT("api.js")
#embed "../DrawbridgeServer/Inspector/Page/api.js"
    END
    TEXT("catalogue.js")
#embed "../DrawbridgeServer/Inspector/Page/catalogue.js"
    END
    TEXT("copy.js")
#embed "../DrawbridgeServer/Inspector/Page/copy.js"
    END
    TEXT("detail.js")
#embed "../DrawbridgeServer/Inspector/Page/detail.js"
    END
    TEXT("dom.js")
#embed "../DrawbridgeServer/Inspector/Page/dom.js"
    END
    TEXT("editor.js")
#embed "../DrawbridgeServer/Inspector/Page/editor.js"
    END
    TEXT("facts.js")
#embed "../DrawbridgeServer/Inspector/Page/facts.js"
    END
    TEXT("filter.js")
#embed "../DrawbridgeServer/Inspector/Page/filter.js"
    END
    TEXT("frame.js")
#embed "../DrawbridgeServer/Inspector/Page/frame.js"
    END
    TEXT("icon.svg")
#embed "../DrawbridgeServer/Inspector/Page/icon.svg"
    END
    TEXT("index.html")
#embed "../DrawbridgeServer/Inspector/Page/index.html"
    END
    TEXT("json.js")
#embed "../DrawbridgeServer/Inspector/Page/json.js"
    END
    TEXT("keys.js")
#embed "../DrawbridgeServer/Inspector/Page/keys.js"
    END
    TEXT("lack.js")
#embed "../DrawbridgeServer/Inspector/Page/lack.js"
    END
    TEXT("list.js")
#embed "../DrawbridgeServer/Inspector/Page/list.js"
    END
    TEXT("main.js")
#embed "../DrawbridgeServer/Inspector/Page/main.js"
    END
    TEXT("menu.js")
#embed "../DrawbridgeServer/Inspector/Page/menu.js"
    END
    TEXT("pages.js")
#embed "../DrawbridgeServer/Inspector/Page/pages.js"
    END
    TEXT("parts.css")
#embed "../DrawbridgeServer/Inspector/Page/parts.css"
    END
    TEXT("phone.js")
#embed "../DrawbridgeServer/Inspector/Page/phone.js"
    END
    TEXT("questions.js")
#embed "../DrawbridgeServer/Inspector/Page/questions.js"
    END
    TEXT("records.js")
#embed "../DrawbridgeServer/Inspector/Page/records.js"
    END
    TEXT("red.svg")
#embed "../DrawbridgeServer/Inspector/Page/red.svg"
    END
    TEXT("row.js")
#embed "../DrawbridgeServer/Inspector/Page/row.js"
    END
    TEXT("scenarios.js")
#embed "../DrawbridgeServer/Inspector/Page/scenarios.js"
    END
    TEXT("search.js")
#embed "../DrawbridgeServer/Inspector/Page/search.js"
    END
    TEXT("state.js")
#embed "../DrawbridgeServer/Inspector/Page/state.js"
    END
    TEXT("stream.js")
#embed "../DrawbridgeServer/Inspector/Page/stream.js"
    END
    TEXT("style.css")
#embed "../DrawbridgeServer/Inspector/Page/style.css"
    END
    TEXT("text.js")
#embed "../DrawbridgeServer/Inspector/Page/text.js"
    END
    TEXT("tree.js")
#embed "../DrawbridgeServer/Inspector/Page/tree.js"
    END
    TEXT("write.js")
#embed "../DrawbridgeServer/Inspector/Page/write.js"
    END
    {0, 0},
};

const struct Text *inspector_texts(void) { return texts; }
