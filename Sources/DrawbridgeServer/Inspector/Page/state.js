// What the gateway has said at last about itself, its pages, questions, scenarios, replies and sessions, and who wants
// to know of it.

const listeners = new Map();

export const state = {
    /// Where the gateway's page is, and its version.
    gateway: {},
    pages: [],
    questions: [],
    scenarios: { names: [], on: {} },
    /// Replies set until Drawbridge stops, by session and name; and the file that can be written, or null.
    replies: { set: {}, file: null },
    sessions: ['default'],
    /// The session that was picked; empty for all.
    session: '',
};

/// Calls a function now and whenever this member has changed, until the function that it gives is called.
export function on(name, listener) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(listener);
    listener(state[name]);
    return () => listeners.get(name).delete(listener);
}

export function set(name, value) {
    state[name] = value;
    for (const listener of listeners.get(name) ?? []) listener(value);
}

/// The session that a person works in where a record does not say it.
export const workingSession = () => state.session || 'default';

/// What was set for a name in a session, or undefined.
export const setReply = (session, name) => {
    const set = state.replies.set?.[session];
    return set && Object.hasOwn(set, name) ? set[name] : undefined;
};

/// Whether it is an event that only says what is there now; then it is taken.
export function take(event, text) {
    if (event === 'sessions') {
        set('sessions', [...new Set(['default', ...JSON.parse(text)])]);
        return true;
    }
    if (!['gateway', 'pages', 'questions', 'scenarios', 'replies'].includes(event)) return false;
    set(event, JSON.parse(text));
    return true;
}
