// The texts that the modules are built with, by name.
//
// C, because `#embed` costs nothing: Swift's compiler takes a minute for as many bytes in an array.

struct Text {
    const char *_Nullable name;
    const char *_Nullable text;
};

// Lists whose last text has no name.
const struct Text *_Nonnull bridge_texts(void);
const struct Text *_Nonnull core_texts(void);
const struct Text *_Nonnull inspector_texts(void);
const struct Text *_Nonnull command_texts(void);
const struct Text *_Nonnull page_texts(void);
