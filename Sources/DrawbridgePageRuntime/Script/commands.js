// Command URLs, which are the call (contracts, section 3): `<scheme>://name?key=value`, to which there is no reply.
//
// uses interface: setUp
setUp(['command'], native => {
    native.opens((url, parts) => parts && parts.isOwn && (() => {
        const { host, path, query = '' } = parts;
        const data = native.items(query);
        native.call(data[native.options.commandItem] || (host + path).replace(/\/$/, ''), query ? data : undefined);
    }));
});
