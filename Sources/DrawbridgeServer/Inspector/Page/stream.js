// Follows what happens: the gateway's stream of events, and what to do where it ends. Nothing is ever asked twice.
import { refuse } from './access.js';
import { send } from './api.js';

/// Longer silence than this, and the stream is dead: the gateway says something every 15 s.
const mostSilence = 40_000;

/// How long one piece of work may hold up the tab.
const mostWork = 8;

const seconds = [0.5, 1, 2, 3, 4, 5];

const channel = new MessageChannel();

/// Goes on after what else waits in this tab; unlike a timer also soon where the tab is hidden.
const pause = () => new Promise(resolve => {
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(null);
});

/// Follows it for ever.
///
/// - Parameters:
///   - take(event, data): one event with its text.
///   - tell(state): 'live', 'stopped', or 'over' where nobody is let in any more.
///   - forget(): what was there before does not count any more.
export async function follow(path, { take, tell, forget }) {
    let last = null;
    for (let attempt = 0; ;) {
        const reading = new AbortController();
        let watchdog;
        const isAlive = () => {
            clearTimeout(watchdog);
            watchdog = setTimeout(() => reading.abort(), mostSilence);
        };
        // From the request on: not even the head of an answer may come.
        isAlive();
        try {
            const answer = await send('GET', path, {
                signal: reading.signal,
                headers: { Accept: 'text/event-stream', ...(last && { 'Last-Event-ID': last }) },
            });
            if (answer.status === 401 || answer.status === 403) {
                refuse();
                return tell('over');
            }
            if (answer.status === 410) {
                last = null;
                forget();
                continue;
            }
            if (answer.ok) {
                attempt = 0;
                tell('live');
                await read(answer.body, isAlive, (event, data, id) => {
                    if (id !== null) last = id;
                    try {
                        take(event, data);
                    } catch (error) {
                        // One that cannot be read takes none of the others along.
                        console.error(error);
                    }
                });
            }
        } catch {
            // What broke the stream is told by what follows: it is opened again, or says that it cannot be.
        } finally {
            clearTimeout(watchdog);
        }
        reading.abort();
        tell('stopped');
        await new Promise(resolve => setTimeout(resolve, 1000 * seconds[Math.min(attempt, seconds.length - 1)]));
        attempt += 1;
    }
}

async function read(body, isAlive, take) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let searched = 0;
    let event = { name: '', data: null, id: null };
    const line = text => {
        if (text === '') {
            if (event.data !== null) take(event.name, event.data, event.id);
            event = { name: '', data: null, id: null };
            return;
        }
        const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(text);
        if (name === 'event') event.name = value;
        else if (name === 'data') event.data = event.data === null ? value : `${event.data}\n${value}`;
        else if (name === 'id') event.id = value;
    };
    for (;;) {
        isAlive();
        const { value, done } = await reader.read();
        if (done) return;
        rest += value;
        let from = 0;
        let began = performance.now();
        for (let to; (to = rest.indexOf('\n', Math.max(from, searched))) >= 0; from = to + 1) {
            line(rest.slice(from, rest[to - 1] === '\r' ? to - 1 : to));
            if (performance.now() - began < mostWork) continue;
            await pause();
            began = performance.now();
        }
        rest = rest.slice(from);
        searched = rest.length;
    }
}
