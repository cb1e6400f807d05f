// The scripts that change a shared store, each in one step. C, as the texts in CTexts are.
extern const char *_Nonnull const dbl_tick_script;
extern const char *_Nonnull const dbl_load_script;
extern const char *_Nonnull const dbl_write_script;
